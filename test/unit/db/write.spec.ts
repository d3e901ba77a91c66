import { Counter } from '../../../src/common/db/counters/counter.entity.js';
import { changeCounters, countersOf, isLimitReached, limitCounter } from '../../../src/common/db/counters/counters.js';
import { allExist, exists } from '../../../src/common/db/query/preconditions.js';
import { rows } from '../../../src/common/db/query/rows.js';
import {
  softDeleteWhere,
  deletePermanently,
  insert,
  insertOrIgnore,
  insertOrUpdate,
  replace,
  write,
  type Precondition,
} from '../../../src/common/db/query/write.js';
import { sqlStateOf } from '../../../src/common/db/sqlstate.js';
import { Thing, ThingEvent, id, thing } from './model.js';
import { onEveryStore } from './stores.js';

const there = (thingId: string): Precondition =>
  exists(Thing, { id: thingId }, () => new Error(`${thingId} is not there`));

onEveryStore('write', (open) => {
  const db = () => open().dataSource.manager;
  const stored = async (note: string) => (await rows(db(), Thing).where('note', note).getMany()).length;
  const counted = async (ownerId: string) =>
    Object.fromEntries((await countersOf(db(), [ownerId])).map(({ kind, value }) => [kind, value]));
  const two = (ownerId: string, by = 1) =>
    changeCounters([
      { ownerId, kind: 'b', by, limit: 20 },
      { ownerId, kind: 'a', by, limit: 10 },
    ]);

  it('stores several tables at once, parent and child together', async () => {
    const note = id('note');
    const things = Array.from({ length: 40 }, () => thing({ note }));
    const events = things.map((each) => ({ id: id('e'), thingId: each.id }));
    await write(db(), [insert(Thing, things), insert(ThingEvent, events)]);
    expect(await stored(note)).toBe(40);
    expect(await db().countBy(ThingEvent, {})).toBeGreaterThanOrEqual(40);
  });

  it('stores nothing when one part fails', async () => {
    const note = id('note');
    const owner = id('owner');
    const writes = [
      insert(Thing, [thing({ note })]),
      insert(ThingEvent, [{ id: id('e'), thingId: 'nobody' }]),
      ...two(owner),
    ];
    const constraint = await write(db(), writes).catch((error: unknown) => sqlStateOf(error).constraint);
    expect(constraint).toBe('FK_thing');
    expect([await stored(note), await counted(owner)]).toEqual([0, {}]);
  });

  it('replaces whole rows by their key', async () => {
    const note = id('note');
    const things = [thing({ note }), thing({ note }), thing({ note })];
    await write(db(), [insert(Thing, things)]);
    const changed = things.slice(0, 2).map((each) => ({ ...each, amount: 5, tags: ['x'], rules: { a: 1 } }));
    await write(db(), [replace(Thing, changed), insert(ThingEvent, [{ id: id('e'), thingId: things[0].id }])]);
    const found = await rows(db(), Thing).where('note', note).orderBy('id').getMany();
    expect(found.map(({ amount, tags, rules: set }) => [amount, tags, set])).toEqual([
      [5, ['x'], { a: 1 }],
      [5, ['x'], { a: 1 }],
      [1_000_000, [], null],
    ]);
  });

  it('inserts, or changes only the columns named', async () => {
    const own = thing({ note: id('note'), size: 1 });
    await write(db(), [insertOrUpdate(Thing, [own], ['size'])]);
    await write(db(), [insertOrUpdate(Thing, [{ ...own, size: 2, note: 'other' }], ['size'])]);
    expect(await rows(db(), Thing).where('id', own.id).getOne()).toMatchObject({ size: 2, note: own.note });
  });

  it('inserts what is not there yet, by whichever unique index', async () => {
    const own = thing({ size: 1 });
    await write(db(), [insertOrIgnore(Thing, [own])]);
    const [sameId, sameName, another] = [{ ...own, size: 2 }, thing({ name: own.name }), thing()];
    await write(db(), [insertOrIgnore(Thing, [sameId, sameName, another])]);
    const found = await rows(db(), Thing).whereIn('id', [own.id, sameName.id, another.id]).orderBy('name').getMany();
    expect(found.map((each) => [each.id, each.size])).toEqual([
      [own.id, 1],
      [another.id, another.size],
    ]);
    expect(insertOrIgnore(Thing, []).empty).toBe(true);
  });

  it('has nothing to do with nothing, but looks at its preconditions', async () => {
    await write(db(), []);
    await write(db(), [insert(Thing, [])]);
    await expect(write(db(), [insert(Thing, [])], [there('nobody')])).rejects.toThrow('nobody is not there');
  });

  it('stores only when all preconditions hold, and throws the refusal of the first that does not', async () => {
    const note = id('note');
    const owner = id('owner');
    const [one, other] = [thing(), thing()];
    await write(db(), [insert(Thing, [one, other])]);
    const attempt = (preconditions: Precondition[]) =>
      write(db(), [insert(Thing, [thing({ note })]), ...two(owner)], preconditions);

    await attempt([there(one.id), there(other.id)]);
    await attempt([allExist(Thing, [other, one, one], () => new Error('no'))]);
    await expect(attempt([there(one.id), there('nobody'), there('nothing')])).rejects.toThrow('nobody is not there');
    const both = allExist(Thing, [one, { id: 'nobody' }], () => new Error('not both'));
    await expect(attempt([both, there(one.id)])).rejects.toThrow('not both');
    expect([await stored(note), await counted(owner)]).toEqual([2, { a: 2, b: 2 }]);

    const replaced = write(db(), [replace(Thing, [{ ...one, size: 9 }])], [there('nobody')]);
    await expect(replaced).rejects.toThrow('nobody');
    expect((await rows(db(), Thing).where('id', one.id).getOne())?.size).not.toBe(9);
  });

  it('takes a deleted parent for gone', async () => {
    const gone = thing({ deletedAt: '2026-11-21T00:00:00Z' });
    await write(db(), [insert(Thing, [gone])]);
    await expect(write(db(), [], [there(gone.id)])).rejects.toThrow('is not there');
  });

  it('raises any number of counters, or none', async () => {
    const owner = id('owner');
    const note = id('note');
    await write(db(), [insert(Thing, [thing({ note })]), ...two(owner, 10)]);
    const beyond = await write(db(), [insert(Thing, [thing({ note })]), ...two(owner)]).catch(
      (error: unknown) => error,
    );
    expect(isLimitReached(beyond)).toBe(true);
    expect([await stored(note), await counted(owner)]).toEqual([1, { a: 10, b: 10 }]);

    // lowering is always possible, also beside another that is raised
    await write(
      db(),
      changeCounters([
        { ownerId: owner, kind: 'a', by: -3, limit: 10 },
        { ownerId: owner, kind: 'b', by: 1, limit: 20 },
      ]),
    );
    expect(await counted(owner)).toEqual({ a: 7, b: 11 });
    await write(db(), [limitCounter({ ownerId: owner, kind: 'a', limit: 5 })]);
    await write(db(), changeCounters([{ ownerId: owner, kind: 'a', by: -1, limit: 10 }]));
    expect(
      isLimitReached(
        await write(db(), changeCounters([{ ownerId: owner, kind: 'a', by: 1, limit: 10 }])).catch((e: unknown) => e),
      ),
    ).toBe(true);
    expect(await counted(owner)).toEqual({ a: 6, b: 11 });
    // the first of its kind may already be too many
    const fresh = id('owner');
    expect(isLimitReached(await write(db(), two(fresh, 11)).catch((e: unknown) => e))).toBe(true);
    expect(await counted(fresh)).toEqual({});
  });

  it('takes back everything with its transaction', async () => {
    const note = id('note');
    const owner = id('owner');
    await expect(
      db().transaction(async (tx) => {
        await write(tx, [insert(Thing, [thing({ note })]), ...two(owner)]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect([await stored(note), await counted(owner)]).toEqual([0, {}]);
  });

  it('keeps a limit that a hundred try to pass at once, in whatever order they name their counters', async () => {
    const note = id('note');
    const owner = id('owner');
    const parent = thing();
    await write(db(), [insert(Thing, [parent])]);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const writes = [insert(Thing, [thing({ note })]), ...(n % 2 ? two(owner) : two(owner).reverse())];
        return write(db(), writes, [there(parent.id)]).then(
          () => 'stored',
          (error: unknown) => (isLimitReached(error) ? 'refused' : error),
        );
      }),
    );
    expect(outcomes.filter((each) => each === 'stored')).toHaveLength(10);
    expect(outcomes.filter((each) => each === 'refused')).toHaveLength(90);
    expect([await stored(note), await counted(owner)]).toEqual([10, { a: 10, b: 10 }]);
    expect(await rows(db(), Counter).where('ownerId', owner).getExists()).toBe(true);
  });

  it('marks deleted what goes with its parent', async () => {
    const [one, other] = [id('note'), id('note')];
    await write(db(), [insert(Thing, [thing({ note: one }), thing({ note: one }), thing({ note: other })])]);
    expect(softDeleteWhere(Thing, 'note', [], '').empty).toBe(true);
    const [{ deletedAt }] = await db().transaction(async (tx) => {
      await tx.query('ALTER TABLE things ADD COLUMN IF NOT EXISTS "updatedAt" timestamptz(3)');
      await write(tx, [softDeleteWhere(Thing, 'note', [one], '2026-11-21T00:00:00Z')]);
      return rows(tx, Thing).withDeleted().where('note', one).getMany();
    });
    expect(new Date(deletedAt!).toISOString()).toBe('2026-11-21T00:00:00.000Z');
    expect([await stored(one), await stored(other)]).toEqual([0, 1]);
  });

  it('removes rows by their keys, where it may', async () => {
    const note = id('note');
    const [one, other] = [thing({ note }), thing({ note })];
    await write(db(), [insert(Thing, [one, other])]);
    const refused = write(db(), [deletePermanently(Thing, [{ id: one.id }])], [there('nothing')]);
    await expect(refused).rejects.toThrow('nothing is not there');
    expect(await stored(note)).toBe(2);
    await write(db(), [deletePermanently(Thing, [{ id: one.id }, { id: 'nobody' }])]);
    expect((await rows(db(), Thing).where('note', note).getMany()).map((each) => each.id)).toEqual([other.id]);
    expect(deletePermanently(Thing, []).empty).toBe(true);
  });
});
