import fc from 'fast-check';
import { identifierKeyOf, personOf, type IdentifierKey } from '../../../src/audiences/audience-users/identifiers.js';
import {
  AudienceMembership,
  rowsOf,
  TooManyIdentifiers,
  type Person,
} from '../../../src/audiences/audience-users/membership.rules.js';
import { madeUpRequests, sha256, SimpleAudience } from '../../support/people.js';

const DAY = 20_000;
const keys = Array.from({ length: 12 }, (_, n) => identifierKeyOf(n % 3, sha256(`person ${n}`)));
const numberOf = (key: IdentifierKey) => keys.indexOf(key);

/** What a table of identifiers would hold. */
class Table {
  people = new Map<IdentifierKey, Person>();

  upload(steps: { keys: IdentifierKey[]; window?: { effectiveAt: number; expiresAt: number } }[]): void {
    const named = new Set(steps.flatMap((step) => step.keys));
    const stored = new Set([...named].flatMap((key) => this.people.get(key) ?? []));
    const membership = new AudienceMembership(structuredClone([...stored]), DAY, 100);
    for (const step of steps) membership.apply(step);
    for (const key of membership.gone()) this.people.delete(key);
    for (const person of membership.changed()) for (const key of person.keys) this.people.set(key, person);
  }

  census(): string[] {
    return [...new Set(this.people.values())]
      .map(({ keys: own, effectiveAt, expiresAt, days }) =>
        JSON.stringify([[...own].map(numberOf).sort((a, b) => a - b), effectiveAt, expiresAt, days[1]]),
      )
      .sort();
  }
}

describe('AudienceMembership', () => {
  it('is what a simple model says, whatever is uploaded', () => {
    fc.assert(
      fc.property(madeUpRequests(), (requests) => {
        const table = new Table();
        const model = new SimpleAudience();
        for (const request of requests) {
          table.upload(
            request.flatMap(({ type, people, from, until }) =>
              people.map((ids) => ({
                keys: ids.map((id) => keys[id]),
                ...(type === 'Update' && { window: { effectiveAt: from, expiresAt: until } }),
              })),
            ),
          );
          for (const operation of request) model.apply(operation);
          expect(table.census()).toEqual(model.census());
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts the days on which somebody was named, and forgets those that no window reaches', () => {
    const window = { effectiveAt: 0, expiresAt: 1 };
    const person = { keys: new Set([keys[0]]), days: [DAY - 30, 4, DAY - 29, 3, DAY - 1, 2], ...window };
    const other = { keys: new Set([keys[1]]), days: [DAY - 1, 5, DAY, 1], ...window };
    const membership = new AudienceMembership([person, other], DAY, 100);
    membership.apply({ keys: [keys[0], keys[1]], window });
    const [one, ...more] = membership.changed();
    expect(one.days).toEqual([DAY - 29, 3, DAY - 1, 7, DAY, 2]);
    expect(more).toEqual([]);
    expect(rowsOf(one)).toMatchObject([
      { tied: true, lastDay: DAY, updates: 2, earlier: [DAY - 29, 3, DAY - 1, 7] },
      { tied: true, lastDay: DAY, updates: 2, earlier: [DAY - 29, 3, DAY - 1, 7] },
    ]);
  });

  it('merges nobody into a person with too many identifiers, and keeps them apart where it is told to', () => {
    const [early, late] = [1, 2].map((expiresAt) => ({ effectiveAt: 0, expiresAt }));
    const people = [0, 3].map((at) => ({ keys: new Set(keys.slice(at, at + 3)), days: [DAY - 1, 1], ...early }));
    const step = { keys: [keys[0], keys[3], keys[6]], window: late };
    const strict = new AudienceMembership(structuredClone(people), DAY, 6);
    expect(() => strict.apply(step)).toThrow(TooManyIdentifiers);
    expect([...strict.changed()]).toEqual([]);
    const lenient = new AudienceMembership(structuredClone(people), DAY, 6, 'keep apart');
    lenient.apply(step);
    expect([...lenient.changed()].map((each) => [[...each.keys].map(numberOf), each.expiresAt])).toEqual([
      [[0, 1, 2], 2],
      [[3, 4, 5], 2],
      [[6], 2],
    ]);
    lenient.apply({ keys: [keys[0], keys[6]], window: late });
    expect([...lenient.changed()].map((each) => each.keys.size).sort()).toEqual([3, 4]);
  });

  it('knows a person by the first of their identifiers, in whatever order they came', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(11), { minLength: 1 }), (numbers) => {
        const own = numbers.map((n) => keys[n]);
        const rows = rowsOf({ keys: new Set(own), days: [DAY, 1], effectiveAt: 0, expiresAt: 1 });
        const [first] = [...own].sort();
        expect(new Set(rows.map(({ person }) => person))).toEqual(new Set([personOf(first)]));
        expect(rows.filter((row) => row.first).map(({ key }) => key)).toEqual([first]);
      }),
    );
  });

  it('gives different people different numbers, also where their hashes are much alike', () => {
    const hashes = Array.from({ length: 20_000 }, (_, n) => n.toString(16).padStart(64, '0'));
    const people = hashes.flatMap((hash) => [0, 1].map((kind) => personOf(identifierKeyOf(kind, hash))));
    const mirrored = hashes.slice(1).map((hash) => personOf(identifierKeyOf(0, hash.split('').reverse().join(''))));
    expect(new Set([...people, ...mirrored]).size).toBe(people.length + mirrored.length);
  });
});
