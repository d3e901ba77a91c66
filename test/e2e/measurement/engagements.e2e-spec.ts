import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { exportText } from '../../../src/auth/user-export.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { EngagementsUpkeepJob } from '../../../src/measurement/engagements/engagements-upkeep.job.js';
import { MeasurementExport } from '../../../src/measurement/measurement-export.service.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { Api } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Json } from '../../support/http.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('engagements', () => {
  useApp({ DELIVERY: 'simulated' });

  let owner: Api;
  let ownerId: string;
  let account: ActingAccount;
  let item: { id: string };
  let userId: string;
  beforeEach(async () => {
    const application = await given.application();
    ownerId = (await world().get(ApplicationQueries).findById(application.id))!.ownerId;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    owner = new Api({ consumer: application.consumer, token });
    account = await given.account({ userId: ownerId, environment: 'sandbox' });
    item = await shownItem(account);
    userId = await inDirectory();
  });

  /** An active line item for a website with a promoted post. */
  async function shownItem(of: ActingAccount, { item: params, post: shown }: { item?: object; post?: object } = {}) {
    const campaign = await given.campaign({ account: of, daily_budget_amount_local_micro: 4_000_000_000 });
    const made = await given.lineItem({
      account: of,
      objective: 'WEBSITE_CLICKS',
      campaign_id: campaign.id,
      ...params,
    });
    const { id: postId } = await given.post({
      account: of,
      ...(shown ?? { text: 'Beans: https://example.com/beans' }),
    });
    await given.promotedPost({ account: of, lineItemId: made.id, postId });
    return made;
  }

  /** A user of the directory. */
  async function inDirectory(): Promise<string> {
    const { user } = await given.client();
    const directory = world().get(DirectoryImportService);
    await directory.store([directory.read({ username: user.username })]);
    return user.id;
  }

  const post = (form: object = {}) =>
    owner.post('/workbench/engagements', {
      form: { account_id: account.id, line_item_id: item.id, user_id: userId, ...form },
    });
  const listed = async (): Promise<Json[]> =>
    (await owner.get(`/workbench/engagements?account_id=${account.id}&max_results=1000`)).body.data;
  const refusal = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body.errors?.[0]?.message];

  it('are made by tests, a click with its click id', async () => {
    const click = await post();
    expect(click).toMatchObject({
      status: 201,
      body: { data: { type: 'CLICK', twclid: expect.stringMatching(/^2-\w{20,}$/) } },
    });
    const time = new Date(world().clock.now().getTime() - DAY_MS).toISOString();
    const view = await post({ type: 'VIEW', time, ip_address: '203.0.113.7', user_agent: 'Agent' });
    expect(view).toMatchObject({ status: 201, body: { data: { type: 'VIEW', twclid: null, user_id: userId } } });
    expect(await listed()).toEqual([view.body.data, click.body.data]);
    const [{ text }] = await world().sql<{ text: string }>(
      `SELECT string_agg(e::text, ' ') AS text FROM engagements e WHERE "accountId" = $1`,
      account.id,
    );
    expect(text).not.toMatch(/203\.0\.113|Agent/);
    let exported = '';
    for await (const part of exportText(world().get(MeasurementExport).sections(userId))) exported += part;
    expect(JSON.parse(exported).engagements).toEqual([
      expect.objectContaining({ account_id: account.id, is_click: true, twclid: click.body.data.twclid }),
      expect.objectContaining({ line_item_id: item.id, engaged_at: expect.stringMatching(/Z$/) }),
    ]);
  });

  it('name what is wrong with them', async () => {
    const later = new Date(world().clock.now().getTime() + HOUR_MS).toISOString();
    const { user: outside } = await given.client();
    const bare = await given.lineItem({ account, objective: 'WEBSITE_CLICKS' });
    const foreign = await given.account({ userId: outside.id, environment: 'sandbox' });
    expect(refusal(await post({ time: later }))).toEqual([400, expect.stringContaining('time')]);
    expect(refusal(await post({ time: new Date(world().clock.now().getTime() - 121 * DAY_MS).toISOString() }))).toEqual(
      [400, expect.stringContaining('time')],
    );
    expect(refusal(await post({ user_id: outside.id }))).toEqual([400, expect.stringContaining('user_id')]);
    expect(refusal(await post({ line_item_id: bare.id }))).toEqual([400, expect.stringContaining('ine')]);
    expect(refusal(await post({ line_item_id: 'zzz' }))).toEqual([404, expect.stringContaining('Line Item')]);
    expect(refusal(await post({ account_id: foreign.id }))).toEqual([404, expect.stringContaining('sandbox account')]);
    expect(refusal(await post({ ip_address: '203.0.113.7' }))[0]).toBe(400);
    expect(refusal(await post({ ip_address: '1.2', user_agent: 'x' }))).toEqual([
      400,
      expect.stringContaining('ip_address'),
    ]);
    expect(refusal(await post({ type: 'LIKE' }))).toEqual([400, expect.stringContaining('type')]);
    expect(await listed()).toEqual([]);
  });

  it('are drawn for accounts with an event tag only, a few of each hour', async () => {
    const start = Math.floor(world().clock.now().getTime() / HOUR_MS) * HOUR_MS;
    const deliver = (hour: number) =>
      world()
        .get(SimulatedDelivery)
        .deliverHour(account.id, new Date(start + hour * HOUR_MS));
    await deliver(0);
    expect(await listed()).toEqual([]);
    await given.webEventTag({ account });
    await deliver(1);
    const drawn = await listed();
    expect(new Set(drawn.map(({ type }) => type))).toEqual(new Set(['CLICK', 'VIEW']));
    expect(drawn.length).toBeLessThanOrEqual(200);
    for (const { line_item_id, time } of drawn) {
      expect(line_item_id).toBe(item.id);
      const ms = Date.parse(time) - start;
      expect([ms >= HOUR_MS, ms < 2 * HOUR_MS]).toEqual([true, true]);
    }
    const [facts] = await world().sql<{ clicks: number }>(
      `SELECT sum("urlClicks")::int AS clicks FROM delivery_facts WHERE "accountId" = $1 AND hour = $2`,
      account.id,
      new Date(start + HOUR_MS).toISOString(),
    );
    expect(drawn.filter(({ type }) => type === 'CLICK')).toHaveLength(Math.min(100, facts.clicks));
    await deliver(1);
    expect(await listed()).toHaveLength(drawn.length);
  });

  it('are drawn for line items of apps if the account has an app event tag', async () => {
    const { mediaKey } = await given.libraryMedia(account);
    const destination = { type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.coffee' } as const;
    const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'INSTALL' }, destination } as const;
    const card = await given.card(account, { components: [{ type: 'MEDIA', media_key: mediaKey }, button] });
    const app = await shownItem(account, {
      item: { objective: 'APP_INSTALLS', android_app_store_identifier: 'com.example.shop' },
      post: { card_uri: `card://${card.id}` },
    });
    await given.appEventTag({ account });
    const start = Math.floor(world().clock.now().getTime() / HOUR_MS) * HOUR_MS;
    // apps are clicked rarely: an hour may have none
    for (let hour = 0; hour < 8; hour++)
      await world()
        .get(SimulatedDelivery)
        .deliverHour(account.id, new Date(start + hour * HOUR_MS));
    const drawn = await listed();
    expect(new Set(drawn.map(({ type }) => type))).toEqual(new Set(['CLICK', 'VIEW']));
    expect(new Set(drawn.map(({ line_item_id }) => line_item_id))).toEqual(new Set([app.id]));
  });

  it('are at most as many as the account may store, also of requests at the same time', async () => {
    const usage = async () =>
      (
        await world().sql<{ used: number }>(
          `SELECT used FROM storage_usage WHERE "ownerId" = $1 AND kind = 'ENGAGEMENTS'`,
          account.id,
        )
      ).map(({ used }) => used);
    await post();
    expect(await usage()).toEqual([1]);
    await world().sql(`UPDATE storage_usage SET used = used + 999996 WHERE "ownerId" = $1`, account.id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403]);
    expect(refusal(answers.find(({ status }) => status === 403)!)[1]).toMatch(
      /stores 1000000 of at most 1000000 engag/,
    );
    // the figures of an hour do not fail for it
    await given.webEventTag({ account });
    const start = new Date(Math.floor(world().clock.now().getTime() / HOUR_MS) * HOUR_MS);
    await world().get(SimulatedDelivery).deliverHour(account.id, start);
    expect(await listed()).toHaveLength(4);
    expect(await world().sql(`SELECT FROM delivery_facts WHERE "accountId" = $1`, account.id)).not.toHaveLength(0);
    await world().sql(`UPDATE storage_usage SET used = used - 999996 WHERE "ownerId" = $1`, account.id);
    await world().get(EngagementsUpkeepJob).removeOf(account.id);
    expect(await usage()).toEqual([0]);
  });

  it('end after 120 days, and with their user or their account', async () => {
    await post();
    await post({ user_id: await inDirectory() });
    const upkeep = world().get(EngagementsUpkeepJob);
    await upkeep.clearOld();
    expect(await listed()).toHaveLength(2);
    await world().get(UserRemoval).delete(userId);
    await world().get(UserRemoval).finish(userId);
    expect(await listed()).toMatchObject([{ user_id: expect.not.stringMatching(userId) }]);
    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 121 * DAY_MS));
    await upkeep.clearOld();
    clock.set(now);
    expect(await listed()).toEqual([]);
    await post({ user_id: await inDirectory() });
    await world().get(AccountsService).delete(account);
    await upkeep.removeOf(account.id);
    expect(await count()).toBe(0);
  });

  const count = async () =>
    (
      await world().sql<{ n: number }>(`SELECT count(*)::int AS n FROM engagements WHERE "accountId" = $1`, account.id)
    )[0].n;
});
