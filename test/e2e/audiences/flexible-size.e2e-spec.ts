import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { AudienceIdentifier, REMEMBERED_DAYS } from '../../../src/audiences/entities/audience-identifier.entity.js';
import type { Matching } from '../../../src/audiences/entities/audience-snapshot.entity.js';
import { AudienceSnapshots } from '../../../src/audiences/audience-sizes/audience-snapshots.service.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import {
  FREQUENCY_COMPARATORS,
  LOOKBACK_WINDOWS,
  normalised,
  type GivenSegment,
  type Segment,
} from '../../../src/audiences/entities/segments.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAY_MS = 86_400_000;
const NOON = new Date('2026-03-10T12:00:00Z');
const TODAY = Math.floor(NOON.getTime() / DAY_MS);

/** A person of an audience, as a test says it. */
interface Member {
  person: number;
  /** In hours from noon. */
  from: number;
  until: number;
  /** How often on which day, as days ago; the last first. */
  uploads: [daysAgo: number, times: number][];
  identifiers: number;
  /** Of the directory. */
  users?: number[];
}

const everywhere = { from: -24, until: 24, identifiers: 1 };
const member = (person: number, uploads: Member['uploads'] = [[0, 1]], more: Partial<Member> = {}): Member => ({
  person,
  uploads,
  ...everywhere,
  ...more,
});

const hours = (count: number) => new Date(NOON.getTime() + count * 3_600_000).toISOString();

function rowsOf(
  audienceId: string,
  { person, from, until, uploads, identifiers, users = [] }: Member,
): Row<AudienceIdentifier>[] {
  const [[daysAgo, updates], ...earlier] = uploads;
  return Array.from({ length: identifiers }, (_, kind) => ({
    audienceId,
    kind,
    hash: Buffer.from(`${person}`.padStart(32, '0')),
    person: `${person}`,
    first: kind === 0,
    tied: identifiers > 1,
    effectiveAt: hours(from),
    expiresAt: hours(until),
    lastDay: TODAY - daysAgo,
    updates,
    earlier: earlier.length > 0 ? earlier.flatMap(([day, times]) => [TODAY - day, times]) : null,
    users: kind === 0 && users.length > 0 ? users : null,
  }));
}

let advertiser: Advertiser;
let audiences: string[];
beforeEach(async () => {
  advertiser = await given.advertiser();
  audiences = [];
  for (let n = 0; n < 3; n++) audiences.push((await given.customAudience({ account: advertiser.account })).id);
});

const db = () => world().get(DataSource).manager;
const fill = (...members: Member[][]) =>
  write(db(), [
    insert(
      AudienceIdentifier,
      members.flatMap((own, n) => own.flatMap((each) => rowsOf(audiences[n], each))),
    ),
  ]);
const leaf = (n: number, more: GivenSegment = {}): GivenSegment => ({
  custom_audience_id: audiences[n],
  lookback_window: 30,
  ...more,
});
const all = (...child_segments: GivenSegment[]): GivenSegment => ({ boolean_operator: 'AND', child_segments });
const any = (...child_segments: GivenSegment[]): GivenSegment => ({ boolean_operator: 'OR', child_segments });
const directory = () => world().get(DirectoryService);
const size = async (tree: GivenSegment, at = NOON, matching: Matching = 'ALL') =>
  (await world().get(AudienceSnapshots).sizeOf(normalised(tree), matching, at)).persons;

describe('the size of a flexible audience', () => {
  it('is who is in all of its audiences, in one, or in others only', async () => {
    await fill([member(1), member(2), member(3)], [member(2), member(3, [[0, 1]], { identifiers: 3 })], [member(9)]);
    expect(await size(all(leaf(0), leaf(1)))).toBe(2);
    expect(await size(any(leaf(0), leaf(1)))).toBe(3);
    expect(await size(all(leaf(0), leaf(1, { negate: true })))).toBe(1);
    expect(await size({ ...any(leaf(0), leaf(1)), negate: true })).toBe(0);
    expect(await size(all(leaf(2), any(leaf(0), leaf(1))))).toBe(0);
    expect(await size(any(leaf(2), { ...all(leaf(0), leaf(1)), negate: true }))).toBe(2);
  });

  it('counts who is in them at the time: from the first moment to before the last', async () => {
    await fill([member(1, [[0, 1]], { from: 0, until: 1 }), member(2, [[0, 1]], { from: -2, until: 0 }), member(3)]);
    expect(await size(all(leaf(0)))).toBe(2);
    expect(await size(all(leaf(0)), new Date(NOON.getTime() - 1))).toBe(2);
    expect(await size(all(leaf(0)), new Date(NOON.getTime() + 3_600_000))).toBe(1);
    // nobody is left whom a negated leaf could hold
    expect(await size(all(leaf(0, { negate: true })), new Date(NOON.getTime() + 90 * DAY_MS))).toBe(0);
  });

  it('counts uploads of the last days, today included', async () => {
    await fill([
      member(1, [[0, 1]]),
      member(2, [[6, 5]]),
      member(3, [[7, 5]]),
      member(4, [
        [2, 1],
        [6, 2],
        [7, 10],
        [29, 1],
      ]),
      member(5, [[30, 100]]),
    ]);
    const week = (more: GivenSegment) => size(all(leaf(0, { lookback_window: 7, ...more })));
    expect(await week({})).toBe(3);
    expect(await week({ frequency: 3 })).toBe(2);
    expect(await week({ frequency: 3, frequency_comparator: 'NUM_EQ' })).toBe(1);
    expect(await week({ frequency: 3, frequency_comparator: 'NUM_GT' })).toBe(1);
    expect(await week({ frequency: 1, frequency_comparator: 'NUM_LTE' })).toBe(3);
    expect(await week({ frequency: 1, frequency_comparator: 'NUM_LT' })).toBe(2);
    expect(await week({ frequency: 3, frequency_comparator: 'NUM_LT', negate: true })).toBe(2);
    const days = async (lookback_window: 1 | 7 | 14 | 30) => size(all(leaf(0, { lookback_window })));
    expect([await days(1), await days(7), await days(14), await days(30)]).toEqual([1, 3, 4, 4]);
    expect(await size(all(leaf(0, { frequency: 14, frequency_comparator: 'NUM_EQ' })))).toBe(1);
    // days are those of UTC, whatever the hour
    expect(await size(all(leaf(0, { lookback_window: 1 })), new Date('2026-03-10T23:59:59.999Z'))).toBe(1);
    expect(await size(all(leaf(0, { lookback_window: 7 })), new Date('2026-03-11T00:00:00Z'))).toBe(2);
  });

  it('looks at an audience twice where two leaves ask differently', async () => {
    await fill([member(1, [[0, 1]]), member(2, [[10, 1]]), member(3, [[20, 1]])]);
    expect(await size(all(leaf(0), leaf(0, { lookback_window: 7, negate: true })))).toBe(2);
    expect(
      await size({ ...any(leaf(0), leaf(0, { lookback_window: 14 }), leaf(0, { lookback_window: 7 })), frequency: 2 }),
    ).toBe(2);
  });

  it('has nobody of an audience that is deleted', async () => {
    await fill([member(1), member(2)], [member(2), member(3)]);
    await advertiser.api.delete(`/12/accounts/${advertiser.account.id}/custom_audiences/${audiences[1]}`);
    expect(await size(any(leaf(0), leaf(1)))).toBe(2);
    expect(await size(all(leaf(0), leaf(1)))).toBe(0);
    expect(await size(any(leaf(1, { negate: true })))).toBe(0);
  });

  it('counts users of the directory where it is told to, each once, and who of them is active', async () => {
    const user = async (username: string) => {
      await directory().store([directory().read({ username })]);
      const [{ number }] = await world().sql<{ number: number }>(
        'SELECT d.number FROM directory_users d JOIN users u ON u.id = d."userId" WHERE u.username = $1',
        username,
      );
      return number;
    };
    const [one, other] = [await user('tree_one'), await user('tree_other')];
    // 1 and 2 are the same user, 3 and 5 another one, and 4 nobody
    const matched = (person: number, ...users: number[]) => member(person, [[0, 1]], { users });
    await fill([matched(1, one), matched(2, one), matched(3, other), member(4)], [matched(2, one), matched(5, other)]);
    const users = (tree: GivenSegment, at = NOON) => size(tree, at, 'DIRECTORY');
    expect(await users(any(leaf(0), leaf(1)))).toBe(2);
    expect(await users(all(leaf(0), leaf(1)))).toBe(2);
    expect(await users(all(leaf(0), leaf(1, { negate: true })))).toBe(0);
    await world().sql(`UPDATE users SET "suspendedAt" = now() WHERE username = 'tree_one'`);
    expect(await users(any(leaf(0), leaf(1)))).toBe(1);
    expect(await size(any(leaf(0), leaf(1)))).toBe(5);
  });

  it('is what a model says, whatever the tree and the persons', async () => {
    const members = fc.uniqueArray(
      fc.record({
        person: fc.integer({ min: 1, max: 12 }),
        from: fc.constantFrom(-1, 0, 1),
        until: fc.constantFrom(-1, 0, 1, 2),
        uploads: fc
          .uniqueArray(fc.tuple(fc.integer({ min: 0, max: REMEMBERED_DAYS + 3 }), fc.integer({ min: 1, max: 4 })), {
            selector: ([daysAgo]) => daysAgo,
            minLength: 1,
            maxLength: REMEMBERED_DAYS,
          })
          .map((uploads) => uploads.sort(([a], [b]) => a - b)),
        identifiers: fc.integer({ min: 1, max: 3 }),
      }),
      { selector: ({ person }) => person, maxLength: 12 },
    );
    const occurrence = {
      frequency: fc.integer({ min: 1, max: 5 }),
      frequency_comparator: fc.constantFrom(...FREQUENCY_COMPARATORS),
      negate: fc.boolean(),
    };
    const { node } = fc.letrec<{ node: GivenSegment; inside: GivenSegment }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 2 },
        fc.record({
          custom_audience_id: fc.constantFrom('0', '1', '2'),
          lookback_window: fc.constantFrom(...LOOKBACK_WINDOWS),
          ...occurrence,
        }),
        tie('inside'),
      ),
      inside: fc.record({
        boolean_operator: fc.constantFrom('AND' as const, 'OR' as const),
        child_segments: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        ...occurrence,
        frequency: fc.integer({ min: 1, max: 2 }),
      }),
    }));
    const named = (tree: GivenSegment): GivenSegment => ({
      ...tree,
      ...(tree.custom_audience_id && { custom_audience_id: audiences[Number(tree.custom_audience_id)] }),
      ...(tree.child_segments && { child_segments: tree.child_segments.map(named) }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(members, members, members),
        fc.array(node, { minLength: 4, maxLength: 4 }),
        async (audiencesMembers, trees) => {
          for (const table of ['audience_identifiers', 'audience_snapshots'])
            await world().sql(`DELETE FROM ${table} WHERE "audienceId" = ANY($1)`, audiences);
          await fill(...audiencesMembers);
          for (const tree of trees.map(named).filter((each) => count(normalised(each)) <= 10))
            expect(await size(tree)).toBe(modelled(normalised(tree), audiencesMembers));
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});

const count = (segment: Segment): number =>
  segment.child_segments.length === 0 ? 1 : segment.child_segments.reduce((sum, each) => sum + count(each), 0);

const COMPARE = {
  NUM_GTE: (a: number, b: number) => a >= b,
  NUM_GT: (a: number, b: number) => a > b,
  NUM_EQ: (a: number, b: number) => a === b,
  NUM_LTE: (a: number, b: number) => a <= b,
  NUM_LT: (a: number, b: number) => a < b,
};

/** How many persons belong, gone through one by one. */
function modelled(tree: Segment, members: Member[][]): number {
  const named = new Set<string>();
  const nameAll = (segment: Segment): void => {
    if ('custom_audience_id' in segment) named.add(segment.custom_audience_id);
    segment.child_segments.forEach(nameAll);
  };
  nameAll(tree);
  const inside = members.map((own, n) =>
    named.has(audiences[n]) ? own.filter(({ from, until }) => from <= 0 && until > 0) : [],
  );
  const holds = (segment: Segment, person: number): boolean => {
    const compare = (times: number) => COMPARE[segment.frequency_comparator](times, segment.frequency);
    const held = (): boolean => {
      if ('custom_audience_id' in segment) {
        const own = inside[audiences.indexOf(segment.custom_audience_id)].find((each) => each.person === person);
        const recent = own?.uploads.filter(([daysAgo]) => daysAgo < segment.lookback_window);
        return recent !== undefined && compare(recent.reduce((sum, [, times]) => sum + times, 0));
      }
      const children = segment.child_segments.filter((each) => holds(each, person)).length;
      const enough = segment.boolean_operator === 'AND' ? children === segment.child_segments.length : children > 0;
      return enough && compare(children);
    };
    return held() !== segment.negate;
  };
  const persons = new Set(inside.flat().map(({ person }) => person));
  return [...persons].filter((person) => holds(tree, person)).length;
}
