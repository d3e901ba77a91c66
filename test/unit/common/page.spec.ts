import 'reflect-metadata';
import fc from 'fast-check';
import { Column, DeleteDateColumn, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { rows, type Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { checkSortable, ListQuery } from '../../../src/common/list/list-query.js';
import { writeCursor } from '../../../src/common/list/cursor.js';
import { meaningOf, page } from '../../../src/common/list/page.js';
import { onEveryStore } from '../db/stores.js';

/** Everything that can be missing, of every type that can be sorted. */
@Entity('gappy')
class Gappy {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column('varchar') owner: string;
  @Column('varchar', { nullable: true }) name: string | null;
  @Column('varchar', { nullable: true }) colourCode: string | null;
  @Column('text', { nullable: true }) note: string | null;
  @Column('smallint', { nullable: true }) rank: number | null;
  @Column('int', { nullable: true }) size: number | null;
  @Column('bigint', { nullable: true }) amount: number | null;
  @Column('double precision', { nullable: true }) share: number | null;
  @Column('boolean', { nullable: true }) active: boolean | null;
  @Column('date', { nullable: true }) day: string | null;
  @Column('jsonb', { nullable: true }) extra: unknown;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) startTime: Date | null;
  @DeleteDateColumn({ type: 'timestamptz', precision: 3, nullable: true }) deletedAt: Date | null;
}

/** The same rows: what a list can be sorted by belongs to its entity. */
@Entity('gappy')
class WithEverything extends Gappy {}
@Entity('gappy')
class WithExtra extends Gappy {}
@Entity('gappy')
class WithColour extends Gappy {}

@Entity('kept')
class Kept {
  @PrimaryColumn('varchar') id: string;
}

class CreateGappy1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "gappy" ("id" varchar COLLATE "C" PRIMARY KEY, "owner" varchar NOT NULL,
      "name" varchar, "colourCode" varchar, "note" text, "rank" smallint, "size" int, "amount" bigint,
      "share" double precision, "active" boolean, "day" date, "extra" jsonb, "startTime" timestamptz(3),
      "deletedAt" timestamptz(3))`);
    await runner.query('CREATE TABLE "kept" ("id" varchar PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "gappy", "kept"');
  }
}

const MODEL = {
  entities: [Gappy, WithEverything, WithExtra, WithColour, Kept],
  migrations: [CreateGappy1700000000001],
};

/** In ascending order, with gaps, ties and the least values there are. */
const VALUES = {
  name: [null, null, 'Bay', 'bay', 'cove'],
  colourCode: [null, null, '', 'Z', 'a'],
  note: [null, '', ' ', 'a', 'a'],
  rank: [null, null, -32768, 0, 32767],
  size: [null, null, -2147483648, 0, 2147483647],
  amount: [null, null, -9007199254740991, 0, 9007199254740991],
  share: [null, -1e300, -0.5, 0.1, 0.1],
  active: [null, null, false, false, true],
  day: [null, null, '0001-01-01', '2026-01-01', '2026-01-02'],
  startTime: [null, null, '1970-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'],
  deletedAt: [null, null, null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
};
const ATTRIBUTES: [attribute: string, column: keyof typeof VALUES][] = [
  ['name', 'name'],
  ['colour_code', 'colourCode'],
  ['note', 'note'],
  ['rank', 'rank'],
  ['size', 'size'],
  ['amount', 'amount'],
  ['share', 'share'],
  ['active', 'active'],
  ['day', 'day'],
  ['start_time', 'startTime'],
  ['deleted', 'deletedAt'],
];

const nothing: Row<Gappy> = {
  id: '',
  owner: 'nobody',
  name: null,
  colourCode: null,
  note: null,
  rank: null,
  size: null,
  amount: null,
  share: null,
  active: null,
  day: null,
  extra: null,
  startTime: null,
  deletedAt: null,
};
let owners = 0;

onEveryStore(
  'a page',
  (open) => {
    const db = () => open().dataSource.manager;
    const stored = async (given: Partial<Row<Gappy>>[]) => {
      const owner = `owner${++owners}`;
      const made = given.map((each, n) => ({
        ...nothing,
        ...each,
        id: `${owner}_${String(n).padStart(3, '0')}`,
        owner,
      }));
      await write(db(), [insert(Gappy, made)]);
      return { owner, ids: made.map(({ id }) => id) };
    };
    const walk = async (owner: string, sort_by: string[], count: number) => {
      const seen: Row<Gappy>[] = [];
      for (let cursor: string | undefined, n = 0; n < 100; n++) {
        const query = { count, sort_by, cursor, with_deleted: true };
        const found = await page(rows(db(), Gappy).where('owner', owner), query);
        seen.push(...found.items);
        if (found.nextCursor === null) return seen;
        cursor = found.nextCursor;
      }
      throw new Error('a walk that does not end');
    };

    it.each(ATTRIBUTES)('walks by %s over rows with gaps, in both directions', async (attribute, column) => {
      const values: unknown[] = VALUES[column];
      // Neither in their order nor in its reverse, so that the order of creation alone would not do.
      const shuffled = [3, 0, 4, 2, 1, 2].map((n) => ({ [column]: values[n] }));
      const { owner, ids } = await stored(shuffled);
      const place = (row: Row<Gappy>) => values.indexOf(shuffled[ids.indexOf(row.id)][column]);
      for (const direction of ['asc', 'desc']) {
        for (const count of [1, 2, 5]) {
          const walked = await walk(owner, [`${attribute}-${direction}`], count);
          expect(walked.map(({ id }) => id).sort()).toEqual(ids);
          const places = walked.map(place).map((at) => (column === 'deletedAt' ? Number(at > 2) : at));
          const alike = (at: number) => (column === 'name' && at === 3 ? 2 : at);
          const sorted = places.map(alike).sort((a, b) => a - b);
          expect(places.map(alike)).toEqual(direction === 'asc' ? sorted : sorted.reverse());
        }
      }
    });

    it('walks by several attributes at once, whatever is missing', async () => {
      const { owner, ids } = await stored(
        [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({
          size: n % 3 === 0 ? null : n % 2,
          note: n % 2 ? null : 'x',
          active: null,
        })),
      );
      for (const sort_by of [
        ['size-asc', 'note-desc'],
        ['note-desc', 'size-desc'],
        ['active-asc', 'size-desc', 'note-asc'],
      ]) {
        expect((await walk(owner, sort_by, 3)).map(({ id }) => id).sort()).toEqual(ids);
        expect(await walk(owner, sort_by, 3)).toEqual(await walk(owner, sort_by, 100));
      }
    });

    it.each([
      ['start_time', 'soon'],
      ['start_time', 5],
      ['size', 'much'],
      ['size', 1e300],
      ['day', '2026-02-30'],
    ])('refuses a forged cursor after a %s of %p', async (name, value) => {
      const { owner, ids } = await stored([{}, {}]);
      const sort_by = [`${name}-asc`];
      const listed = () => rows(db(), WithEverything).where('owner', owner);
      const cursor = writeCursor([value, ids[0]], [sort_by, ...meaningOf(listed())]);
      const refused = await page(listed(), { count: 1, sort_by, cursor }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect((refused as ApiError).detail.parameter).toBe('cursor');
      const honest = writeCursor([null, ids[1]], [sort_by, ...meaningOf(listed())]);
      expect((await page(listed(), { count: 1, sort_by, cursor: honest })).items).toEqual([]);
    });

    it('goes on from a cursor wherever the filters mean the same, and nowhere else', async () => {
      const { owner, ids } = await stored(Array.from({ length: 6 }, () => ({})));
      const some = fc.shuffledSubarray(ids, { minLength: 2 });
      const spelling = fc.record(
        { with_deleted: fc.constant(false), sort_by: fc.constant(['created_at-desc']), count: fc.constantFrom(1, 200) },
        { requiredKeys: [] },
      );
      const listed = (wanted: string[], query: object) => {
        const narrowed = rows(db(), Gappy).where('owner', owner);
        narrowed.whereSql(`r."id" = ANY(${narrowed.bind(wanted)})`);
        return page(narrowed, { count: 1, ...query });
      };
      await fc.assert(
        fc.asyncProperty(some, fc.infiniteStream(fc.nat()), spelling, some, async (wanted, order, spelt, others) => {
          const { items, nextCursor } = await listed(wanted, {});
          const cursor = nextCursor!;
          const reordered = wanted
            .map((id) => ({ id, at: order.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ id }) => id);
          const next = await listed([...reordered, reordered[0]], {
            ...spelt,
            filter_that_asks_nothing: false,
            cursor,
          });
          const rest = [...wanted].sort().reverse().slice(1);
          expect(next.items.map(({ id }) => id)).toEqual(rest.slice(0, spelt.count === 200 ? undefined : 1));
          expect(items[0].id > next.items[0].id).toBe(true);

          fc.pre([...others].sort().join() !== [...wanted].sort().join());
          const refused = await listed(others, { cursor }).catch((error: unknown) => error);
          expect(refused).toBeInstanceOf(ApiError);
          expect((refused as ApiError).detail.parameter).toBe('cursor');
        }),
        { numRuns: 40 },
      );
    });

    it('is not asked of another entity than its query is for', async () => {
      const query = new (ListQuery(Gappy, { sortable: ['created_at'] }))();
      expect((await page(rows(db(), Gappy).where('owner', 'nobody'), query)).items).toEqual([]);
      // @ts-expect-error the query is one for the list of another entity
      expect((await page(rows(db(), Kept), query)).items).toEqual([]);
    });

    it('is refused when the application starts where it could not be sorted', () => {
      const check = () => checkSortable(open().dataSource);
      ListQuery(WithEverything, { sortable: ATTRIBUTES.map(([attribute]) => attribute as 'name') });
      expect(check).not.toThrow();
    });
  },
  MODEL,
);

onEveryStore(
  'what a list cannot be sorted by',
  (open) => {
    it('is told when the application starts, all at once', () => {
      ListQuery(WithExtra, { sortable: ['created_at', 'extra'] });
      ListQuery(Kept, { sortable: ['created_at', 'deleted'] });
      // @ts-expect-error there is no such column
      ListQuery(WithColour, { sortable: ['colour'] });
      expect(() => checkSortable(open().dataSource)).toThrow(
        'WithExtra.extra is nullable and of a type that cannot be sorted: jsonb; Kept has no column to sort by deleted; ' +
          'WithColour has no column to sort by colour',
      );
    });
  },
  MODEL,
);
