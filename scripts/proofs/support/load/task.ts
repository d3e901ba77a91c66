import type { Pen } from '../../../../bench/load/task.js';

/** A request as the load sends it again and again, each time signed freshly. `{n}` in it is a number of its own. */
export interface LoadRequest {
  method: string;
  target: string;
  /** A JSON body. */
  json?: string;
  /** Whether it has an Idempotency-Key of its own. */
  isKeyed?: boolean;
  /** Whether the id in its answer is kept. */
  keepsId?: boolean;
}

/** What the generator is told to send. */
export interface LoadTask {
  port: number;
  /** For whom requests are signed. */
  host: string;
  pen: Pen;
  /** Sent in turn. */
  requests: LoadRequest[];
  perSecond: number;
  /** How many of the last requests are kept as they were sent. */
  captures: number;
  /** How many can wait for their answer at the same time; what is due then is not sent, and said to be. */
  mostUnderway?: number;
}

/** A request as it went over the wire, and how it was answered so far (undefined: not yet). */
export interface Captured {
  method: string;
  target: string;
  authorization: string;
  status?: number;
}

/** What is said to the generator. */
export type Order = { start: LoadTask } | { rate: number } | { captured: true } | { end: true };

/** All requests of a load, column by column, in the order in which they were answered. */
export interface LoadColumns {
  /** Milliseconds since the epoch. */
  sentAt: Float64Array;
  /** How long the answer took. */
  ms: Float64Array;
  /** DROPPED or UNANSWERED where there was none. */
  status: Int16Array;
  /** Whether it said `retry-after`. */
  retryAfter: Uint8Array;
  /** Which of the requests of the task. */
  kind: Uint8Array;
  /** What `{n}` was. */
  n: Uint32Array;
  /** Where it was kept and the answer was 201. */
  ids: string[];
}

/** What the generator answers. */
export type Word = { captured: Captured[] } | { log: LoadColumns } | { failed: string };

/** The connection ended before the answer did. */
export const DROPPED = 0;
/** There was no answer for a minute. */
export const UNANSWERED = -1;
/** The generator itself had as many requests underway as it can have. */
export const NOT_SENT = -2;
