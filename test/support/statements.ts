import pg from 'pg';
import { collect } from './collect.js';

interface Sender {
  parse(statement: { text: string }, ...more: unknown[]): void;
  query(text: string): void;
}

/** The folder for the texts of all statements that tests send (scripts/check-statements.mjs), if they are collected. */
const FOLDER = process.env.TEST_STATEMENTS;

/** Every spec file of a process has the same driver. */
const driver = pg as typeof pg & { seenByTests?: Set<string> };
const seen = (driver.seenByTests ??= new Set());

/** Leaves out a statement of a test itself. */
export const ignoreStatement = (text: string): void => void seen.add(JSON.stringify(text));

/** Writes each statement text that this file's service sends to TEST_STATEMENTS, if that is set. */
export function collectStatements(): void {
  if (FOLDER === undefined || seen.size > 0) return;
  const sender = pg.Connection.prototype as unknown as Sender;
  const { parse, query } = sender;
  sender.parse = function (statement, ...more) {
    collect(FOLDER, seen, JSON.stringify(statement.text));
    parse.call(this, statement, ...more);
  };
  sender.query = function (text) {
    collect(FOLDER, seen, JSON.stringify(text));
    query.call(this, text);
  };
}
