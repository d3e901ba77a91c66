import { DoNotReachListView } from '../../../src/audiences/do-not-reach-lists/do-not-reach-list.presenter.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids, unlike } from '../../support/list-conventions.js';

useApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id?: string, { account } = advertiser) =>
  `/12/accounts/${account.id}/do_not_reach_lists${id ? `/${id}` : ''}`;
const create = (query: Params = {}, by = advertiser) => by.api.post(path(undefined, by), { query });
const made = async (query?: Params): Promise<Json> => {
  const { status, body } = await create(query);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const list = async (query: Params = {}): Promise<Json> => (await advertiser.api.get(path(), { query })).body;
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter, message }: Json) => [code, parameter, message]),
});
const SECOND = {
  status: 400,
  errors: [['ACTION_NOT_ALLOWED', 'account_id', 'An account can have at most one Do Not Reach List']],
};
const history = () =>
  world().sql<{ type: string; data: Json }>(
    `SELECT "changeType" AS type, "entityData" AS data FROM account_changes c
      WHERE "accountId" = $1 AND "entityType" = 'DO_NOT_REACH_LIST'
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
    advertiser.account.id,
  );

describe('making a do-not-reach list', () => {
  it('answers 201 with a list that nobody is on yet, its fields in their order', async () => {
    const { status, body } = await create({ description: 'Asked us to' });
    expect(status).toBe(201);
    expect(body.request.params).toEqual({ account_id: advertiser.account.id, description: 'Asked us to' });
    expect(unlike(DoNotReachListView, body.data)).toEqual([]);
    expect(Object.entries(body.data)).toEqual([
      ['targetable', false],
      ['name', 'Do Not Reach List'],
      ['description', 'Asked us to'],
      ['id', expect.stringMatching(/^[0-9a-z]{13}$/)],
      ['reasons_not_targetable', ['PROCESSING', 'TOO_SMALL']],
      ['created_at', expect.stringMatching(/Z$/)],
      ['list_size', null],
      ['updated_at', body.data.created_at],
      ['deleted', false],
    ]);
    expect((await list()).data).toEqual([body.data]);
    expect(await history()).toEqual([{ type: 'CREATE', data: body.data }]);
  });

  it('takes no description, an empty one, and one from a form', async () => {
    for (const form of [{}, { description: '' }, { description: 'Form' }]) {
      const { status, body } = await advertiser.api.post(path(), { form });
      expect({ status, description: body.data.description }).toEqual({
        status: 201,
        description: form.description || null,
      });
      await advertiser.api.delete(path(body.data.id));
    }
    expect(refusal(await create({ description: 'x'.repeat(1001) }))).toMatchObject({
      status: 400,
      errors: [['INVALID_PARAMETER', 'description', expect.any(String)]],
    });
    await made({ description: 'x'.repeat(1000) });
  });

  it('is for one list of an account at a time', async () => {
    const { id } = await made();
    expect(refusal(await create())).toEqual(SECOND);
    expect((await create({}, await given.advertiser())).status).toBe(201);
    await advertiser.api.delete(path(id));
    expect((await made()).id).not.toBe(id);
    expect(refusal(await create())).toEqual(SECOND);
  });

  it('is done by one of 20 at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(refusal(answer)).toEqual(SECOND);
    expect((await list({ with_deleted: true })).data).toHaveLength(1);
    expect(await history()).toHaveLength(1);
  });

  it('and deleting it leave one at most, however many do both', async () => {
    const replaced = async () => {
      const [found] = (await list()).data as Json[];
      return advertiser.api.delete(path(found?.id ?? base36Ids(0)));
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? replaced() : create())));
    for (const answer of answers)
      if (answer.status === 400) expect(refusal(answer)).toEqual(SECOND);
      else expect([200, 201, 404]).toContain(answer.status);
    const deleted = answers.filter(({ status }) => status === 200).length;
    const created = answers.filter(({ status }) => status === 201).length;
    expect((await list()).data).toHaveLength(created - deleted);
    expect((await list({ with_deleted: true })).data).toHaveLength(created);
  });

  it('stores nothing in an account that was deleted', async () => {
    const sandbox = await given.advertiser({ environment: 'sandbox' });
    const [, ...answers] = await Promise.all([
      world().get(AccountsService).delete(sandbox.account),
      ...Array.from({ length: 5 }, () => create({}, sandbox)),
    ]);
    for (const { status } of answers) expect([201, 400, 404]).toContain(status);
    expect((await create({}, sandbox)).status).toBe(404);
    const younger = await world().sql(
      `SELECT l.id FROM do_not_reach_lists l JOIN accounts a ON a.id = l."accountId"
        WHERE a.id = $1 AND l."createdAt" > a."deletedAt"`,
      sandbox.account.id,
    );
    expect(younger).toEqual([]);
  });

  it('is for those who manage campaigns', async () => {
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await create({}, analyst)).status).toBe(403);
    const { id } = await made();
    expect((await analyst.api.get(path(undefined, analyst))).body.data).toMatchObject([{ id }]);
    expect((await analyst.api.delete(path(id, analyst))).status).toBe(403);
    const creative = await given.member(advertiser.account, 'ANALYST');
    expect((await creative.api.get(path(undefined, creative))).status).toBe(403);
  });
});

describe('the list of do-not-reach lists', () => {
  it('shows the one that there is, and with_deleted those before it', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { id } = await made({ description: `The ${n}th` });
      ids.unshift(id);
      if (n < 4) await advertiser.api.delete(path(id));
    }
    const { data, next_cursor } = await list();
    expect({ ids: data.map(({ id }: Json) => id), next_cursor }).toEqual({ ids: [ids[0]], next_cursor: null });
    const all = await list({ with_deleted: true, with_total_count: true });
    expect({ ids: all.data.map(({ id }: Json) => id), total: all.total_count }).toEqual({ ids, total: 5 });
    expect(all.data.map(({ deleted }: Json) => deleted)).toEqual([false, true, true, true, true]);
    for (const item of all.data) expect(unlike(DoNotReachListView, item)).toEqual([]);

    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ with_deleted: true, count: 2, sort_by: 'created_at-asc', cursor });
      walked.push(...page.data.map(({ id }: Json) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor && walked.length < 10);
    expect(walked).toEqual([...ids].reverse());
    expect((await list({ with_deleted: false })).data).toHaveLength(1);
  });

  it('refuses what is wrong with its parameters, and echoes the others', async () => {
    for (const [name, value] of [
      ['with_deleted', 'maybe'],
      ['count', '0'],
      ['count', '1001'],
      ['sort_by', 'name-asc'],
      ['cursor', 'x'],
    ]) {
      const { status, body } = await advertiser.api.get(path(), { query: { [name]: value } });
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 400,
        error: { code: 'INVALID_PARAMETER', parameter: name },
      });
    }
    expect((await list({ with_deleted: 'TRUE', count: '7' })).request.params).toEqual({
      account_id: advertiser.account.id,
      with_deleted: true,
      count: 7,
    });
  });

  it('shows nothing of other accounts, and is unknown in them', async () => {
    const { id } = await made();
    const stranger = await given.advertiser();
    expect((await stranger.api.get(path(undefined, stranger))).body.data).toEqual([]);
    expect((await stranger.api.get(path())).status).toBe(404);
    const { status, body } = await stranger.api.delete(path(id, stranger));
    expect({ status, error: body.errors[0] }).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND', parameter: 'do_not_reach_list_id', value: id },
    });
    expect((await list()).data).toHaveLength(1);
  });
});

describe('deleting a do-not-reach list', () => {
  it('answers it marked deleted, and is 404 ever after', async () => {
    const before = await made({ description: 'Old' });
    world().clock.advance(3_000);
    const { status, body } = await advertiser.api.delete(path(before.id));
    expect({ status, params: body.request.params }).toEqual({
      status: 200,
      params: { account_id: advertiser.account.id, do_not_reach_list_id: before.id },
    });
    expect(body.data).toEqual({ ...before, deleted: true, updated_at: body.data.updated_at });
    expect(body.data.updated_at > before.updated_at).toBe(true);
    expect((await advertiser.api.delete(path(before.id))).status).toBe(404);
    expect((await list({ with_deleted: true })).data).toEqual([body.data]);
    expect((await history()).map(({ type }) => type)).toEqual(['CREATE', 'DELETE']);
  });
});
