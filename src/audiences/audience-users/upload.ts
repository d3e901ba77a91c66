import { setImmediate as turn } from 'node:timers/promises';
import type { IdentifierKey } from './identifiers.js';
import type { Step, ValidityWindow } from './membership.rules.js';
import type { SingleUpdates } from './audience-users.statements.js';
import type { People } from './users.readers.js';

/** An operation of an upload; a Delete has no window. */
export interface UserOperation {
  people: People;
  window?: ValidityWindow;
}

/** How many identifiers are gone through before others have their turn. */
const AT_ONCE = 5_000;

/** The user objects of an upload in their order, each with its operation. */
export async function* stepsOf(operations: readonly UserOperation[]): AsyncGenerator<Step & { operation: number }> {
  let gone = 0;
  for (const [operation, { people, window }] of operations.entries()) {
    for (const keys of people) {
      yield { keys, window, operation };
      gone += keys.length;
      if (gone < AT_ONCE) continue;
      gone = 0;
      await turn();
    }
  }
}

/** An upload of nothing but Updates of people who each are named by one identifier; undefined where it is another. */
export function singlesOf(operations: readonly UserOperation[]): SingleUpdates | undefined {
  if (!operations.every(({ people, window }) => window && people.every((keys) => keys.length === 1))) return undefined;
  const places = new Map<IdentifierKey, number>();
  const windows: ValidityWindow[] = [];
  const singles: SingleUpdates = { keys: [], updates: [], window: [], windows };
  for (const operation of operations) {
    const window = operation.window!;
    const last = windows.at(-1);
    if (last?.effectiveAt !== window.effectiveAt || last.expiresAt !== window.expiresAt) windows.push(window);
    for (const [key] of operation.people) {
      const place = places.get(key);
      if (place === undefined) {
        places.set(key, singles.keys.push(key) - 1);
        singles.updates.push(1);
        singles.window.push(windows.length - 1);
      } else {
        singles.updates[place]++;
        singles.window[place] = windows.length - 1;
      }
    }
  }
  return singles;
}
