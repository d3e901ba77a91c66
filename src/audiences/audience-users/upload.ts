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

/** The user objects of an upload in their order, each with its operation. */
export function* stepsOf(operations: readonly UserOperation[]): Generator<Step & { operation: number }> {
  for (const [operation, { people, window }] of operations.entries())
    for (const keys of people) yield { keys, window, operation };
}

/** An upload of nothing but Updates of people who each are named by one identifier; undefined where it is another. */
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
