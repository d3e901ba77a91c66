import { wireTime } from '../../common/db/postgres/stored-times.js';
import { inSlices } from '../../common/in-slices.js';
import type { SingleUpdates } from './audience-users.statements.js';
import type { IdentifierKey } from './identifiers.js';
import type { Step, ValidityWindow } from './membership.rules.js';
import type { People } from './users.readers.js';

/** An operation of an upload; a Delete has no window. */
export interface UserOperation {
  people: People;
  window?: ValidityWindow;
}

/** The user objects of an upload in order, each with its operation. */
export function* stepsOf(operations: readonly UserOperation[]): Generator<Step & { operation: number }> {
  for (const [operation, { people, window }] of operations.entries())
    for (const keys of people) yield { keys, window, operation };
}

/** An upload that consists of Updates of people with one identifier each; undefined for any other upload. */
export async function singlesOf(operations: readonly UserOperation[]): Promise<SingleUpdates | undefined> {
  if (!operations.every(({ people, window }) => window && people.every((keys) => keys.length === 1))) return undefined;
  const places = new Map<IdentifierKey, number>();
  const windows: ValidityWindow[] = [];
  const singles: SingleUpdates = { keys: [], updates: [], window: [], windows };
  await inSlices(stepsOf(operations), ({ keys: [key], window }) => {
    const last = windows.at(-1);
    if (last?.effectiveAt !== window!.effectiveAt || last.expiresAt !== window!.expiresAt) windows.push(window!);
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, singles.keys.push(key) - 1);
      singles.updates.push(1);
      singles.window.push(windows.length - 1);
    } else {
      singles.updates[place]++;
      singles.window[place] = windows.length - 1;
    }
  });
  return singles;
}

/** The number of user objects sent and applied: always equal, or nothing was applied. */
export interface UploadCounts {
  success_count: number;
  total_count: number;
}

export const countsOf = (operations: readonly UserOperation[]): UploadCounts => {
  const total = operations.reduce((sum, { people }) => sum + people.length, 0);
  return { success_count: total, total_count: total };
};

/** The default expiry of a membership. */
export function inThirteenMonths(now: Date): Date {
  const then = new Date(now);
  then.setUTCMonth(now.getUTCMonth() + 13);
  return then;
}

/** Formats a time of a window. */
export const timeOf = (moment: number): string => wireTime(new Date(moment).toISOString());

/** The membership window of users uploaded with these times. */
export function windowOf(times: { effective_at?: string; expires_at?: string }, now: Date): ValidityWindow {
  const effectiveAt = times.effective_at === undefined ? now.getTime() : Date.parse(times.effective_at);
  const expiresAt = times.expires_at === undefined ? inThirteenMonths(now).getTime() : Date.parse(times.expires_at);
  return { effectiveAt, expiresAt };
}
