import type { Measured } from '../statistics.js';

/** A request as a case describes it, not signed yet. */
export interface Asked {
  method: 'GET' | 'POST';
  /** Path and query. */
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
