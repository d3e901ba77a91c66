import type { Measured } from '../statistics.js';

/** What stands in a target where every request has to say something else; as long as what takes its place. */
export const UNIQUE = '-a-text-of-its-own-';

/** A target that says something of its own, by a number that no other request of this run has. */
export const distinct = (target: string, run: string, n: number): string =>
  target.includes(UNIQUE)
    ? target.replace(UNIQUE, `${run}${n.toString(36).padStart(UNIQUE.length - run.length, '0')}`)
    : target;

/** A request as a case describes it, not signed yet. */
export interface Asked {
  method: 'GET' | 'POST';
  /** Path and query. `UNIQUE` in it becomes a text that no other request has. */
  target: string;
  /** A JSON body, which OAuth 1.0a does not sign. */
  body?: string;
}

/** Who signs. */
export interface Pen {
  consumer: { key: string; secret: string };
  token: { key: string; secret: string };
}

/** One round of load: what the bench tells the generator's process. */
export interface Task {
  port: number;
  pen: Pen;
  /** Sent in turn. */
  requests: Asked[];
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** How many requests to sign before the first one is sent. */
  signAhead: number;
}

/** What it answers. */
export type Outcome = { measured: Measured; sent: number } | { error: string };
