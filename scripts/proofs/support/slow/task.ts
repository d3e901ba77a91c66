import type { Pen } from '../../../../bench/load/task.js';

/** What slow senders are told to do. */
export interface SlowTask {
  port: number;
  /** For which host uploads are signed. */
  host: string;
  /** The addresses of this machine that the senders use in turn. */
  addresses: string[];
  senders: number;
  /** What they send in turn: unsigned forms, or signed uploads. */
  kinds: ('form' | 'upload')[];
  /** Signs the uploads. */
  pen: Pen;
}

/** What became of the connections of slow senders. */
export interface SlowLog {
  /** Connections that were made. */
  connections: number;
  /** The most that were open at one moment. */
  mostOpen: number;
  /** How often each status was answered; `closed` where a connection ended without an answer. */
  answers: Record<string, number>;
}

/** What is said to the process of the senders. */
export type SlowOrder = { start: SlowTask } | { end: true };

/** What that process answers. */
export type SlowWord = { log: SlowLog } | { failed: string };
