import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../src/accounts/access/acting-account.js';
import { schemaOf } from '../../src/common/http/answers/responses.js';
import type { AdsEnvironment } from '../../src/common/http/urls/public-urls.js';
import { anonymously, type Answer, type Api, type Json, type Params } from './api.js';
import { world } from './app.js';
import { given, type Advertiser } from './given.js';
import { faultsOf, ordering, type Known, type Value } from './list-order.js';

interface Identified {
  id: string;
}

/** What a list endpoint is like; what it lacks is said here, where a reader looks for it. */
export interface ListEndpoint {
  /** With the ids of its account and parent; an endpoint that belongs to the caller alone ignores both and says `ofCaller`. */
  path(account: Identified, parent: Identified): string;
  /**
   * What items hang on beside the account, such as the audience of permissions; `param` is its name in the path. Where
   * every account sees the same, it is what keeps the items of a test apart: a filter in `required`. `nobodys` is one that
   * has no items, where no id that nobody has will do.
   */
  parent?: { make(account: ActingAccount): Promise<Identified>; param?: string; nobodys?: string };
  /**
   * Makes the nth item of a list, n from 0 to 8, and says by which id it is found. Items of different n differ in all
   * they can be sorted by but `updated_at`, which the suite sets: some are alike, some are null where that is allowed,
   * and no attribute gives the order of another or of creation. The suite refuses to begin otherwise.
   */
  make(account: ActingAccount, n: number, parent: Identified): Promise<Identified>;
  /** Makes many at once, where that is cheaper. */
  makeMany?(account: ActingAccount, count: number, parent: Identified): Promise<unknown>;
  /** Makes an item deleted; 'never' where nothing can. */
  remove: ((advertiser: Advertiser, id: string, parent: Identified) => Promise<unknown>) | 'never';
  view: Type;
  /** The table of the items; needed by what can be sorted by `updated_at`. */
  entity?: Type;
  /** The parameter that finds items by their ids; null where there is none. */
  idsFilter: string | null;
  /** Ids of the kind of this list that nobody has; `base36Ids` unless given. */
  unknownIds?: (i: number) => string;
  /** By what clients know an item; its `id` unless given. */
  idOf?: (item: Json) => string;
  /** The column that holds what `idOf` answers; `id` unless given. */
  idColumn?: string;
  /** Parameters of lists that this one does not take; it ignores them. */
  lacks?: readonly ('sort_by' | 'with_deleted' | 'with_total_count')[];
  /** Every answer has a `total_count`. */
  alwaysCounts?: boolean;
  countDefault?: number;
  countMax?: number;
  sortable?: readonly string[];
  /** What the nth item has in attributes that can be sorted by and are not shown. */
  hidden?: Record<string, (n: number) => Value>;
  /** The order when none is asked; newest first unless given. */
  inOrder?: (a: Json, b: Json) => number;
  /** Attributes that may be the empty text, as in `description` or `parts.text`; elsewhere it is how null is written by mistake. */
  mayBeEmpty?: readonly string[];
  /** Finds items by the beginning of their name. */
  q?: boolean;
  /** How long `q` may be; 255 unless given. */
  qMax?: number;
  /** Parameters without which the endpoint does not answer. */
  required?: (parent: Identified) => Params;
  environment?: AdsEnvironment;
  ofCaller?: boolean;
  /** How many items a new account, or parent, has of its own accord. */
  already?: number;
}

/** Ids of ads entities that nobody has. */
export const base36Ids = (i: number): string => (36n ** 13n - 1n - BigInt(i)).toString(36);
/** Ids of users, posts, cards and media that nobody has. */
export const decimalIds = (i: number): string => String(Number.MAX_SAFE_INTEGER - i);

/** Items that are made, of which those at DELETED are deleted: LIVE ones remain. */
const LIVE = 7;
const DELETED = [1, 4];
/** Seconds after which items were changed last: in another order than that of creation, some alike. */
export const CHANGED = [5, 2, 8, 2, 0, 7, 2, 9, 4];

interface Place extends Advertiser {
  parent: Identified;
}

/** The tests that every list endpoint has to pass. */
export function listConventions(endpoint: ListEndpoint): void {
  const { path, make, remove, view, idsFilter, lacks = [], q = false, ofCaller = false, already = 0 } = endpoint;
  const { countDefault = 200, countMax = 1000, unknownIds = base36Ids, idOf = (item: Json) => item.id } = endpoint;
  const { alwaysCounts = false } = endpoint;
  const { mayBeEmpty = [], hidden = {}, environment = 'production', qMax = 255 } = endpoint;
  const takes = (parameter: 'sort_by' | 'with_deleted' | 'with_total_count') => !lacks.includes(parameter);
  const sortable = takes('sort_by') ? (endpoint.sortable ?? ['created_at', 'updated_at', 'deleted']) : [];
  const idsOf = (items: Json[]): string[] => items.map((item) => idOf(item));

  const place = async (): Promise<Place> => {
    const advertiser = await given.advertiser({ environment });
    const parent = (await endpoint.parent?.make(advertiser.account)) ?? { id: '' };
    return { ...advertiser, parent };
  };
  const list = (at: { account: Identified; api: Api; parent: Identified }, query: Params = {}) =>
    at.api.get(path(at.account, at.parent), { query: { ...endpoint.required?.(at.parent), ...query } });
  const makeMany =
    endpoint.makeMany ??
    (async (account: ActingAccount, count: number, parent: Identified) => {
      for (let n = 0; n < count; n++) await make(account, n % CHANGED.length, parent);
    });
  const refused = (answer: Answer, parameter: string, code = 'INVALID_PARAMETER') =>
    expect({ status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({
      status: 400,
      error: { code, parameter },
    });

  /** Follows the cursor to the end. */
  async function walk(at: Place, query: Params): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await list(at, { ...query, cursor });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      expect(body.data.length).toBeLessThanOrEqual(Number(query.count));
      if (body.next_cursor !== null) expect(body.data).toHaveLength(Number(query.count));
      items.push(...body.data);
      cursor = body.next_cursor ?? undefined;
    } while (cursor !== undefined && items.length < 100);
    return items;
  }

  describe('as a list', () => {
    let several: Place;
    /** The ids of what is not deleted, as the list answers them. */
    let all: string[];
    /** Everything in the order of its creation, deleted ones included where the list can show them. */
    let known: Known[];
    /** Parameters with which the list shows all that is known. */
    const everything: Params = remove !== 'never' && takes('with_deleted') ? { with_deleted: true } : {};

    beforeAll(async () => {
      several = await place();
      const made: string[] = [];
      const count = LIVE - already + (remove === 'never' ? 0 : DELETED.length);
      for (let n = 0; n < count; n++) made.push((await make(several.account, n, several.parent)).id);
      if (remove !== 'never') for (const n of DELETED) await remove(several, made[n], several.parent);

      const ownFirst = (items: Json[]) => {
        const own = idsOf(items).filter((id) => !made.includes(id));
        return [...own.reverse(), ...made.filter((id) => idsOf(items).includes(id))];
      };
      if (sortable.includes('updated_at')) await change(ownFirst((await list(several, everything)).body.data));
      all = idsOf((await list(several)).body.data);
      const { data } = (await list(several, everything)).body as { data: Json[] };
      known = ownFirst(data).map((id, at) => ({
        id,
        values: Object.fromEntries(
          sortable.map((attribute) => {
            const item = data.find((each) => idOf(each) === id)!;
            return [attribute, attribute === 'created_at' ? at : valueOf(item, attribute, made.indexOf(id))];
          }),
        ),
      }));
      const faults = faultsOf(known, sortable, nullable());
      if (faults.length > 0) throw new Error(`make() does not vary what it has to:\n${faults.join('\n')}`);
    }, 30_000);

    /** As if these had been changed one after another, and some at the same moment. */
    async function change(ids: string[]): Promise<void> {
      if (!endpoint.entity) throw new Error('A list that can be sorted by updated_at has to name its entity.');
      const start = Math.ceil(world().clock.now().getTime() / 1000);
      const times = ids.map((_, i) => new Date((start + CHANGED[i]) * 1000).toISOString());
      await world().sql(
        `UPDATE ${world().get(DataSource).getMetadata(endpoint.entity).tablePath} r SET "updatedAt" = c.at
          FROM unnest($1::text[], $2::timestamptz[]) AS c (id, at) WHERE r."${endpoint.idColumn ?? 'id'}" = c.id`,
        ids,
        times,
      );
    }

    function valueOf(item: Json, attribute: string, n: number): Value {
      if (attribute in item) return attribute === 'name' && item.name !== null ? lower(item.name) : item[attribute];
      if (!(attribute in hidden)) throw new Error(`${attribute} is not shown: say in hidden what the nth item has.`);
      if (n < 0) throw new Error(`What an item has in ${attribute} that was not made is not known.`);
      return hidden[attribute](n);
    }

    /** Those of the attributes that can be null in the table. */
    function nullable(): string[] {
      if (!endpoint.entity) return [];
      const { columns } = world().get(DataSource).getMetadata(endpoint.entity);
      const names = columns.filter((column) => column.isNullable).map((column) => snake(column.propertyName));
      return sortable.filter((attribute) => names.includes(attribute));
    }

    it('answers request, next_cursor and data, and total_count only when asked', async () => {
      const plain = await list(several);
      expect(plain.status).toBe(200);
      const always = alwaysCounts ? ['total_count'] : [];
      expect(Object.keys(plain.body).sort()).toEqual(['data', 'next_cursor', 'request', ...always]);
      expect(plain.body.next_cursor).toBeNull();
      const counted = await list(several, { with_total_count: true });
      expect(Object.keys(counted.body).sort()).toEqual([
        'data',
        'next_cursor',
        'request',
        ...(takes('with_total_count') ? ['total_count'] : []),
      ]);
    });

    it('echoes the path and what was sent as it was understood, and nothing else', async () => {
      const sent = {
        count: ['3', 3],
        ...(takes('with_deleted') && { with_deleted: ['TRUE', true] }),
        ...(sortable.length > 0 && { sort_by: [`${sortable[0]}-asc`, [`${sortable[0]}-asc`]] }),
        ...(idsFilter !== null && { [idsFilter]: [`${all[0]},${all[1]}`, [all[0], all[1]]] }),
      };
      const query = Object.fromEntries(Object.entries(sent).map(([name, [text]]) => [name, text as string]));
      const echoed = Object.fromEntries(Object.entries(sent).map(([name, [, value]]) => [name, value]));
      const { body } = await list(several, {
        ...query,
        unheard_of: 'x',
        ...Object.fromEntries(lacks.map((parameter) => [parameter, 'x'])),
      });
      expect(body.request.params).toEqual({
        ...(ofCaller ? {} : { account_id: several.account.id }),
        ...(endpoint.parent?.param && { [endpoint.parent.param]: several.parent.id }),
        ...endpoint.required?.(several.parent),
        ...echoed,
      });
    });

    it('ignores an unknown parameter, and those that it does not take', async () => {
      for (const parameter of ['unheard_of', ...lacks]) {
        const { status, body } = await list(several, { [parameter]: 'x' });
        expect({ parameter, status, ids: idsOf(body.data ?? []) }).toEqual({ parameter, status: 200, ids: all });
      }
    });

    it(endpoint.inOrder ? 'keeps its order' : 'shows the newest first', async () => {
      expect(all).toHaveLength(LIVE);
      const { data } = (await list(several)).body as { data: Json[] };
      const { inOrder } = endpoint;
      if (inOrder) expect(all).toEqual(idsOf([...data].sort(inOrder)));
      else
        expect(all).toEqual(
          idsIn(known)
            .filter((id) => all.includes(id))
            .reverse(),
        );
    });

    it('answers items exactly as the View declares them', async () => {
      const { body } = await list(several, everything);
      expect(body.data).toHaveLength(known.length);
      for (const item of body.data) expect(unlike(view, item, mayBeEmpty)).toEqual([]);
    });

    it(`takes a count from 1 to ${countMax}`, async () => {
      for (const count of ['0', '-1', `${countMax + 1}`, 'many', '1.5', '', '9'.repeat(30)]) {
        refused(await list(several, { count }), 'count');
      }
      expect((await list(several, { count: 1 })).body.data).toHaveLength(1);
      expect((await list(several, { count: countMax })).body.data).toHaveLength(LIVE);
    });

    it(`has ${countDefault} on a page where no count is asked`, async () => {
      const many = await place();
      await makeMany(many.account, countDefault + 1 - already, many.parent);
      const first = await list(many);
      expect(first.body.data).toHaveLength(countDefault);
      const second = await list(many, { cursor: first.body.next_cursor });
      expect(second.body.data).toHaveLength(1);
      expect(second.body.next_cursor).toBeNull();
    }, 60_000);

    it('shows every row exactly once to whoever follows the cursor', async () => {
      for (const count of [1, 2, 6, 7]) {
        expect(idsOf(await walk(several, { count }))).toEqual(all);
      }
    });

    if (sortable.length > 0) {
      it.each(sortable)('walks by %s in both directions, ties and missing values included', async (attribute) => {
        for (const direction of ['asc', 'desc'] as const) {
          const sort_by = `${attribute}-${direction}`;
          const items = await walk(several, { ...everything, count: 2, sort_by });
          expect(idsOf(items)).toEqual(ordering(known, [sort_by]));
          expect(items).toEqual((await list(several, { ...everything, sort_by })).body.data);
        }
      });

      it('walks by several attributes in mixed directions', async () => {
        for (const [i, first] of sortable.entries()) {
          const [second, third] = [1, 2].map((more) => sortable[(i + more) % sortable.length]);
          for (const sort_by of [
            [`${first}-asc`, `${second}-desc`],
            [`${first}-desc`, `${second}-asc`, `${third}-asc`],
          ]) {
            const items = await walk(several, { ...everything, count: 2, sort_by: sort_by.join(',') });
            expect({ sort_by, ids: idsOf(items) }).toEqual({ sort_by, ids: ordering(known, sort_by) });
          }
        }
      });

      it('refuses to sort by anything else', async () => {
        const [one] = sortable;
        const others = ['id-asc', one, `${one}-up`, `${one}-ASC`, 'account_id-asc', `${one}-asc,`, "name'-asc", ''];
        for (const sort_by of others) refused(await list(several, { sort_by }), 'sort_by');
      });
    }

    it('takes a cursor only for the same account, sort and filters', async () => {
      const query: Params = sortable.length > 0 ? { sort_by: `${sortable.at(-1)}-desc` } : {};
      const { cursor } = { cursor: (await list(several, { ...query, count: 2 })).body.next_cursor as string };
      for (const count of [2, 5]) expect((await list(several, { ...query, count, cursor })).status).toBe(200);
      const others: Params[] = [
        ...(sortable.length > 0 ? [{ sort_by: `${sortable.at(-1)}-asc` }, { sort_by: undefined }] : []),
        ...(sortable.length > 1 ? [{ sort_by: `${sortable[0]}-desc` }] : []),
        ...(takes('with_deleted') ? [{ with_deleted: true }] : []),
        ...(idsFilter !== null ? [{ [idsFilter]: all[0] }] : []),
        ...(q ? [{ q: 'x' }] : []),
      ];
      for (const other of others) refused(await list(several, { ...query, ...other, cursor }), 'cursor');
      refused(await list(await place(), { ...query, cursor }), 'cursor');
    });

    it('takes no cursor of which a character was changed', async () => {
      const { body } = await list(several, { count: 2 });
      const cursor: string = body.next_cursor;
      for (let at = 0; at < cursor.length; at++) {
        const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
        refused(await list(several, { cursor: changed }), 'cursor');
      }
      for (const broken of ['x', cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, '%00', 'c-1']) {
        refused(await list(several, { cursor: broken }), 'cursor');
      }
      const first = await list(several, { count: 2, cursor: '' });
      expect(first.body.data).toEqual(body.data);
    });

    if (takes('with_total_count')) {
      it('counts all that the filters leave', async () => {
        expect((await list(several, { with_total_count: true, count: 2 })).body.total_count).toBe(LIVE);
        expect((await list(several, { ...everything, with_total_count: true })).body.total_count).toBe(known.length);
        if (idsFilter !== null)
          expect((await list(several, { with_total_count: true, [idsFilter]: all[3] })).body.total_count).toBe(1);
        const uncounted = await list(several, { with_total_count: false });
        expect([uncounted.status, 'total_count' in uncounted.body]).toEqual([200, alwaysCounts]);
      });

      it('does not count together with a cursor', async () => {
        const { body } = await list(several, { count: 2 });
        const both = await list(several, { cursor: body.next_cursor, with_total_count: true });
        expect(both.status).toBe(400);
        expect(both.body.errors[0]).toMatchObject({
          code: 'EXCLUSIVE_PARAMETERS',
          message: expect.stringContaining('are exclusive parameters'),
        });
      });
    }

    if (idsFilter !== null) {
      it(`finds by ${idsFilter}, with commas or as a repeated key`, async () => {
        const wanted = [all[1], all[4]];
        const commas = await list(several, { [idsFilter]: wanted.join(',') });
        expect(idsOf(commas.body.data)).toEqual(wanted);
        expect((await list(several, { [idsFilter]: wanted })).body).toEqual(commas.body);
        expect((await list(several, { [idsFilter]: [`${all[1]},${all[1]}`, all[4]] })).body).toEqual(commas.body);
        expect((await list(several, { [idsFilter]: unknownIds(0) })).body.data).toEqual([]);
      });

      it(`takes up to 200 of ${idsFilter}, none of them empty`, async () => {
        const ids = [...Array.from({ length: 199 }, (_, i) => unknownIds(i)), all[2]];
        expect(idsOf((await list(several, { [idsFilter]: ids.join(',') })).body.data)).toEqual([all[2]]);
        refused(await list(several, { [idsFilter]: [...ids, unknownIds(200)].join(',') }), idsFilter);
        refused(await list(several, { [idsFilter]: [...ids, unknownIds(200)] }), idsFilter);
        const malformed = ['', `${all[0]},`, `,${all[0]}`, `${all[0]},,${all[1]}`, 'No-Id!'];
        if (unknownIds === decimalIds) malformed.push('1a', '-1', '1.5');
        for (const bad of malformed) refused(await list(several, { [idsFilter]: bad }), idsFilter);
      });
    }

    if (remove !== 'never') {
      it('hides what was deleted, unless with_deleted says otherwise', async () => {
        const own = await place();
        const kept = await make(own.account, 0, own.parent);
        const gone = await make(own.account, 1, own.parent);
        await remove(own, gone.id, own.parent);
        const ids = async (query: Params = {}) => idsOf((await list(own, query)).body.data);
        expect(await ids()).toContain(kept.id);
        expect(await ids()).not.toContain(gone.id);
        const both = { with_deleted: 't' };
        if (!takes('with_deleted')) return expect(await ids(both)).not.toContain(gone.id);
        expect(await ids(both)).toEqual(expect.arrayContaining([kept.id, gone.id]));
        expect(await ids({ with_deleted: false })).not.toContain(gone.id);
        if (idsFilter !== null) {
          expect(await ids({ [idsFilter]: gone.id })).toEqual([]);
          expect((await ids({ ...both, [idsFilter]: `${kept.id},${gone.id}` })).sort()).toEqual(
            [kept.id, gone.id].sort(),
          );
        }
        const { data } = (await list(own, both)).body as { data: Json[] };
        const shown = data.filter((item) => 'deleted' in item);
        expect(shown.filter(({ deleted }) => deleted).map(idOf)).toEqual(shown.length > 0 ? [gone.id] : []);
        if (takes('with_total_count')) {
          expect((await list(own, { ...both, with_total_count: true })).body.total_count).toBe(2 + already);
          expect((await list(own, { with_total_count: true })).body.total_count).toBe(1 + already);
        }
        expect(idsOf(await walk(own, { ...both, count: 1 }))).toEqual(idsOf(data));
      });
    }

    if (q) {
      it('finds by the beginning of the name, without case, in the order of names', async () => {
        const { data } = (await list(several)).body as { data: Json[] };
        const byName = ordering(
          known.filter(({ id }) => all.includes(id)),
          ['name-asc'],
        );
        const found = (prefix: string) => {
          const ids = idsOf(data.filter((item) => lower(item.name).startsWith(lower(prefix))));
          return byName.filter((id) => ids.includes(id));
        };
        const names = data.map(({ name }) => String(name));
        const shared = names.map((name) => name.slice(0, 2)).find((each) => found(each).length > 1);
        if (!shared) throw new Error('make() gives no two names that begin alike.');
        expect(found(shared).length).toBeLessThan(LIVE);
        for (const prefix of [shared, shared.toUpperCase(), names[0], names[0].toLowerCase(), names[0].slice(1)]) {
          expect({ prefix, ids: idsOf((await list(several, { q: prefix })).body.data) }).toEqual({
            prefix,
            ids: found(prefix),
          });
        }
        for (const nothing of ['%', '_', '\\', `${names[0]}\u00a0`]) {
          expect((await list(several, { q: nothing })).body.data).toEqual([]);
        }
        expect(idsOf(await walk(several, { q: shared, count: 1 }))).toEqual(found(shared));
        refused(await list(several, { q: '' }), 'q');
        refused(await list(several, { q: 'x'.repeat(qMax + 1) }), 'q');
        expect((await list(several, { q: 'x'.repeat(qMax) })).status).toBe(200);
      });
    }

    it('shows nothing of other accounts', async () => {
      const other = await place();
      const theirs = await make(other.account, 0, other.parent);
      expect(idsOf((await list(other)).body.data)).toContain(theirs.id);
      expect(idsOf((await list(several)).body.data)).toEqual(all);
      if (idsFilter !== null) expect((await list(several, { [idsFilter]: theirs.id })).body.data).toEqual([]);
    });

    if (endpoint.parent) {
      const { parent } = endpoint;

      it('shows nothing of another parent, nor of one in another account', async () => {
        const sibling = { ...several, parent: await parent.make(several.account) };
        expect((await list(sibling)).body.data).toHaveLength(already);
        const theirs = await make(several.account, 0, sibling.parent);
        expect((await list(sibling)).body.data).toHaveLength(already + 1);
        expect(idsOf((await list(several)).body.data)).toEqual(all);
        if (idsFilter !== null) expect((await list(several, { [idsFilter]: theirs.id })).body.data).toEqual([]);

        const stranger = await place();
        for (const id of [stranger.parent.id, parent.nobodys ?? base36Ids(0)]) {
          const { status, body } = await list({ ...several, parent: { id } });
          const error = { code: 'NOT_FOUND', parameter: parent.param };
          if (parent.param) expect({ status, body }).toMatchObject({ status: 404, body: { errors: [error] } });
          else expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
        }
      });
    }

    if (!ofCaller) {
      it("answers another user's account like one that does not exist", async () => {
        const stranger = await given.advertiser({ environment });
        for (const id of [several.account.id, base36Ids(0)]) {
          const { status, body } = await list({ api: stranger.api, account: { id }, parent: several.parent });
          expect({ status, body }).toMatchObject({
            status: 404,
            body: {
              errors: [{ code: 'NOT_FOUND', parameter: 'account_id', message: `Account ${id} was not found` }],
            },
          });
          expect(body.request).toEqual({ params: {} });
        }
      });
    }

    it('refuses whoever does not sign, or signs with a token that was revoked', async () => {
      const target = `${environment === 'sandbox' ? '/sandbox' : ''}${path(several.account, several.parent)}`;
      const nobody = await anonymously('GET', target);
      expect(nobody).toMatchObject({ status: 401, body: { errors: [{ code: 'UNAUTHORIZED_ACCESS' }] } });
      const gone = await place();
      expect((await list(gone)).status).toBe(200);
      await given.revokedToken(gone);
      expect(await list(gone)).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
    });
  });
}

const idsIn = (items: Identified[]) => items.map(({ id }) => id);
const lower = (text: string) => text.toLowerCase();
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface Schema {
  type: string;
  nullable?: boolean;
  optional?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/**
 * In what an answered item differs from its View. Null where the View does not allow it would be written as "", so that
 * empty texts are differences too, but for the attributes that are said to have them (`description`, `parts.text`).
 */
export function unlike(view: Type, item: Json, mayBeEmpty: readonly string[] = []): string[] {
  const empty = new Set(mayBeEmpty.map((attribute) => `${view.name}.${attribute} is empty`));
  return differences(schemaOf(view) as unknown as Schema, item, view.name).filter(
    (difference) => !empty.has(difference.replace(/\[\d+\]/g, '')),
  );
}

function differences(schema: Schema, value: Json, at: string): string[] {
  if (value === null) return schema.nullable ? [] : [`${at} is null`];
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${at} is no array`];
    return value.flatMap((each, i) => differences(schema.items!, each, `${at}[${i}]`));
  }
  if (schema.type !== 'object') {
    if (typeof value !== schema.type) return [`${at} is a ${typeof value}, not a ${schema.type}`];
    return value === '' ? [`${at} is empty`] : [];
  }
  if (typeof value !== 'object') return [`${at} is no object`];
  const { properties } = schema;
  if (!properties) return [];
  const missing = Object.keys(properties).filter((name) => !(name in value) && !properties[name].optional);
  const extra = Object.keys(value).filter((name) => !(name in properties));
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...extra.map((name) => `${at}.${name} is not declared`),
    ...Object.keys(properties)
      .filter((name) => name in value)
      .flatMap((name) => differences(properties[name], value[name], `${at}.${name}`)),
  ];
}
