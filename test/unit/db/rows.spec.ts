import { EventEmitter, once } from 'node:events';
import { nextAfterStored, unlessSet } from '../../../src/common/db/query/computed.js';
import { rows, type Row, type Rows } from '../../../src/common/db/query/rows.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, replace, write } from '../../../src/common/db/query/write.js';
import { inPages } from '../../../src/common/list/in-pages.js';
import { storedTime, wireTime } from '../../../src/common/db/postgres/type-parsers.js';
import { Thing, ThingEvent, id, thing } from './model.js';
import { onEveryStore } from './stores.js';

onEveryStore('rows', (open) => {
  const db = () => open().dataSource.manager;
  const read = async (own: string) => {
    const things = rows(db(), Thing).where('id', own);
    things.withDeleted();
    return (await run<Thing>(db(), things.statement()))[0];
  };

  it('come back as they were stored', async () => {
    const full = thing({
      note: 'it\'s "quoted" \\ {braced}, naïve 🦊',
      amount: 9_007_199_254_740_991,
      limit: 0,
      active: false,
      tags: ['plain', 'with, comma', '"quoted"', 'NULL', 'null', '', '{x}', 'back\\slash', 'ü'],
      rules: { b: [1, 2.5, null, { deep: 'x' }], a: 'text' },
      snapshot: { z: 1, a: [true], text: 'NULL' },
      secret: Buffer.from([0, 1, 254, 255]),
      share: 0.1,
      deletedAt: '2026-11-21T00:00:00.000Z',
    });
    await write(db(), [insert(Thing, [full])]);
    expect(await read(full.id)).toEqual({
      ...full,
      createdAt: '2026-11-20 19:08:40.123+00',
      deletedAt: '2026-11-21 00:00:00+00',
    });

    const bare = thing();
    await write(db(), [insert(Thing, [bare])]);
    expect(await read(bare.id)).toEqual({ ...bare, createdAt: '2026-11-20 19:08:40.123+00' });
  });

  it.each([1, 2, 3, 5, 6])('come one after the other, each once, in pages of %d', async (size) => {
    const note = id('paged');
    const own = Array.from({ length: 5 }, () => thing({ note }));
    await write(db(), [insert(Thing, own)]);
    const read: string[] = [];
    for await (const each of inPages(open().dataSource, () => rows(db(), Thing).where('note', note), 'id', size))
      read.push(each.id);
    expect(read).toEqual(own.map((each) => each.id).sort());
  });

  it('can be stored again just as they were read', async () => {
    const first = thing({ tags: ['a', 'b'], rules: ['x'], snapshot: 'text', secret: Buffer.from('s') });
    await write(db(), [insert(Thing, [first])]);
    const before = await read(first.id);
    await write(db(), [replace(Thing, [before as never])]);
    expect(await read(first.id)).toEqual(before);
  });

  it.each<{ value: unknown }>([
    { value: ['a', 'b'] },
    { value: [['x', 1]] },
    { value: { a: null } },
    { value: 0 },
    { value: false },
    { value: '' },
  ])('keep $value in json and jsonb', async ({ value }) => {
    const own = thing({ rules: value, snapshot: value });
    await write(db(), [insert(Thing, [own])]);
    expect(await read(own.id)).toMatchObject({ rules: value, snapshot: value });
  });

  it('are hydrated by TypeORM with dates and numbers', async () => {
    const own = thing({ amount: 12, tags: ['a'] });
    await write(db(), [insert(Thing, [own])]);
    const entity = await db().findOneByOrFail(Thing, { id: own.id });
    expect(entity.createdAt).toBeInstanceOf(Date);
    expect(entity.createdAt.toISOString()).toBe('2026-11-20T19:08:40.123Z');
    expect(entity).toMatchObject({ amount: 12, tags: ['a'], deletedAt: null });
    await db().softRemove(entity);
    expect(await db().countBy(Thing, { id: own.id })).toBe(0);
    expect(wireTime((await read(own.id)).deletedAt as unknown as string)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('narrow by conditions, and by deletion unless told otherwise', async () => {
    const note = id('note');
    const things = [1, 2, 3].map((size) =>
      thing({ size, note, deletedAt: size === 3 ? '2026-11-21T00:00:00Z' : null }),
    );
    await write(db(), [insert(Thing, things)]);
    const noted = rows(db(), Thing).where('note', note);
    const ids = things.map((each) => each.id);

    expect(await run(db(), noted.statement('', 'count(*)::int8 AS n'))).toEqual([{ n: 2 }]);
    const large = noted.clone().whereAny(
      (sizes) => sizes.whereMoreThan('size', 1),
      (sizes) => sizes.where('size', -1),
    );
    expect((await large.getMany()).map((each) => each.id)).toEqual([ids[1]]);
    expect(await large.withDeleted().getMany()).toHaveLength(2);
    expect(await run(db(), noted.statement('', 'count(*)::int8 AS n'))).toEqual([{ n: 2 }]);
    expect(
      await run(db(), rows(db(), Thing).where('note', note).where('limit', null).statement('', 'r.id')),
    ).toHaveLength(2);
    expect(await rows(db(), Thing).whereIn('id', ids).getMany()).toHaveLength(2);
    expect(await rows(db(), Thing).whereIn('id', ids).whereIn('name', undefined).getMany()).toHaveLength(2);
  });

  it('are compared in every way that columns can be', async () => {
    const note = id('note');
    const [small, middle, large] = ['Alpha', 'alphabet', 'Beta'].map((name, i) =>
      thing({ note, name: `${name} ${note}`, size: i, limit: i === 0 ? null : i }),
    );
    await write(db(), [insert(Thing, [small, middle, large]), insert(ThingEvent, [{ id: note, thingId: large.id }])]);
    const found = async (narrow: (things: Rows<Thing>) => Rows<Thing>) =>
      (await narrow(rows(db(), Thing).where('note', note)).orderBy('size').getMany()).map((each) => each.size);

    expect(await found((things) => things.whereDistinctFrom('limit', null))).toEqual([1, 2]);
    expect(await found((things) => things.whereDistinctFrom('limit', 2))).toEqual([0, 1]);
    expect(await found((things) => things.whereInRange('size', 0, 2))).toEqual([0, 1]);
    expect(await found((things) => things.whereLessThan('size', 1))).toEqual([0]);
    expect(await found((things) => things.whereStartsWith('name', 'ALPHA'))).toEqual([0, 1]);
    expect(await found((things) => things.whereStartsWith('name', 'alpha%'))).toEqual([]);
    expect(await found((things) => things.whereEqualsIgnoreCase('name', `BETA ${note}`))).toEqual([2]);
    const named = rows(db(), ThingEvent).where('id', note);
    expect(await found((things) => things.whereInSubquery('id', named, 'thingId').whereMoreThan('size', 0))).toEqual([
      2,
    ]);
    expect(await found((things) => things.whereMoreThan('size', 0).whereInSubquery('id', named, 'thingId'))).toEqual([
      2,
    ]);
    expect(
      await found((things) => things.whereInSmallSubquery('id', named, 'thingId').whereMoreThan('size', 0)),
    ).toEqual([2]);
    expect(
      await found((things) => things.whereInSmallSubquery('id', named.clone().where('id', 'none'), 'thingId')),
    ).toEqual([]);
    expect(await found((things) => things.whereInIgnoreCase('name', [`BETA ${note}`, `alphabet ${note}`]))).toEqual([
      1, 2,
    ]);
    await rows(db(), Thing).where('id', middle.id).update({ active: false });
    expect(await found((things) => things.whereTrue('active'))).toEqual([0, 2]);
    expect(await found((things) => things.whereTrue('active', false))).toEqual([1]);
  });

  it('are compared with words of ours in the text, as partial indexes name them, and with nothing else', () => {
    const { text, values } = rows(db(), Thing).whereNot('name', 'DRAFT').statement();
    expect([text, values]).toEqual([expect.stringContaining(`r."name" <> 'DRAFT'`), []]);
    expect(() => rows(db(), Thing).whereNot('name', `x' OR true --`)).toThrow('not a constant in capital letters');
    expect(rows(db(), Thing).whereLiteral('name', 'DRAFT').statement()).toEqual({
      text: expect.stringContaining(`r."name" = 'DRAFT'`),
      values: [],
    });
    expect(() => rows(db(), Thing).whereLiteral('name', `x' OR true --`)).toThrow('not a constant in capital letters');
    const plain = rows(db(), Thing).whereTrue('active').whereTrue('active', false).statement();
    expect(plain.text).toContain(`(r."active") AND (NOT r."active")`);
  });

  it('end in a verb', async () => {
    const note = id('note');
    const things = [3, 1, 2].map((size) => thing({ note, size }));
    await write(db(), [insert(Thing, things)]);
    const noted = () => rows(db(), Thing).where('note', note);
    const sizes = (found: Row<Thing>[]) => found.map(({ size }) => size);

    expect(sizes(await noted().orderBy('size').getMany())).toEqual([1, 2, 3]);
    expect(sizes(await noted().orderBy('size', 'DESC').limit(2).getMany())).toEqual([3, 2]);
    expect((await noted().orderBy('size').getOne())?.size).toBe(1);
    expect(await noted().where('size', 9).getOne()).toBeUndefined();
    expect([await noted().getExists(), await noted().where('size', 9).getExists()]).toEqual([true, false]);
    await db().transaction(async (tx) => {
      const locked = await rows(tx, Thing).where('note', note).setLock('pessimistic_write').getMany();
      expect(locked.map((each) => each.id)).toEqual(things.map((each) => each.id).sort());
    });
    expect(
      sizes(
        await noted()
          .where('size', 3)
          .update({ size: 4, tags: ['x'] }),
      ),
    ).toEqual([4]);
    expect(await noted().whereMoreThan('size', 1).delete()).toBe(2);
    expect(await noted().getMany()).toHaveLength(1);
  });

  it('are set to what depends on what is stored', async () => {
    const [bare, full] = [thing(), thing({ note: 'kept', createdAt: '2026-11-20T19:08:40.500Z' })];
    await write(db(), [insert(Thing, [bare, full])]);
    const both = rows(db(), Thing).whereIn('id', [bare.id, full.id]);
    const at = '2026-11-20T19:08:40.300Z';
    const changes = { note: unlessSet('new'), createdAt: nextAfterStored(at), size: undefined, limit: 8 };
    // the same rows can be changed again
    for (const times of [
      ['40.300', '40.501'],
      ['40.301', '40.502'],
    ]) {
      const changed = (await both.update(changes)).sort((one, other) => (one.note! > other.note! ? -1 : 1));
      expect(changed.map(({ note, size, limit }) => [note, size, limit])).toEqual([
        ['new', bare.size, 8],
        ['kept', full.size, 8],
      ]);
      expect(changed.map(({ createdAt }) => new Date(createdAt).toISOString())).toEqual(
        times.map((time) => `2026-11-20T19:08:${time}Z`),
      );
    }
  });

  it('are deleted in parts, without those that are locked', async () => {
    const note = id('note');
    const things = Array.from({ length: 7 }, (_, size) => thing({ note, size }));
    await write(db(), [insert(Thing, [...things, thing({ note: 'other' })])]);
    const noted = rows(db(), Thing).where('note', note);
    const others = await rows(db(), Thing).whereDistinctFrom('note', note).getMany();

    expect(await noted.deleteSome(3)).toBe(3);
    const left = await noted.getMany();
    expect(left).toHaveLength(4);
    // the embedded store has one connection: nobody else can hold a lock there
    if (!open().embedded) {
      const holder = new EventEmitter();
      const holding = db().transaction(async (tx) => {
        await rows(tx, Thing).where('id', left[0].id).setLock('for_no_key_update').getMany();
        holder.emit('locked');
        await once(holder, 'released');
      });
      await once(holder, 'locked');
      const free = await db().transaction((tx) =>
        rows(tx, Thing).where('note', note).setLock('for_no_key_update').setOnLocked('skip_locked').getMany(),
      );
      expect(free.map(({ id }) => id)).not.toContain(left[0].id);
      expect(free).toHaveLength(3);
      expect(await noted.deleteSome(9)).toBe(3);
      holder.emit('released');
      await holding;
    }
    expect(await noted.deleteSome(9)).toBe(open().embedded ? 4 : 1);
    expect(await noted.deleteSome(9)).toBe(0);
    expect(await rows(db(), Thing).whereDistinctFrom('note', note).getMany()).toHaveLength(others.length);
  });

  it('make statements that later conditions do not change', () => {
    const things = rows(db(), Thing).where('id', 'a');
    const before = things.statement();
    things.where('name', 'b');
    expect(before.values).toEqual(['a']);
    expect(things.statement().values).toEqual(['a', 'b']);
    expect(before.text).not.toContain('$2');
  });
});

it('turns times of the store and of ours into those of the wire', () => {
  expect(wireTime('2026-11-20 19:08:40.123+00')).toBe('2026-11-20T19:08:40Z');
  expect(wireTime('2026-11-20T19:08:40.999Z')).toBe('2026-11-20T19:08:40Z');
  expect(wireTime(null)).toBeNull();
  expect(storedTime(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  expect(storedTime(null)).toBeNull();
});
