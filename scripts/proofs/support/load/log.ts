import { DROPPED, type LoadColumns, NOT_SENT, UNANSWERED } from './task.js';

/** What became of one request. */
export interface Entry {
  /** Milliseconds since the epoch; it was signed at that moment. */
  sentAt: number;
  ms: number;
  status: number;
  retryAfter: boolean;
  kind: number;
  n: number;
  /** Of what was created, where it was kept. */
  id: string;
}

export const succeeded = ({ status }: Entry): boolean => status >= 200 && status < 300;

/** Told to come again later, and when. */
export const isBusy = ({ status, retryAfter }: Entry): boolean => status === 503 && retryAfter;

/** From when a process was killed until it was gone, in milliseconds since the epoch. */
export type Kill = [from: number, to: number];

/** nginx may pass a request on a little later still. */
const NOTICED_MS = 200;

/** Whether a request was underway on a connection that a kill has cut; nginx answers 502 then. */
export const wasCut = ({ status, sentAt, ms }: Entry, kills: Kill[]): boolean =>
  (status === DROPPED || status === 502) && kills.some(([from, to]) => sentAt < to + NOTICED_MS && sentAt + ms >= from);

/** What became of the requests of a load. */
export class LoadLog {
  readonly entries: Entry[];

  constructor({ sentAt, ms, status, retryAfter, kind, n, ids }: LoadColumns) {
    this.entries = Array.from(ids, (id, i) => ({
      sentAt: sentAt[i],
      ms: ms[i],
      status: status[i],
      retryAfter: retryAfter[i] === 1,
      kind: kind[i],
      n: n[i],
      id,
    }));
  }
}

/** How long the slowest answer took. */
export const longest = (entries: Entry[]): number => entries.reduce((max, { ms }) => Math.max(max, ms), 0);

/** How many answers of each kind, in words: "200: 1,024, 503: 3, dropped: 1". */
export function byStatus(entries: Entry[]): string {
  const counts = new Map<number, number>();
  for (const { status } of entries) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${wordOf(status)}: ${count.toLocaleString('en')}`)
    .join(', ');
}

const WORDS: Record<number, string> = { [DROPPED]: 'dropped', [UNANSWERED]: 'no answer', [NOT_SENT]: 'not sent' };
const wordOf = (status: number): string => WORDS[status] ?? String(status);
