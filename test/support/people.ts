import { createHash } from 'node:crypto';
import fc from 'fast-check';

/** An upload as tests make it up: people are named by small numbers, so that they meet again. */
export interface MadeUpUpload {
  type: 'Update' | 'Delete';
  people: number[][];
  /** In hours from now. */
  from: number;
  until: number;
}

/** The identifiers of made-up people: every third is an address, a username or an id of the partner. */
export const identifierOf = (n: number): [kind: string, value: string] => {
  const kind = ['email', 'handle', 'partner_user_id'][n % 3];
  return [kind, kind === 'partner_user_id' ? `person ${n}` : sha256(`person ${n}`)];
};

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A user object as clients send it. */
export function userObject(numbers: readonly number[]): Record<string, string[]> {
  const user: Record<string, string[]> = {};
  for (const [kind, value] of numbers.map(identifierOf)) (user[kind] ??= []).push(value);
  return user;
}

/** Sequences of requests, each of several operations. */
export const madeUpRequests = (identifiers = 12) =>
  fc.array(
    fc.array(
      fc.record({
        type: fc.constantFrom('Update' as const, 'Update' as const, 'Delete' as const),
        people: fc.array(fc.uniqueArray(fc.nat(identifiers - 1), { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 3,
        }),
        from: fc.integer({ min: -3, max: 1 }),
        until: fc.integer({ min: 2, max: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    { minLength: 1, maxLength: 4 },
  );

/** Who is in an audience, as simply as it can be said. */
export class SimpleAudience {
  people: { ids: Set<number>; from: number; until: number; updates: number }[] = [];

  apply({ type, people, from, until }: MadeUpUpload): void {
    for (const ids of people) {
      const known = this.people.filter((each) => ids.some((id) => each.ids.has(id)));
      this.people = this.people.filter((each) => !known.includes(each));
      if (type === 'Delete') continue;
      this.people.push({
        ids: new Set([...known.flatMap((each) => [...each.ids]), ...ids]),
        from,
        until,
        updates: known.reduce((sum, each) => sum + each.updates, 1),
      });
    }
  }

  /** The people as sorted lists, each with its times and how often it was named. */
  census(): string[] {
    return this.people
      .map(({ ids, from, until, updates }) => JSON.stringify([[...ids].sort((a, b) => a - b), from, until, updates]))
      .sort();
  }

  sizeIn(hours: number): number {
    return this.people.filter(({ from, until }) => from <= hours && hours < until).length;
  }
}
