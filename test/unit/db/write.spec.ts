import { rows } from '../../../src/common/db/query/rows.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, replace, write, type Precondition } from '../../../src/common/db/query/write.js';
import { sqlStateOf } from '../../../src/common/db/query/sqlstate.js';
import { Room, Thing, ThingEvent, id, thing } from './model.js';
import { onEveryStore } from './stores.js';

const exists = (thingId: string): Precondition => ({
  sql: (bind) => `SELECT 1 FROM things WHERE id = ${bind(thingId)}`,
});

const room = (of: string, most: number, by = 1): Precondition => ({
  sql: (bind, when) =>
    `UPDATE room SET used = used + ${bind(by)} WHERE id = ${bind(of)} AND used + ${bind(by)} <= ${bind(most)} AND ${when} RETURNING 1`,
});

onEveryStore('store', (open) => {
  const db = () => open().dataSource.manager;
  const count = async (note: string) =>
    (await run<{ n: number }>(db(), rows(db(), Thing).is('note', note).statement('', 'count(*)::int8 AS n')))[0].n;
  const used = async (of: string) => (await run<Room>(db(), rows(db(), Room).is('id', of).statement()))[0].used;
  const newRoom = async (taken = 0) => {
    const own = id('room');
    await write(db(), [insert(Room, [{ id: own, used: taken }])]);
    return own;
  };

  it('stores several tables at once, parent and child together', async () => {
    const note = id('note');
    const things = Array.from({ length: 40 }, () => thing({ note }));
    const events = things.map((each) => ({ id: id('e'), thingId: each.id }));
    expect(await write(db(), [insert(Thing, things), insert(ThingEvent, events)])).toEqual([]);
    expect(await count(note)).toBe(40);
    expect(await db().countBy(ThingEvent, {})).toBeGreaterThanOrEqual(40);
  });

  it('stores nothing when one part fails', async () => {
    const note = id('note');
    const of = await newRoom();
    const own = thing({ note });
    const failed = write(
      db(),
      [insert(Thing, [own]), insert(ThingEvent, [{ id: id('e'), thingId: 'nobody' }])],
      [room(of, 5)],
    );
    await expect(
      failed.catch((error: unknown) => Promise.reject(new Error(sqlStateOf(error).constraint))),
    ).rejects.toThrow('FK_thing');
    expect([await count(note), await used(of)]).toEqual([0, 0]);
  });

  it('replaces whole rows by their key', async () => {
    const note = id('note');
    const things = [thing({ note }), thing({ note }), thing({ note })];
    await write(db(), [insert(Thing, things)]);
    const changed = things.slice(0, 2).map((each) => ({ ...each, amount: 5, tags: ['x'], rules: { a: 1 } }));
    await write(db(), [replace(Thing, changed), insert(ThingEvent, [{ id: id('e'), thingId: things[0].id }])]);
    const found = await run<Thing>(db(), rows(db(), Thing).is('note', note).statement(' ORDER BY r.id'));
    expect(found.map(({ amount, tags, rules: set }) => [amount, tags, set])).toEqual([
      [5, ['x'], { a: 1 }],
      [5, ['x'], { a: 1 }],
      [1_000_000, [], null],
    ]);
  });

  it('has nothing to do with nothing', async () => {
    expect(await write(db(), [])).toEqual([]);
    expect(await write(db(), [insert(Thing, [])])).toEqual([]);
    const of = await newRoom();
    expect(await write(db(), [insert(Thing, [])], [room(of, 1)])).toEqual([true]);
    expect(await used(of)).toBe(1);
  });

  it('says which guards held, and stores only when all did', async () => {
    const note = id('note');
    const parent = thing();
    await write(db(), [insert(Thing, [parent])]);
    const of = await newRoom();
    const attempt = (guards: Precondition[]) =>
      write(db(), [insert(Thing, [thing({ note }), thing({ note })])], guards);

    expect(await attempt([exists(parent.id), room(of, 4, 2)])).toEqual([true, true]);
    expect([await count(note), await used(of)]).toEqual([2, 2]);
    // the first does not hold: the counter stays where it is
    expect(await attempt([exists('nobody'), room(of, 4, 2)])).toEqual([false, false]);
    expect(await attempt([exists(parent.id), exists('nobody'), room(of, 4, 2)])).toEqual([true, false, false]);
    expect([await count(note), await used(of)]).toEqual([2, 2]);
    expect(await attempt([exists(parent.id), room(of, 3, 2)])).toEqual([true, false]);
    expect([await count(note), await used(of)]).toEqual([2, 2]);
    expect(await attempt([exists(parent.id), exists('nobody')])).toEqual([true, false]);
    expect(await count(note)).toBe(2);
  });

  it('guards replacements too', async () => {
    const own = thing({ amount: 1 });
    await write(db(), [insert(Thing, [own])]);
    expect(await write(db(), [replace(Thing, [{ ...own, amount: 2 }])], [exists('nobody')])).toEqual([false]);
    expect(await run(db(), rows(db(), Thing).is('id', own.id).statement('', 'r.amount'))).toEqual([{ amount: 1 }]);
  });

  it('refuses guards that could leave a counter raised', async () => {
    const of = await newRoom();
    const parts = [insert(Thing, [thing()])];
    await expect(write(db(), parts, [room(of, 1), exists('nobody')])).rejects.toThrow('Only the last guard may write');
    const careless: Precondition = { sql: () => 'UPDATE room SET used = used + 1 RETURNING 1' };
    await expect(write(db(), parts, [exists('nobody'), careless])).rejects.toThrow('only when the others hold');
  });

  it('takes back everything with its transaction', async () => {
    const note = id('note');
    const of = await newRoom();
    await expect(
      db().transaction(async (tx) => {
        expect(await write(tx, [insert(Thing, [thing({ note })])], [room(of, 5)])).toEqual([true]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect([await count(note), await used(of)]).toEqual([0, 0]);
  });

  it('keeps a limit that a hundred try to pass at once', async () => {
    const note = id('note');
    const parent = thing();
    await write(db(), [insert(Thing, [parent])]);
    const of = await newRoom();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => {
        const own = thing({ note });
        const parts = [insert(Thing, [own]), insert(ThingEvent, [{ id: id('e'), thingId: own.id }])];
        return write(db(), parts, [exists(parent.id), room(of, 20)]);
      }),
    );
    expect(outcomes.filter(([, held]) => held)).toHaveLength(20);
    expect(outcomes.every(([held]) => held)).toBe(true);
    expect([await count(note), await used(of)]).toEqual([20, 20]);
  });
});
