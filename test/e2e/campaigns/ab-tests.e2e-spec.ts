import { AbTest } from '../../../src/campaigns/ab-tests/ab-test.entity.js';
import { AbTestView } from '../../../src/campaigns/ab-tests/ab-test.presenter.js';
import { AbTestsService } from '../../../src/campaigns/ab-tests/ab-tests.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import type { Json, Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

const DAY_MS = 86_400_000;

const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter, message }: Json) => `${code} ${parameter}: ${message}`),
});

describe('A/B tests', () => {
  useSharedApp();
  let advertiser: Advertiser;
  let api: Advertiser['api'];
  beforeEach(async () => {
    advertiser = await given.advertiser();
    ({ api } = advertiser);
  });
  const path = (rest = '') => `/12/accounts/${advertiser.account.id}/ab_tests${rest}`;
  const at = (days: number) => new Date(world().clock.now().getTime() + days * DAY_MS).toISOString();
  const inSeconds = (time: string) => `${time.slice(0, 19)}Z`;
  const item = (params: object = {}) =>
    given.lineItem({ account: advertiser.account, entity_status: 'PAUSED', ...params });
  const group = (entity: string, size = '50.00') => ({ entity_ids: [entity], size });
  const planned = (entities: string[], params: object = {}) => ({
    start_time: at(1),
    end_time: at(3),
    entity_type: 'CAMPAIGN',
    user_groups: entities.map((id) => group(id, String(100 / entities.length))),
    ...params,
  });
  const create = (json: object) => api.post(path(), { json });
  const update = (id: string, json: object) => api.put(path(`/${id}`), { json });
  const twoCampaigns = async () => [(await item()).campaignId, (await item()).campaignId];
  const made = async (json: object): Promise<Json> => {
    const { status, body } = await create(json);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.data;
  };

  it('are created, read, changed and deleted', async () => {
    const [one, other] = await twoCampaigns();
    const times = { start_time: at(1), end_time: at(3) };
    const groups = [
      { entity_ids: [one], size: '33.33', name: 'First', description: 'A third' },
      { entity_ids: [other], size: '66.67' },
    ];
    const test = await made(planned([], { ...times, name: 'Which one', user_groups: groups }));
    const user_id = advertiser.account.userId;
    const { username } = (await world().get(UsersService).findByIds([user_id]))[0];
    expect(test).toEqual({
      id: expect.any(String),
      name: 'Which one',
      description: null,
      start_time: inSeconds(times.start_time),
      end_time: inSeconds(times.end_time),
      entity_type: 'CAMPAIGN',
      status: 'SCHEDULED',
      entities: [one, other].map((id) => ({ id, account_id: advertiser.account.id })),
      user_groups: [
        { id: expect.any(String), name: 'First', description: 'A third', size: '33.33', entity_ids: [one] },
        { id: expect.any(String), name: null, description: null, size: '66.67', entity_ids: [other] },
      ],
      created_by: { user_id, username },
      updated_by: { user_id, username },
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    expect((await api.get(path(`/${test.id}`))).body.data).toEqual(test);

    const [first, second] = test.user_groups;
    const changes = [
      { id: first.id, name: null, size: '40' },
      { id: second.id, size: '60.0' },
    ];
    const changed = (await update(test.id, { name: null, user_groups: changes })).body.data;
    expect(changed).toMatchObject({
      name: null,
      user_groups: [{ ...first, name: null, size: '40.0' }, { size: '60.0' }],
    });
    expect(problems(await update(test.id, { user_groups: [changes[0], changes[0]] })).errors).toEqual([
      `INVALID_PARAMETER user_groups: The group ${first.id} is in user_groups more than once`,
    ]);
    const replaced = (await update(test.id, { user_groups: [group(other), group(one)] })).body.data;
    expect(replaced.user_groups.map(({ entity_ids }: Json) => entity_ids)).toEqual([[other], [one]]);
    expect(replaced.user_groups[0].id).not.toBe(first.id);

    expect((await api.delete(path(`/${test.id}`))).body.data).toMatchObject({ deleted: true });
    expect((await api.delete(path(`/${test.id}`))).status).toBe(404);
    expect((await update(test.id, { name: 'Late' })).status).toBe(404);
    await made(planned([one, other]));

    const history = await world().sql<Json>(
      `SELECT "changeType" AS type FROM account_changes WHERE "accountId" = $1 AND "entityType" = 'AB_TEST' AND "entityId" = $2 ORDER BY id`,
      advertiser.account.id,
      test.id,
    );
    expect(history.map(({ type }) => type)).toEqual(['CREATE', 'UPDATE', 'UPDATE', 'DELETE']);
  });

  it('are found by their status page by page, while time passes', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await made(planned(await twoCampaigns()))).id);
    const page = (query: Params) => api.get(path(), { query: { status: 'SCHEDULED', count: 1, ...query } });
    const found = [];
    let { body } = await page({});
    for (;;) {
      found.push(...body.data.map(({ id }: Json) => id));
      if (body.next_cursor === null) break;
      world().clock.advance(1_000);
      ({ body } = await page({ cursor: body.next_cursor }));
    }
    expect(found).toEqual(ids.reverse());
    const { next_cursor: cursor } = (await page({})).body;
    expect(problems(await page({ cursor, status: 'SCHEDULED,LIVE' })).status).toBe(400);
  });

  it('reject times outside of the flights, too short ones, and those that have begun', async () => {
    const [one, other] = await twoCampaigns();
    const start = (params: object) => create(planned([one, other], params)).then(problems);
    expect(await start({ start_time: at(-1) })).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER start_time: start_time must be in the future'],
    });
    expect((await start({ end_time: at(1.5) })).errors).toEqual([
      'INVALID_PARAMETER end_time: end_time must be at least 1 day after start_time',
    ]);
    expect((await start({ end_time: at(9_000) })).errors).toEqual([
      `INVALID_PARAMETER end_time: The flight of ${one} does not include end_time`,
    ]);
    const { id: empty } = await given.campaign({ account: advertiser.account });
    expect(problems(await create(planned([one, empty]))).errors).toEqual([
      `INVALID_PARAMETER user_groups: ${empty} has no line item, so it has no flight`,
    ]);
  });

  it('reject groups that do not divide all users or the entities', async () => {
    const [one, other] = await twoCampaigns();
    const errorsOf = async (user_groups: object[]) =>
      problems(await create(planned([], { user_groups }))).errors.map((error: string) => error.split(': ')[1]);
    expect(await errorsOf([group(one), group(other, '49.99')])).toEqual([
      'The sizes of user_groups must add up to 100, got 99.99',
    ]);
    expect(await errorsOf([group(one), group(one)])).toEqual([`${one} is in user_groups more than once`]);
    expect(await errorsOf([{ ...group(one), entity_ids: [one, one] }, group(other)])).toEqual([
      `${one} is in user_groups more than once`,
    ]);
    expect((await create(planned([one]))).status).toBe(400);
    for (const size of ['0.99', '99.01', '50.001', 'half', '-1', '100'])
      expect(
        (await create(planned([], { user_groups: [group(one, size), group(other)] }))).body.errors[0],
      ).toMatchObject({
        code: 'INVALID_PARAMETER',
        parameter: 'user_groups[0].size',
      });
    const full = problems(await create(planned([], { user_groups: [group(one, '100.00'), group(other)] })));
    expect(full.errors).toEqual([expect.stringContaining('a percentage from "1.00" to "99.00"')]);
    expect(problems(await create(planned([one, 'nobody'])))).toEqual({
      status: 404,
      errors: [expect.stringMatching(/^NOT_FOUND user_groups\[1\].entity_ids: Campaign nobody was not found/)],
    });
    const strangers = Array.from({ length: 200 }, (_, i) => `nobody${i}`);
    const unknown = await create(
      planned([one, other], { user_groups: [{ ...group(one), entity_ids: strangers }, group(other)] }),
    );
    expect(unknown.body.errors).toHaveLength(40);
  });

  it('tell which field of a group was ignored', async () => {
    const [one, other] = await twoCampaigns();
    const groups = [group(one), { ...group(other), nmae: 'Second', x: { y: 1 } }];
    const { status, headers } = await create(planned([], { user_groups: groups }));
    expect([status, headers['x-marquee-hint']]).toEqual([
      201,
      'user_groups[1].nmae is not a field and was ignored. Did you mean name?',
    ]);
  });

  it('of line items have all of one campaign, one in each group, in equal sizes', async () => {
    const first = await item();
    const campaign_id = first.campaignId;
    const others = [(await item({ campaign_id })).id, (await item({ campaign_id })).id];
    const foreign = await item();
    const errorsOf = async (user_groups: object[]) =>
      problems(await create(planned([], { entity_type: 'LINE_ITEM', user_groups }))).errors.map((e: string) =>
        e.slice(e.indexOf(': ') + 2),
      );
    expect(await errorsOf([group(first.id), group(others[0])])).toEqual([
      `A test of line items has all of a campaign: ${others[1]} are missing`,
    ]);
    expect(await errorsOf([group(first.id), group(foreign.id)])).toEqual([
      'A test of line items has those of one campaign',
    ]);
    expect(
      await errorsOf([{ entity_ids: [first.id, ...others.slice(1)], size: '40' }, group(others[0], '60')]),
    ).toEqual([
      'A test of line items has one line item in each of the user_groups',
      'A test of line items has user_groups of equal sizes',
    ]);
    const thirds = [group(first.id, '33.33'), group(others[0], '33.33'), group(others[1], '33.34')];
    // a draft cannot serve
    await item({ campaign_id, entity_status: 'DRAFT' });
    await made(planned([], { entity_type: 'LINE_ITEM', user_groups: thirds }));
  });

  it('of line items have at most five groups', async () => {
    const { id, campaignId: campaign_id } = await item();
    const ids = [id];
    while (ids.length < 5) ids.push((await item({ campaign_id })).id);
    await made(planned([], { entity_type: 'LINE_ITEM', user_groups: ids.map((each) => group(each, '20')) }));
    const one = await item();
    const six = [one.id];
    while (six.length < 6) six.push((await item({ campaign_id: one.campaignId })).id);
    const sizes = ['16.67', '16.67', '16.67', '16.67', '16.66', '16.66'];
    const user_groups = six.map((each, i) => group(each, sizes[i]));
    expect(problems(await create(planned([], { entity_type: 'LINE_ITEM', user_groups }))).errors).toEqual([
      'INVALID_PARAMETER user_groups: A test of line items has at most 5 user_groups',
    ]);
  });

  it('of many at once, one gets an entity', async () => {
    const [one, other] = await twoCampaigns();
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(planned([one, other]))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    const { id } = answers.find(({ status }) => status === 201)!.body.data;
    expect(problems(answers.find(({ status }) => status === 400)!).errors).toEqual(
      [one, other].map((each) => `INVALID_PARAMETER user_groups: ${each} is in the A/B test ${id} already`),
    );
    expect((await update(id, { user_groups: [group(other), group(one)] })).status).toBe(200);
  });

  it('have a status; only the end of a live one can change, and nothing of one that is over', async () => {
    const [one, other] = await twoCampaigns();
    const { id } = await made(planned([one, other], { name: 'Soon' }));
    const move = (start: number, end: number) =>
      world().sql('UPDATE ab_tests SET "startTime" = $2, "endTime" = $3 WHERE id = $1', id, at(start), at(end));
    const inStatus = async (status: string) =>
      (await api.get(path(), { query: { status } })).body.data.map((test: Json) => [test.id, test.status]);
    expect(await inStatus('SCHEDULED')).toEqual([[id, 'SCHEDULED']]);
    await move(-1, 2);
    expect(await inStatus('LIVE,COMPLETED')).toEqual([[id, 'LIVE']]);
    expect(await inStatus('SCHEDULED')).toEqual([]);
    expect(problems(await update(id, { name: 'New' })).errors).toEqual([
      'INVALID_PARAMETER name: setting name is not allowed',
    ]);
    const end_time = at(4);
    expect((await update(id, { end_time })).body.data).toMatchObject({ end_time: inSeconds(end_time), status: 'LIVE' });
    expect((await update(id, { end_time: at(-0.5) })).status).toBe(400);
    await api.delete(`/12/accounts/${advertiser.account.id}/campaigns/${one}`);
    expect((await update(id, { end_time: at(3.5) })).status).toBe(200);
    // a campaign that has lost its line items has no flight
    await world().sql('UPDATE campaigns SET "startTime" = NULL, "endTime" = NULL WHERE id = $1', other);
    expect((await update(id, { end_time: at(3) })).status).toBe(200);
    await move(-3, -1);
    expect(await inStatus('COMPLETED')).toEqual([[id, 'COMPLETED']]);
    expect((await update(id, { end_time: at(5) })).status).toBe(400);
    expect((await update(id, {})).status).toBe(200);
  });

  /** What is stored of a test, and how often its history says that it changed. */
  const storedOf = async (id: string) => ({
    rows: await world().sql<Json>('SELECT * FROM ab_tests WHERE id = $1', id),
    updates: await world().sql<Json>(
      `SELECT "userId" FROM account_changes WHERE "accountId" = $1 AND "entityId" = $2 AND "changeType" = 'UPDATE'`,
      advertiser.account.id,
      id,
    ),
  });

  it('take what GET returns, before they begin, while they are live and when they are over', async () => {
    const [one, other] = await twoCampaigns();
    const groups = [{ ...group(one, '33.30'), name: 'First', description: 'A third' }, group(other, '66.70')];
    const { id } = await made(planned([], { name: 'Which one', user_groups: groups }));
    for (const [status, start, end] of [
      ['SCHEDULED', 1, 3],
      ['LIVE', -1, 2],
      ['COMPLETED', -3, -1],
    ] as const) {
      // times with milliseconds, which GET does not return
      const times = [at(start), at(end)].map((time) => time.replace(/\.\d*Z$/, '.789Z'));
      await world().sql('UPDATE ab_tests SET "startTime" = $2, "endTime" = $3 WHERE id = $1', id, ...times);
      const { data: read } = (await api.get(path(`/${id}`))).body;
      expect(read.status).toBe(status);
      const before = await storedOf(id);
      const withNull = { description: null, start_time: read.start_time.replace('Z', '+00:00') };
      for (const same of [read, { ...read, ...withNull }, { user_groups: [read.user_groups[1]] }, {}]) {
        const { status: code, body } = await update(id, same);
        expect({ status, code, body }).toMatchObject({ code: 200, body: { data: read } });
        expect(await storedOf(id)).toEqual(before);
      }
      if (status === 'SCHEDULED') continue;
      const [first, second] = read.user_groups;
      for (const [parameter, value] of [
        ['name', null],
        ['description', 'Another one'],
        ['start_time', inSeconds(at(0.5))],
        ['entity_type', 'LINE_ITEM'],
        ['user_groups', [{ ...first, name: null }, second]],
        ['user_groups', [first, { id: second.id, description: 'Two thirds' }]],
        ['user_groups', [{ ...first, size: '33.4' }, second]],
        ['user_groups', [{ ...first, entity_ids: [other] }, second]],
        ['user_groups', [group(one, '33.30'), group(other, '66.70')]],
        ...(status === 'COMPLETED' ? [['end_time', inSeconds(at(1))] as const] : []),
      ] as const)
        expect(problems(await update(id, { ...read, [parameter]: value }))).toEqual({
          status: 400,
          errors: [`INVALID_PARAMETER ${parameter}: setting ${parameter} is not allowed`],
        });
      if (status !== 'LIVE') continue;
      const end_time = inSeconds(at(2.5));
      expect((await update(id, { ...read, end_time })).body.data).toMatchObject({ ...read, end_time, updated_at: expect.any(String) }); // prettier-ignore
    }
  });

  it('whose campaign was deleted are renamed with all that GET returns, which is one change', async () => {
    const [one, other] = await twoCampaigns();
    const { id } = await made(planned([one, other], { name: 'Soon' }));
    await api.delete(`/12/accounts/${advertiser.account.id}/campaigns/${one}`);
    const colleague = await given.member(advertiser.account, 'AD_MANAGER');
    const { data: read } = (await api.get(path(`/${id}`))).body;
    const renamed = await colleague.api.put(path(`/${id}`), { json: { ...read, name: 'Later' } });
    expect({ status: renamed.status, body: renamed.body }).toMatchObject({
      status: 200,
      body: { data: { name: 'Later', user_groups: read.user_groups, updated_by: { user_id: colleague.user.id } } },
    });
    expect((await storedOf(id)).updates).toEqual([{ userId: colleague.user.id }]);
    expect(problems(await update(id, { ...read, end_time: inSeconds(at(2.5)) })).status).toBe(404);
  });

  it('are listed by name, user and time', async () => {
    const campaigns = await twoCampaigns();
    const times = { start_time: inSeconds(at(1)), end_time: inSeconds(at(3)) };
    const { id } = await made(planned(campaigns, { name: 'Autumn', ...times }));
    const { userId: user_id } = advertiser.account;
    const [{ username }] = await world().get(UsersService).findByIds([user_id]);
    const ids = async (query: Record<string, string>) =>
      (await api.get(path(), { query })).body.data.map((test: Json) => test.id);
    expect(await ids({ q: 'aut' })).toEqual([id]);
    expect(await ids({ q: 'win' })).toEqual([]);
    expect(await ids({ user_id })).toEqual([id]);
    expect(await ids({ user_id: '1' })).toEqual([]);
    expect(await ids({ username: username.toUpperCase() })).toEqual([id]);
    expect(await ids({ username: 'nobody_at_all' })).toEqual([]);
    expect(await ids({ live_during: `${at(2)},${at(9)}` })).toEqual([id]);
    expect(await ids({ live_during: `${at(4)},${at(9)}` })).toEqual([]);
    const { start_time, end_time } = times;
    expect(await ids({ live_during: `${inSeconds(at(0))},${start_time}` })).toEqual([id]);
    expect(await ids({ live_during: `${end_time},${at(9)}` })).toEqual([]);
    const unread = problems(await api.get(path(), { query: { live_during: 'soon,later' } }));
    expect(unread.errors).toEqual([expect.stringMatching(/^INVALID_PARAMETER live_during: Expected .*time/i)]);
    const both = await api.get(path(), { query: { user_id, username } });
    expect(both.body.errors[0].code).toBe('EXCLUSIVE_PARAMETERS');
  });

  describe('list', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/ab_tests`,
      make: (account) => given.abTest({ account }),
      makeMany: async (account, count) => {
        for (let i = 0; i < count; i++) await given.abTest({ account, name: `Test ${i}` });
      },
      remove: ({ account }, id) => world().get(AbTestsService).delete(account, id),
      view: AbTestView,
      entity: AbTest,
      idsFilter: 'ab_test_ids',
    });
  });
});
