import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

interface Sender {
  parse(statement: { text: string }, ...more: unknown[]): void;
  query(text: string): void;
}

/** The folder for the texts of all statements that tests send (scripts/check-statements.mjs), if they are collected. */
const FOLDER = process.env.TEST_STATEMENTS;

/** Every spec file of a process has the same driver. */
const driver = pg as typeof pg & { seenByTests?: Set<string> };
const seen = (driver.seenByTests ??= new Set());

function collect(text: string): void {
  if (seen.has(text)) return;
  seen.add(text);
  appendFileSync(join(FOLDER!, String(process.pid)), `${JSON.stringify(text)}\n`);
}

/** Leaves out a statement of a test itself. */
export const ignoreStatement = (text: string): void => void seen.add(text);

/** Writes each statement text that this file's service sends to TEST_STATEMENTS, if that is set. */
export function collectStatements(): void {
  if (FOLDER === undefined || seen.size > 0) return;
  const sender = pg.Connection.prototype as unknown as Sender;
  const { parse, query } = sender;
  sender.parse = function (statement, ...more) {
    collect(statement.text);
    parse.call(this, statement, ...more);
  };
  sender.query = function (text) {
    collect(text);
    query.call(this, text);
  };
}
