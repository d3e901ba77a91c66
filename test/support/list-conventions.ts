import type { Type } from '@nestjs/common';
import type { ActingAccount } from '../../src/accounts/access/acting-account.js';
import { schemaOf } from '../../src/common/http/responses.js';
import type { Environment } from '../../src/common/http/public-urls.js';
import { anonymously, type Answer, type Api, type Json, type Params } from './api.js';
import { given, type Advertiser } from './given.js';

/** What a list endpoint is like; what it lacks is said here, where a reader looks for it. */
export interface ListEndpoint {
  /** With the id of its account; an endpoint that belongs to the caller alone ignores it and says `ofCaller`. */
  path(account: { id: string }): string;
  /** Makes the nth item of a list; items of different n may differ in what they can be sorted by. */
  make(account: ActingAccount, n: number): Promise<{ id: string }>;
  /** Makes many at once, where that is cheaper. */
  makeMany?(account: ActingAccount, count: number): Promise<{ id: string }[]>;
  /** Makes an item deleted; endpoints without soft deletion leave it out and say `softDeletes: false`. */
  remove?(advertiser: Advertiser, id: string): Promise<unknown>;
  softDeletes: boolean;
  view: Type;
  idsFilter: string;
  countDefault?: number;
  countMax?: number;
  sortable?: readonly string[];
  /** Finds items by the beginning of their name. */
  q?: boolean;
  /** Parameters without which the endpoint does not answer. */
  required?: Params;
  environment?: Environment;
  ofCaller?: boolean;
  /** How many items a new account has of its own accord. */
  already?: number;
}

const NOBODY = '0zzzzzzzzzzzz';

/** The tests that every list endpoint has to pass (Part 1, 2.1). */
export function listConventions(endpoint: ListEndpoint): void {
  const { path, make, view, idsFilter, q = false, ofCaller = false, already = 0 } = endpoint;
  const { countDefault = 200, countMax = 1000, sortable = ['created_at', 'updated_at', 'deleted'] } = endpoint;
  const environment = endpoint.environment ?? 'production';
  const required = endpoint.required ?? {};
  const advertiser = () => given.advertiser({ environment });
  const list = (caller: { account: { id: string }; api: Api }, query: Params = {}) =>
    caller.api.get(path(caller.account), { query: { ...required, ...query } });
  const makeMany =
    endpoint.makeMany ??
    (async (account: ActingAccount, count: number) => {
      const made = [];
      for (let n = 0; n < count; n++) made.push(await make(account, n));
      return made;
    });
  const refused = (answer: Answer, parameter: string, code = 'INVALID_PARAMETER') =>
    expect({ status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({
      status: 400,
      error: { code, parameter },
    });

  /** Follows the cursor to the end. */
  async function walk(caller: Advertiser, query: Params): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await list(caller, { ...query, cursor });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      expect(body.data.length).toBeLessThanOrEqual(Number(query.count));
      if (body.next_cursor !== null) expect(body.data).toHaveLength(Number(query.count));
      items.push(...body.data);
      cursor = body.next_cursor ?? undefined;
    } while (cursor !== undefined && items.length < 100);
    return items;
  }

  describe('as a list', () => {
    let several: Advertiser;
    let all: string[];
    beforeAll(async () => {
      several = await advertiser();
      for (let n = 0; n < 7 - already; n++) await make(several.account, n);
      const { body } = await list(several);
      all = body.data.map(idOf);
    }, 30_000);

    it('answers request, next_cursor and data, and total_count only when asked', async () => {
      const plain = await list(several);
      expect(plain.status).toBe(200);
      expect(Object.keys(plain.body).sort()).toEqual(['data', 'next_cursor', 'request']);
      expect(plain.body.next_cursor).toBeNull();
      const counted = await list(several, { with_total_count: true });
      expect(Object.keys(counted.body).sort()).toEqual(['data', 'next_cursor', 'request', 'total_count']);
    });

    it('echoes the path and what was sent as it was understood, and nothing else', async () => {
      const query = {
        count: '3',
        with_deleted: 'TRUE',
        sort_by: 'created_at-asc',
        [idsFilter]: `${all[0]},${all[1]}`,
      };
      const { body } = await list(several, { ...query, unheard_of: 'x' });
      expect(body.request.params).toEqual({
        ...(ofCaller ? {} : { account_id: several.account.id }),
        ...required,
        count: 3,
        with_deleted: true,
        sort_by: ['created_at-asc'],
        [idsFilter]: [all[0], all[1]],
      });
    });

    it('ignores an unknown parameter', async () => {
      const { status, body } = await list(several, { unheard_of: 'x' });
      expect(status).toBe(200);
      expect(body.data.map(idOf)).toEqual(all);
    });

    it('shows the newest first', async () => {
      expect(all).toHaveLength(7);
      expect(all).toEqual([...all].sort().reverse());
    });

    it('answers items exactly as the View declares them', async () => {
      const { body } = await list(several);
      for (const item of body.data) expect(unlike(view, item)).toEqual([]);
    });

    it(`takes a count from 1 to ${countMax}`, async () => {
      for (const count of ['0', '-1', `${countMax + 1}`, 'many', '1.5', '', '9'.repeat(30)]) {
        refused(await list(several, { count }), 'count');
      }
      expect((await list(several, { count: 1 })).body.data).toHaveLength(1);
      expect((await list(several, { count: countMax })).body.data).toHaveLength(7);
    });

    it(`has ${countDefault} on a page where no count is asked`, async () => {
      const many = await advertiser();
      await makeMany(many.account, countDefault + 1 - already);
      const first = await list(many);
      expect(first.body.data).toHaveLength(countDefault);
      const second = await list(many, { cursor: first.body.next_cursor });
      expect(second.body.data).toHaveLength(1);
      expect(second.body.next_cursor).toBeNull();
    }, 60_000);

    it('shows every row exactly once to whoever follows the cursor', async () => {
      for (const count of [1, 2, 6, 7]) {
        expect((await walk(several, { count })).map(idOf)).toEqual(all);
      }
    });

    it.each(sortable)('walks by %s in both directions, ties and missing values included', async (attribute) => {
      for (const direction of ['asc', 'desc'] as const) {
        const items = await walk(several, { count: 2, sort_by: `${attribute}-${direction}` });
        expect(items.map(idOf).sort()).toEqual([...all].sort());
        if (attribute in items[0])
          expect(items.map(comparable(attribute))).toEqual(ordered(items, attribute, direction));
        expect(items).toEqual((await list(several, { sort_by: `${attribute}-${direction}` })).body.data);
      }
    });

    it('walks by several attributes in mixed directions', async () => {
      for (const [i, first] of sortable.entries()) {
        const second = sortable[(i + 1) % sortable.length];
        for (const sort_by of [`${first}-asc,${second}-desc`, `${first}-desc,${second}-asc,created_at-asc`]) {
          const items = await walk(several, { count: 2, sort_by });
          expect(items.map(idOf).sort()).toEqual([...all].sort());
          expect(items).toEqual((await list(several, { sort_by })).body.data);
        }
      }
    });

    it('refuses to sort by anything else', async () => {
      for (const sort_by of [
        'id-asc',
        'created_at',
        'created_at-up',
        'account_id-asc',
        'created_at-asc,',
        "name'-asc",
      ]) {
        refused(await list(several, { sort_by }), 'sort_by');
      }
    });

    it('takes a cursor only for the same account, sort and filters', async () => {
      const { body } = await list(several, { count: 2, sort_by: 'updated_at-desc' });
      const cursor = body.next_cursor;
      expect((await list(several, { count: 2, sort_by: 'updated_at-desc', cursor })).status).toBe(200);
      expect((await list(several, { count: 5, sort_by: 'updated_at-desc', cursor })).status).toBe(200);
      refused(await list(several, { sort_by: 'updated_at-asc', cursor }), 'cursor');
      refused(await list(several, { sort_by: 'created_at-desc', cursor }), 'cursor');
      refused(await list(several, { cursor }), 'cursor');
      refused(await list(several, { sort_by: 'updated_at-desc', cursor, with_deleted: true }), 'cursor');
      refused(await list(several, { sort_by: 'updated_at-desc', cursor, [idsFilter]: all[0] }), 'cursor');
      const other = await advertiser();
      refused(await list(other, { sort_by: 'updated_at-desc', cursor }), 'cursor');
    });

    it('takes no cursor of which a character was changed', async () => {
      const { body } = await list(several, { count: 2 });
      const cursor: string = body.next_cursor;
      for (let at = 0; at < cursor.length; at++) {
        const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
        refused(await list(several, { cursor: changed }), 'cursor');
      }
      for (const broken of ['', 'x', cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, '%00', 'c-1']) {
        refused(await list(several, { cursor: broken }), 'cursor');
      }
    });

    it('counts all that the filters leave', async () => {
      expect((await list(several, { with_total_count: true, count: 2 })).body.total_count).toBe(7);
      expect((await list(several, { with_total_count: true, [idsFilter]: all[3] })).body.total_count).toBe(1);
      expect((await list(several, { with_total_count: false })).body.total_count).toBeUndefined();
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

    it(`finds by ${idsFilter}, with commas or as a repeated key`, async () => {
      const wanted = [all[1], all[4]];
      const commas = await list(several, { [idsFilter]: wanted.join(',') });
      expect(commas.body.data.map(idOf)).toEqual(wanted);
      expect((await list(several, { [idsFilter]: wanted })).body).toEqual(commas.body);
      expect((await list(several, { [idsFilter]: [`${all[1]},${all[1]}`, all[4]] })).body).toEqual(commas.body);
      expect((await list(several, { [idsFilter]: NOBODY })).body.data).toEqual([]);
    });

    it(`takes up to 200 of ${idsFilter}, none of them empty`, async () => {
      const ids = Array.from({ length: 201 }, (_, i) => `0${i.toString(36).padStart(12, '0')}`);
      expect((await list(several, { [idsFilter]: ids.slice(0, 200).join(',') })).status).toBe(200);
      refused(await list(several, { [idsFilter]: ids.join(',') }), idsFilter);
      refused(await list(several, { [idsFilter]: ids }), idsFilter);
      for (const given of ['', `${all[0]},`, `,${all[0]}`, `${all[0]},,${all[1]}`, 'No-Id!']) {
        refused(await list(several, { [idsFilter]: given }), idsFilter);
      }
    });

    if (endpoint.softDeletes) {
      it('hides what was deleted, unless with_deleted says otherwise', async () => {
        const own = await advertiser();
        const [kept, gone] = [await make(own.account, 0), await make(own.account, 1)];
        await endpoint.remove!(own, gone.id);
        const ids = async (query: Params) => (await list(own, query)).body.data.map(idOf);
        expect(await ids({})).toContain(kept.id);
        expect(await ids({})).not.toContain(gone.id);
        expect(await ids({ with_deleted: false })).not.toContain(gone.id);
        expect(await ids({ [idsFilter]: gone.id })).toEqual([]);
        expect(await ids({ [idsFilter]: `${kept.id},${gone.id}`, with_deleted: true })).toEqual([gone.id, kept.id]);
        const { body } = await list(own, { with_deleted: 't', with_total_count: true, sort_by: 'deleted-desc' });
        expect(body.data.map((item: Json) => item.deleted)).toEqual([true, ...Array(body.data.length - 1).fill(false)]);
        expect(body.total_count).toBe(2 + already);
        expect((await list(own, { with_total_count: true })).body.total_count).toBe(1 + already);
        expect((await walk(own, { count: 1, with_deleted: true, sort_by: 'deleted-asc' })).map(idOf)).toHaveLength(
          2 + already,
        );
      });
    }

    if (q) {
      it('finds by the beginning of the name, without case, in the order of names', async () => {
        const { body: everything } = await list(several);
        const { name } = everything.data[0];
        for (const prefix of [name, name.toUpperCase(), name.slice(0, 3).toLowerCase()]) {
          const { body } = await list(several, { q: prefix });
          const expected = everything.data.filter((item: Json) => lower(item.name).startsWith(lower(prefix)));
          expect(body.data.map(idOf).sort()).toEqual(expected.map(idOf).sort());
          expect(body.data.map(comparable('name'))).toEqual(ordered(body.data, 'name', 'asc'));
        }
        for (const nothing of [name.slice(1), '%', '_', '\\']) {
          expect((await list(several, { q: `${nothing}\u00a0` })).body.data).toEqual([]);
        }
        refused(await list(several, { q: '' }), 'q');
        refused(await list(several, { q: 'x'.repeat(256) }), 'q');
        expect((await list(several, { q: 'x'.repeat(255) })).status).toBe(200);
      });
    }

    it('shows nothing of other accounts', async () => {
      const other = await advertiser();
      const theirs = await make(other.account, 0);
      expect((await list(several, { [idsFilter]: theirs.id })).body.data).toEqual([]);
      expect((await list(several)).body.data.map(idOf)).not.toContain(theirs.id);
    });

    if (!ofCaller) {
      it("answers another user's account like one that does not exist", async () => {
        const stranger = await advertiser();
        for (const id of [several.account.id, NOBODY]) {
          const { status, body } = await list({ api: stranger.api, account: { id } });
          expect({ status, body }).toMatchObject({
            status: 404,
            body: {
              errors: [{ code: 'NOT_FOUND', parameter: 'account_id', message: `Account ${id} was not found` }],
              request: { params: {} },
            },
          });
        }
      });
    }

    it('refuses whoever does not sign, or signs with a token that was revoked', async () => {
      const target = `${environment === 'sandbox' ? '/sandbox' : ''}${path(several.account)}`;
      const nobody = await anonymously('GET', target);
      expect(nobody).toMatchObject({ status: 401, body: { errors: [{ code: 'UNAUTHORIZED_ACCESS' }] } });
      const gone = await advertiser();
      expect((await list(gone)).status).toBe(200);
      await given.revokedToken(gone);
      expect(await list(gone)).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
    });
  });
}

const idOf = (item: { id: string }) => item.id;
const lower = (text: string) => text.toLowerCase();

/** What an attribute is compared by: names without case, gaps before everything else. */
const comparable =
  (attribute: string) =>
  (item: Json): string | number => {
    const value = item[attribute] ?? null;
    if (value === null) return -Infinity;
    if (typeof value === 'string') return attribute === 'name' ? lower(value) : value;
    return Number(value);
  };

function ordered(items: Json[], attribute: string, direction: 'asc' | 'desc'): (string | number)[] {
  const values = items.map(comparable(attribute)).sort((a, b) => (a === b ? 0 : a < b || a === -Infinity ? -1 : 1));
  return direction === 'asc' ? values : values.reverse();
}

interface Schema {
  type: string;
  nullable?: boolean;
  optional?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** In what an answered item differs from its View; null where the View does not allow it would be written as "". */
export function unlike(view: Type, item: Json): string[] {
  return differences(schemaOf(view) as unknown as Schema, item, view.name);
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
