import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { TimedWorks } from '../../../src/accounts/times/timed-work.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newNumber } from '../../../src/common/entity/ids.js';
import { ScheduledPost } from '../../../src/creatives/entities/scheduled-post.entity.js';
import { OldNotificationsJob } from '../../../src/creatives/post-previews/old-notifications.job.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { claimHour } from '../../../src/statistics/delivery/delivery.statements.js';
import { AdvanceTestClockJob } from '../../../src/workbench/clocks/advance-test-clock.job.js';
import { TestClockCheckJob } from '../../../src/workbench/clocks/test-clock-check.job.js';
import { commandEnvironment } from '../../support/command-environment.js';
import { Api, type Json, type Params } from '../../support/api.js';
import { addClocksCommands } from '../../../src/cli/workbench/clocks.commands.js';
import { commandsInside } from '../../support/commands-inside.js';
import { useApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
import { given, type Application } from '../../support/given.js';
import { send } from '../../support/http.js';
import { closeReceivers, receiver } from '../../support/receiver.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2027, 0, 10, 9);
/** More than a worker reads at once, so that it reads several times. */
const POSTS = 350;
/** Some days after the beginning. */
const day = (days: number): string => new Date(START + days * DAY_MS).toISOString();

let application: Application;
let ownerId: string;
let owner: Api;
/** The same user in the sandbox. */
let api: Api;

/** A new application, and its row. */
async function registered() {
  const made = await given.application();
  return [made, (await world().get(ApplicationQueries).findById(made.id))!] as const;
}

async function prepare(): Promise<void> {
  [application, { ownerId }] = await registered();
  const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
  owner = new Api({ consumer: application.consumer, token });
  api = owner.in('sandbox');
}

const sandboxAccount = (userId = ownerId) => given.account({ userId, environment: 'sandbox' });

/** The account as requests find it now. */
const acting = async ({ id }: { id: string }): Promise<ActingAccount> =>
  (await world().get(AccountAccessService).find('sandbox', id, ownerId))!;

/** Creates a clock that every replica knows. */
async function clock(form: Params): Promise<Json> {
  const { status, body } = await owner.post('/workbench/clocks', {
    form: { name: 'Clock', frozen_time: day(0), ...form },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  await world().caughtUp();
  return body.data;
}

const shown = async (id: string): Promise<Json> => (await owner.get(`/workbench/clocks/${id}`)).body.data;

/** Advances a clock, and waits until it arrives; returns what it showed meanwhile. */
async function advance(id: string, days: number): Promise<Json[]> {
  const { status, body } = await owner.post(`/workbench/clocks/${id}/advance`, { form: { frozen_time: day(days) } });
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { status: 'advancing' } } });
  const seen: Json[] = [];
  for (;;) {
    seen.push(await shown(id));
    if (seen.at(-1).status !== 'advancing') return seen;
    await pause(100);
  }
}

/** The signal of a process that ends after some steps. */
function endingAfter(max: number): AbortSignal {
  const control = new AbortController();
  let steps = 0;
  const throwIfAborted = () => {
    if (++steps > max) control.abort(new Error('the process ends'));
    control.signal.throwIfAborted();
  };
  return new Proxy(control.signal, {
    get: (signal, name) =>
      name === 'throwIfAborted' ? throwIfAborted : (Reflect.get(signal, name, signal) as unknown),
  });
}

/** Waits until this is so. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

/** Many scheduled posts of an account, in order of time, between the beginning and a day. */
async function scheduledPosts({ id: accountId }: ActingAccount, count: number, days: number): Promise<string[]> {
  const now = new Date(START);
  const minutes = Math.floor((days * 24 * 60) / (count + 1));
  const posts = Array.from({ length: count }, (_, i): Row<ScheduledPost> => ({
    ...newRow(now, () => newNumber(new Date())),
    accountId,
    userId: ownerId,
    callerId: ownerId,
    text: `Post ${i}`,
    cardId: null,
    mediaKeys: [],
    nullcast: true,
    name: null,
    scheduledAt: new Date(START + (i + 1) * minutes * 60_000).toISOString(),
    scheduledStatus: 'SCHEDULED',
    completedAt: null,
    postId: null,
    failure: null,
  }));
  await write(world().get(DataSource).manager, [insert(ScheduledPost, posts)]);
  return posts.map(({ id }) => id);
}

describe('test clocks', () => {
  useApp({ SANDBOX: 'true' });
  beforeEach(prepare);
  afterEach(closeReceivers);

  it('are created, listed, shown and deleted by the owner of the application', async () => {
    const account = await sandboxAccount();
    const made = await clock({ name: 'Quarter', account_ids: account.id });
    expect(made).toMatchObject({
      name: 'Quarter',
      status: 'ready',
      account_ids: [account.id],
      target_time: null,
      progress: null,
      failure: null,
    });
    expect(Date.parse(made.frozen_time)).toBe(START);
    expect((await owner.get('/workbench/clocks')).body.data).toEqual([made]);
    const [other, { ownerId: stranger }] = await registered();
    const token = await world().get(AccessTokensService).issue(stranger, other.id, 'write');
    const strange = new Api({ consumer: other.consumer, token });
    expect((await strange.get(`/workbench/clocks/${made.id}`)).status).toBe(404);
    expect((await strange.delete(`/workbench/clocks/${made.id}`)).status).toBe(404);
    expect((await owner.delete(`/workbench/clocks/${made.id}`)).body.data).toEqual({ deleted: true });
    expect((await owner.get(`/workbench/clocks/${made.id}`)).status).toBe(404);
    expect((await acting(account)).frozenTime).toBeNull();
  });

  it('reject other accounts, times that are too far, and being set back', async () => {
    const [account, production] = [await sandboxAccount(), await given.account({ userId: ownerId })];
    const foreign = await sandboxAccount((await given.advertiser()).user.id);
    const made = await clock({ account_ids: account.id });
    const create = async (form: Params): Promise<Json> => {
      const answer = await owner.post('/workbench/clocks', { form: { name: 'Clock', frozen_time: day(0), ...form } });
      return [answer.status, answer.body.errors?.[0].message];
    };
    for (const { id } of [production, foreign])
      expect(await create({ account_ids: id })).toEqual([400, expect.stringMatching(`account_ids.*${id}`)]);
    expect(await create({ account_ids: account.id })).toEqual([400, expect.stringMatching('account_ids.*has one')]);
    expect(await create({ frozen_time: '2040-01-01T00:00:00Z' })).toEqual([
      400,
      expect.stringMatching('frozen_time.*2040'),
    ]);
    for (const [days, message] of [
      [-1, 'set back'],
      [0, 'set back'],
      [800, '2 years'],
    ] as const) {
      const answer = await owner.post(`/workbench/clocks/${made.id}/advance`, { form: { frozen_time: day(days) } });
      expect([answer.status, answer.body.errors[0].message]).toEqual([
        400,
        expect.stringMatching(`frozen_time.*${message}|${message}.*frozen_time`),
      ]);
    }
    expect((await owner.get('/workbench/clocks')).body.data).toHaveLength(1);
  });

  it('take accounts of the user later, and let them go', async () => {
    const [account, other] = [await sandboxAccount(), await sandboxAccount()];
    const made = await clock({});
    const path = (id: string, of = made.id) => `/workbench/clocks/${of}/accounts/${id}`;
    for (const round of [1, 2]) {
      const { status, body } = await owner.put(path(account.id));
      expect({ round, status, ids: body.data.account_ids }).toEqual({ round, status: 200, ids: [account.id] });
    }
    await world().caughtUp();
    expect(Date.parse((await acting(account)).frozenTime!)).toBe(START);
    expect((await acting(other)).frozenTime).toBeNull();

    const messageOf = ({ status, body }: Json): Json => [status, body.errors[0].message];
    const [production, foreign] = [await given.account({ userId: ownerId }), (await given.advertiser()).account];
    for (const id of [production.id, foreign.id, 'zzz']) {
      expect(messageOf(await owner.put(path(id)))).toEqual([404, expect.stringContaining(id)]);
      expect(messageOf(await owner.delete(path(id)))).toEqual([404, expect.stringContaining(id)]);
    }
    const second = await clock({});
    const taken = expect.stringMatching(`account_id.*${made.id}`);
    expect(messageOf(await owner.put(path(account.id, second.id)))).toEqual([400, taken]);
    expect((await owner.delete(path(account.id, second.id))).status).toBe(404);
    const past = await clock({ frozen_time: new Date(world().clock.now().getTime() - DAY_MS).toISOString() });
    const back = expect.stringMatching(`account_id.*${other.id}, whose time is`);
    expect(messageOf(await owner.put(path(other.id, past.id)))).toEqual([400, back]);
    expect((await shown(past.id)).account_ids).toEqual([]);
    await world().sql(`UPDATE test_clocks SET status = 'advancing' WHERE id = $1`, made.id);
    expect((await owner.put(path(other.id))).status).toBe(409);
    expect((await owner.delete(path(account.id))).status).toBe(409);
    await world().sql(`UPDATE test_clocks SET status = 'ready' WHERE id = $1`, made.id);

    const [elsewhere, { ownerId: strangerId }] = await registered();
    const token = await world().get(AccessTokensService).issue(strangerId, elsewhere.id, 'write');
    const strange = new Api({ consumer: elsewhere.consumer, token });
    const own = await sandboxAccount(strangerId);
    expect((await strange.put(path(own.id))).status).toBe(404);
    expect((await strange.delete(path(account.id))).status).toBe(404);
    // whichever comes first, the account follows one of the two
    const answers = await Promise.all([owner.put(path(other.id)), owner.put(path(other.id, second.id))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const left = await owner.delete(path(account.id));
    expect([left.status, left.body.data.account_ids.includes(account.id)]).toEqual([200, false]);
    expect((await owner.delete(path(account.id))).status).toBe(404);
    await world().caughtUp();
    expect((await acting(account)).frozenTime).toBeNull();
  });

  (SERVER ? it : it.skip)('wait for an hour of the account that is being delivered', async () => {
    const [account, made] = [await sandboxAccount(), await clock({})];
    const hour = world().get(DataSource).createQueryRunner();
    await hour.startTransaction();
    try {
      await hour.query('SELECT 1 FROM accounts WHERE id = $1 FOR KEY SHARE', [account.id]);
      const attaching = owner.put(`/workbench/clocks/${made.id}/accounts/${account.id}`);
      // longer than a transaction waits for a lock
      expect(await Promise.race([attaching, pause(1_500, 'waits')])).toBe('waits');
      await hour.commitTransaction();
      expect((await attaching).status).toBe(200);
    } finally {
      await hour.release();
    }
    const end = new Date(START + 60 * 60_000).toISOString();
    expect(await claimHour(world().get(DataSource).manager, account.id, end)).toBe(false);
    expect(await claimHour(world().get(DataSource).manager, account.id, new Date(START).toISOString())).toBe(true);
  });

  it('advance only accounts that their owner still administers', async () => {
    const [own, lent] = [await sandboxAccount(), await given.advertiser({ environment: 'sandbox' })];
    const memberships = world().get(MembershipsService);
    await memberships.grant(lent.account.id, ownerId, 'ACCOUNT_ADMIN');
    const made = await clock({ account_ids: `${own.id},${lent.account.id}` });
    const [post] = await scheduledPosts(lent.account, 1, 1);
    const stateOf = async () =>
      world().sql('SELECT "scheduledStatus" AS state FROM scheduled_posts WHERE id = $1', post);

    for (const end of [
      () => memberships.grant(lent.account.id, ownerId, 'AD_MANAGER'),
      () => memberships.revoke(lent.account.id, ownerId),
    ]) {
      await end();
      const refused = await owner.post(`/workbench/clocks/${made.id}/advance`, { form: { frozen_time: day(5) } });
      expect([refused.status, refused.body.errors[0].message]).toEqual([
        403,
        `You no longer administer these accounts of the test clock: ${lent.account.id}`,
      ]);
      expect(await shown(made.id)).toMatchObject({ status: 'ready', frozen_time: made.frozen_time });
    }
    // the role ends while the clock advances
    await world().sql(`UPDATE test_clocks SET status = 'advancing', "targetTime" = $2 WHERE id = $1`, made.id, day(5));
    const attempt = { number: 1, signal: new AbortController().signal };
    await world().get(AdvanceTestClockJob).advance(made.id, attempt);
    expect(await shown(made.id)).toMatchObject({
      status: 'internal_failure',
      failure: expect.stringContaining(lent.account.id),
      frozen_time: made.frozen_time,
    });
    expect(await stateOf()).toEqual([{ state: 'SCHEDULED' }]);
    expect(await world().sql('SELECT id FROM accounts WHERE "clockId" = $1 AND "clockAdvancing"', made.id)).toEqual([]);

    const detached = await owner.delete(`/workbench/clocks/${made.id}/accounts/${lent.account.id}`);
    expect([detached.status, detached.body.data.account_ids]).toEqual([200, [own.id]]);
    expect((await advance(made.id, 5)).at(-1)).toMatchObject({ status: 'ready' });
  });

  it('let an administrator of an account detach it, whoever owns the clock', async () => {
    const lent = await given.advertiser({ environment: 'sandbox' });
    const { id } = lent.account;
    const memberships = world().get(MembershipsService);
    await memberships.grant(id, ownerId, 'ACCOUNT_ADMIN');
    const other = await sandboxAccount();
    const made = await clock({ account_ids: `${id},${other.id}` });
    await memberships.revoke(id, ownerId);
    const member = await given.member(lent.account, 'AD_MANAGER');
    const detach = (by: Api) => by.in('production').delete(`/workbench/accounts/${id}/clock`);
    for (const by of [owner, member.api]) {
      const { status, body } = await detach(by);
      expect([status, body.errors[0].message]).toEqual([404, `You administer no sandbox account ${id}`]);
    }
    const reader = await given.client({ accessLevel: 'read' });
    await memberships.grant(id, reader.user.id, 'ACCOUNT_ADMIN');
    expect((await detach(reader.api)).status).toBe(403);
    expect((await shown(made.id)).account_ids).toContain(id);

    // also while it advances, which then ends
    await world().sql(`UPDATE test_clocks SET status = 'advancing', attempt = 'one' WHERE id = $1`, made.id);
    await world().sql(`UPDATE accounts SET "clockAdvancing" = true WHERE "clockId" = $1`, made.id);
    expect(await detach(lent.api)).toMatchObject({ status: 200, body: { data: { deleted: true } } });
    expect(await shown(made.id)).toMatchObject({
      status: 'internal_failure',
      failure: expect.stringContaining(id),
      account_ids: [other.id],
    });
    expect(await acting({ id: other.id })).toMatchObject({ clockAdvancing: false });
    const free = await world().sql('SELECT "frozenTime", "clockAdvancing" FROM accounts WHERE id = $1', id);
    expect(free).toEqual([{ frozenTime: null, clockAdvancing: false }]);
    const again = await detach(lent.api);
    expect([again.status, again.body.errors[0].message]).toEqual([404, `No test clock has the account ${id}`]);
  });

  it('limit their accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: 22 }, () => sandboxAccount()));
    const made = await clock({});
    await world().sql(
      `UPDATE accounts SET "clockId" = $2, "frozenTime" = $3 WHERE id = ANY($1)`,
      accounts.slice(0, 19).map(({ id }) => id),
      made.id,
      day(0),
    );
    const answers = await Promise.all(
      accounts.slice(19).map(({ id }) => owner.put(`/workbench/clocks/${made.id}/accounts/${id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await shown(made.id)).account_ids).toHaveLength(20);
  });

  it('limit their number per application', async () => {
    const made = await clock({});
    await world().sql(
      `UPDATE counters SET value = "limit" WHERE "ownerId" = $1 AND kind = 'test clocks'`,
      application.id,
    );
    const answer = await owner.post('/workbench/clocks', { form: { name: 'More', frozen_time: day(0) } });
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringContaining('100')]);
    expect((await owner.delete(`/workbench/clocks/${made.id}`)).status).toBe(200);
    await clock({});
  });

  it('start and end the flights of line items, on every replica, and of no other account', async () => {
    const [account, free] = [await sandboxAccount(), await sandboxAccount()];
    const flight = { start_time: day(10), end_time: day(20) };
    const items: string[] = [];
    for (const each of [account, free]) {
      const campaign = await given.campaign({ account: each });
      const item = await given.lineItem({ account: each, campaign_id: campaign.id });
      const times = `UPDATE line_items SET "startTime" = $2, "endTime" = $3 WHERE id = $1`;
      await world().sql(times, item.id, flight.start_time, flight.end_time);
      items.push(item.id);
    }
    const reasons = async (which: 0 | 1): Promise<string[]> => {
      const { id } = [account, free][which];
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => api.get(`/12/accounts/${id}/line_items/${items[which]}`)),
      );
      const [first, ...others] = answers.map(({ body }) => body.data.reasons_not_servable);
      for (const other of others) expect(other).toEqual(first);
      return first;
    };
    const { id } = await clock({ account_ids: account.id });
    const before = await reasons(1);
    expect(await reasons(0)).toContain('STARTS_IN_FUTURE');
    await advance(id, 12);
    expect(await reasons(0)).not.toContain('STARTS_IN_FUTURE');
    expect(await reasons(0)).not.toContain('EXPIRED');
    const renamed = await api.put(`/12/accounts/${account.id}/line_items/${items[0]}`, { form: { name: 'Renamed' } });
    expect(Date.parse(renamed.body.data.updated_at)).toBe(START + 12 * DAY_MS);
    await advance(id, 21);
    expect(await reasons(0)).toContain('EXPIRED');
    expect(await reasons(1)).toEqual(before);
  });

  it('keep notifications of previews for days of the service', async () => {
    const { id: accountId } = await sandboxAccount();
    await clock({ account_ids: accountId, frozen_time: new Date(Date.now() - 100 * DAY_MS).toISOString() });
    const { id } = await given.draftPost({ account: await acting({ id: accountId }) });
    expect((await api.post(`/12/accounts/${accountId}/draft_posts/preview/${id}`, { form: {} })).status).toBe(200);
    expect(await world().get(OldNotificationsJob).removeOld()).toBe(0);
    expect(await world().sql('SELECT 1 FROM preview_notifications WHERE "accountId" = $1', accountId)).toHaveLength(1);
  });

  it('leave the posts of deleted accounts to the service', async () => {
    const { id: accountId } = await sandboxAccount();
    await clock({ account_ids: accountId });
    const [post] = await scheduledPosts(await acting({ id: accountId }), 1, 1);
    expect((await api.delete(`/12/accounts/${accountId}`)).status).toBe(200);
    await world().caughtUp();
    await world().sql(`UPDATE scheduled_posts SET "scheduledAt" = '2020-01-01' WHERE id = $1`, post);
    await world().get(ScheduledPostsJob).publishDue();
    const [{ state }] = await world().sql<{ state: string }>(
      'SELECT "scheduledStatus" AS state FROM scheduled_posts WHERE id = $1',
      post,
    );
    expect(state).toBe('FAILED');
  });

  it('promote posts, count audiences and let previews expire in order of time', async () => {
    const { id: accountId } = await sandboxAccount();
    const { id } = await clock({ account_ids: accountId });
    const account = await acting({ id: accountId });
    const item = await given.lineItem({ account });
    const post = await given.scheduledPost({ account, scheduled_at: day(1) });
    const waiting = await api.post(`/12/accounts/${accountId}/scheduled_promoted_posts`, {
      form: { line_item_id: item.id, scheduled_post_id: post.id },
    });
    expect(Date.parse(waiting.body.data.created_at)).toBe(START);
    const { id: audienceId } = await given.customAudience({ account });
    const users = Array.from({ length: 100 }, (_, i) => ({
      email: [createHash('sha256').update(`${i}`).digest('hex')],
    }));
    const operations = [{ operation_type: 'Update', params: { users } }];
    await world().get(CustomAudienceUsersService).upload(account, audienceId, operations);
    const previews = `/12/accounts/${accountId}/post_previews`;
    const { body } = await api.get(previews, { query: { post_ids: post.id, post_type: 'SCHEDULED' } });
    const [url] = /http[^"']+previews\/[^"']+/.exec(body.data[0].preview)!;
    const page = async () => (await fetch(url.replace(/^https?:\/\/[^/]+/, world().url))).status;
    const audience = async (): Promise<Json> =>
      (await api.get(`/12/accounts/${accountId}/custom_audiences/${audienceId}`)).body.data;

    expect([await page(), (await audience()).targetable]).toEqual([200, false]);
    await world().get(SizeAudiencesJob).sizeDue();
    expect((await audience()).targetable).toBe(false);
    const seen = await advance(id, 2);
    expect(seen.at(-1)).toMatchObject({ status: 'ready', progress: { done: 2, total: 2 } });
    expect(await page()).toBe(410);
    expect(await audience()).toMatchObject({
      targetable: true,
      updated_at: new Date(START + 5_000).toISOString().replace('.000', ''),
    });
    const { body: promoted } = await api.get(`/12/accounts/${accountId}/promoted_posts`, {
      query: { line_item_ids: item.id },
    });
    expect(promoted.data.map((each: Json) => Date.parse(each.created_at))).toEqual([START + DAY_MS]);
  });

  it('let nobody write while they advance, and say why they could not', async () => {
    const account = await sandboxAccount();
    const made = await clock({ account_ids: account.id });
    const { id } = made;
    const path = `/12/accounts/${account.id}`;
    await world().sql(`UPDATE accounts SET "clockAdvancing" = true WHERE id = $1`, account.id);
    const rename = async () => {
      const { target, ...wire } = api.prepare('PUT', path, { form: { name: 'Renamed' } });
      return fetch(`${world().url}${target}`, wire);
    };
    const refused = await rename();
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ errors: [expect.objectContaining({ code: 'TEST_CLOCK_ADVANCING' })] }),
    ]);
    expect((await api.get(path)).status).toBe(200);

    await world().sql(`UPDATE test_clocks SET status = 'advancing', "targetTime" = $2 WHERE id = $1`, id, day(5));
    const again = await owner.post(`/workbench/clocks/${id}/advance`, { form: { frozen_time: day(9) } });
    expect(again.status).toBe(409);
    const works = world().get(TimedWorks);
    const run = () => Promise.reject(new Error('out of order'));
    works.register({ name: 'broken', count: async () => 1, due: async () => [{ id: 'one', at: day(3), run }] });
    const attempt = { number: 3, signal: new AbortController().signal };
    await world().get(AdvanceTestClockJob).advance(id, attempt);
    works.all.pop();
    expect(await shown(id)).toMatchObject({
      status: 'internal_failure',
      failure: expect.stringContaining('out of order'),
    });
    expect(Date.parse((await shown(id)).frozen_time)).toBe(Date.parse(day(3)));
    expect((await rename()).status).toBe(200);

    expect((await advance(id, 4)).at(-1)).toMatchObject({ status: 'ready', failure: null });
    await world().sql(
      `UPDATE test_clocks SET status = 'advancing', attempt = NULL, "updatedAt" = now() - interval '1 hour' WHERE id = $1`,
      id,
    );
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await world().get(TestClockCheckJob).check();
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ accounts: expect.any(Number) }),
      expect.stringContaining('Test clocks'),
    );
    warn.mockRestore();
    expect(await shown(id)).toMatchObject({ status: 'internal_failure', failure: 'Its worker ended.' });
    const health = await send(world().url, '/health/ready?verbose', { method: 'GET' });
    expect(health.body.test_clocks.accounts).toBeGreaterThan(0);
  });

  it('let nobody replace what their accounts have while they advance', async () => {
    const account = await sandboxAccount();
    await clock({ account_ids: account.id });
    const { id: campaignId } = await given.campaign({ account: await acting(account) });
    const form = { account_ids: account.id };
    expect((await owner.put('/workbench/snapshots/before', { form })).status).toBe(201);
    const set = (isAdvancing: boolean) =>
      world().sql(`UPDATE accounts SET "clockAdvancing" = $2 WHERE id = $1`, account.id, isAdvancing);
    await set(true);
    const restore = () => owner.post('/workbench/snapshots/before/restore');
    const message = `The test clock of account ${account.id} is advancing; repeat the request when its status is ready`;
    for (const { status, body, headers } of [
      await owner.post('/workbench/reset', { form: { ...form, to: 'EMPTY' } }),
      await owner.post('/workbench/reset', { form: { ...form, to: 'DEMO' } }),
      await restore(),
    ])
      expect([status, body.errors[0].message, headers['retry-after']]).toEqual([409, message, '1']);
    const path = `/12/accounts/${account.id}`;
    expect((await api.get(`${path}/campaigns/${campaignId}`)).status).toBe(200);
    await set(false);
    expect((await restore()).status).toBe(200);
    expect((await owner.post('/workbench/reset', { form: { ...form, to: 'EMPTY' } })).status).toBe(200);
    expect((await api.get(`${path}/campaigns/${campaignId}`)).status).toBe(404);
  });

  it('continue where a worker ended that did not end its attempt', async () => {
    const account = await sandboxAccount();
    const { id } = await clock({ account_ids: account.id });
    await world().sql(
      `UPDATE test_clocks SET status = 'advancing', "targetTime" = $2, attempt = 'of a process that was killed', "updatedAt" = now() - interval '1 minute' WHERE id = $1`,
      id,
      day(3),
    );
    await until(async () => (await shown(id)).status === 'ready');
    expect(Date.parse((await shown(id)).frozen_time)).toBe(Date.parse(day(3)));
  });

  it('end with the owner of the application', async () => {
    const { id } = await given.account({ userId: (await given.advertiser()).user.id, environment: 'sandbox' });
    const made = await clock({});
    await world().sql('UPDATE accounts SET "clockId" = $2, "frozenTime" = $3 WHERE id = $1', id, made.id, day(0));
    await world().get(UserRemoval).delete(ownerId);
    await world().get(UserRemoval).finish(ownerId);
    const left = 'SELECT "frozenTime" AS time FROM accounts WHERE id = $1';
    expect(await world().sql(left, id)).toEqual([{ time: null }]);
    expect(await world().sql('SELECT FROM test_clocks WHERE id = $1', made.id)).toEqual([]);
  });

  it('are managed on the command line', async () => {
    const account = await sandboxAccount();
    const env = commandEnvironment(owner.credentials);
    const inside = commandsInside(addClocksCommands, owner.credentials);
    const clocks = async (...args: string[]) => (await inside('clocks', ...args)).stdout;
    const creating = ['bin/marquee.mjs', 'clocks', 'create', 'Winter', '--at', day(0)];
    const id = (await promisify(execFile)(process.execPath, creating, { env })).stdout.trim();
    expect(await clocks('attach', id, account.id)).toBe(`Accounts of ${id}: ${account.id}\n`);
    await scheduledPosts(account, 3, 1);
    expect(await clocks('advance', id, '--by', '90d', '--wait')).toMatch(/^ready: .*, 3 done\n$/);
    expect(JSON.parse(await clocks('show', id))).toMatchObject({ id, name: 'Winter', account_ids: [account.id] });
    expect(await clocks('list')).toMatch(new RegExp(`${id} +Winter +ready +\\S+ +${account.id}`));
    await expect(clocks('advance', id, day(1))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set back'),
    });
    expect(await clocks('detach', id, account.id)).toBe(`Accounts of ${id}: none\n`);
    await clocks('attach', id, account.id);
    expect(await clocks('release', account.id)).toBe(`Released ${account.id}.\n`);
    expect(await clocks('detach', id, account.id).catch(({ stderr }: { stderr: string }) => stderr)).toContain(
      'has no account',
    );
    expect(await clocks('delete', id)).toBe('Deleted 1 test clock.\n');
  }, 60_000);

  it('publish scheduled posts once, in order of time, with their events', async () => {
    const account = await sandboxAccount();
    const ids = await scheduledPosts(account, POSTS, 90);
    const { id } = await clock({ account_ids: account.id });
    const listener = await receiver();
    await given.webhook(application, listener.url, account.id);
    const arrival = advance(id, 90);
    // another worker takes over in the middle, and ends before its slice does; a third one continues
    await until(async () => (await shown(id)).progress?.done > 0);
    const job = world().get(AdvanceTestClockJob);
    await expect(job.advance(id, { number: 1, signal: endingAfter(5) })).rejects.toThrow('the process ends');
    await Promise.all([1, 2].map((number) => job.advance(id, { number, signal: new AbortController().signal })));
    const seen = await arrival;
    expect(seen.at(-1)).toMatchObject({ status: 'ready', progress: { done: POSTS, total: POSTS } });
    expect(Date.parse(seen.at(-1).frozen_time)).toBe(START + 90 * DAY_MS);
    expect(seen.some(({ progress }) => progress.done > 0 && progress.done < POSTS)).toBe(true);
    const posts = await world().sql<{ id: string; status: string; late: boolean; createdAt: string }>(
      `SELECT s.id, s."scheduledStatus" AS status, s."completedAt" <> s."scheduledAt" OR p."createdAt" <> s."scheduledAt" AS late
        FROM posts p JOIN scheduled_posts s ON s."postId" = p.id WHERE s."accountId" = $1 ORDER BY p.id`,
      account.id,
    );
    expect(posts.map((post) => post.id)).toEqual(ids);
    expect(posts.filter(({ status, late }) => status !== 'SUCCESS' || late)).toEqual([]);
    const events = (await listener.until(2 * POSTS)).map(({ event }) => event);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(2 * POSTS);
    const dispatched = await world().sql<{ time: string }>(
      `SELECT "changeTime" AS time FROM account_changes WHERE "accountId" = $1 AND "entityType" = 'POST' ORDER BY "transactionId", id`,
      account.id,
    );
    const times = dispatched.map(({ time }) => Date.parse(time));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  }, 60_000);
});
