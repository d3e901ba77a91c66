import { createHash } from 'node:crypto';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { ConversionsUpkeepJob } from '../../../src/measurement/conversions/conversions-upkeep.job.js';
import { EngagementsService } from '../../../src/measurement/engagements/engagements.service.js';
import { Api } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Json } from '../../support/http.js';

useSharedApp();

const HOUR_MS = 3_600_000;

describe('events in apps of measurement partners', () => {
  let partner: Api;
  let applicationId: string;
  let account: ActingAccount;
  let app: string;
  let device: string;
  let userId: string;
  let number = 0;
  beforeEach(async () => {
    const advertiser = await given.advertiser();
    account = advertiser.account;
    partner = advertiser.api;
    const [application] = await world().get(ApplicationQueries).find(partner.credentials.consumer.key);
    applicationId = application.id;
    await world().get(ApplicationsService).update(applicationId, { measurementPartner: true });
    app = `com.example.game${++number}`;
    await given.appEventTag({ account, app_store_identifier: app, os_type: 'ANDROID', conversion_type: 'INSTALL' });
    const { user } = await given.client();
    userId = user.id;
    device = createHash('sha256').update(`device of ${userId}`).digest('hex');
    const directory = world().get(DirectoryImportService);
    await directory.store([directory.read({ username: user.username, device_id: device, country: 'US' })]);
  });

  const hoursAgo = (hours: number) => new Date(world().clock.now().getTime() - hours * HOUR_MS).toISOString();
  const event = (more: object = {}) => ({
    app_id: app,
    conversion_type: 'INSTALL',
    os_type: 'ANDROID',
    conversion_time: hoursAgo(1),
    hashed_device_id: device.toUpperCase(),
    ...more,
  });
  const sent = (more: object = {}) => partner.post('/12/conversion_event', { query: event(more) });
  const asked = (more: object = {}) => partner.get('/12/conversion_attribution', { query: event(more) });
  const errors = ({ body }: { body: Json }) => body.errors.map(({ code, parameter }: Json) => [code, parameter]);
  async function engage(isClick: boolean, hours: number) {
    const item = await given.lineItem({ account });
    const promoted = await given.promotedPost({ account, lineItemId: item.id });
    await world()
      .get(EngagementsService)
      .store(account.db, account, [
        {
          ...{ userId, at: hoursAgo(hours), isClick, lineItemId: item.id, placement: 'ALL_ON_PLATFORM' },
          ...{ promotedId: promoted.id, promotedKind: 'PROMOTED_POST', audienceId: '', currency: 'USD' },
          ...{ isForWebsite: false, tagId: null },
        },
      ]);
    return item;
  }

  it('are attributed to the last click in its window, else to the last view', async () => {
    const view = await engage(false, 5);
    const answer = await sent({
      price_micro: 5,
      price_currency: 'eur',
      level: 3,
      non_platform_engagement_type: 'CLICK',
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      app_id: app,
      click_window: 14,
      view_through_window: 1,
      conversion_value_micro: 5,
      limit_ad_tracking: false,
      partner_client_id: applicationId,
      tpn_attribution: null,
      event_metadata: { level: 3, price_currency: 'EUR', price_micro: 5, number_items: null, user_payment_info: null },
      non_platform_engagement_type: 'CLICK',
      platform_attribution: {
        country_code: 'US',
        engagement_type: 'VIEW',
        attribution_type: 'PROMOTED',
        post_id: expect.stringMatching(/^\d+$/),
        promoted_properties: { account_id: account.id, line_item_id: view.id, publisher_app_id: null },
      },
    });
    const click = await engage(true, 13 * 24);
    const found = await asked();
    expect(found.body.data).not.toHaveProperty('event_metadata');
    expect(found.body.data.platform_attribution).toMatchObject({
      engagement_type: 'CLICK',
      promoted_properties: { line_item_id: click.id },
    });
    expect((await asked({ click_window: 7 })).body.data.platform_attribution.engagement_type).toBe('VIEW');
    const none = await asked({ click_window: 7, view_through_window: 0 });
    expect(none.body.data.platform_attribution).toBeNull();
    // another device of the same person
    const others = { hashed_device_id: createHash('sha256').update('x').digest('hex') };
    expect((await asked(others)).body.data.platform_attribution).toBeNull();
    expect((await asked({ ...others, extra_device_ids: device })).body.data.platform_attribution).not.toBeNull();
    // an event that the account does not measure
    expect((await asked({ conversion_type: 'PURCHASE' })).body.data.platform_attribution).toBeNull();
  });

  it('are found beside any number of tags of other events', async () => {
    await engage(true, 2);
    await world().sql(
      `INSERT INTO app_event_tags SELECT (jsonb_populate_record(t, jsonb_build_object(
          'id', '0' || n, 'conversionType', 'LOGIN', 'providerAppEventId', 'login ' || n))).*
        FROM app_event_tags t, generate_series(1, 201) n WHERE t."appStoreIdentifier" = $1`,
      app,
    );
    expect((await asked()).body.data.platform_attribution).not.toBeNull();
  });

  it('count in the statistics of the line item, with their value', async () => {
    const item = await engage(true, 2);
    await bought({ conversion_time: hoursAgo(1) });
    await bought({ conversion_time: hoursAgo(1.5) });
    // without a value
    await sent({ conversion_time: hoursAgo(1.2) });
    await asked();
    expect((await installs(item.id)).mobile_conversion_purchases.post_engagement?.[0] ?? 0).toBe(0);
    expect((await installs(item.id)).mobile_conversion_installs).toMatchObject({
      post_engagement: [3],
      order_quantity: [6_000_000],
      sale_amount: [10_000_000],
    });
  });

  const bought = (more: object) => sent({ price_micro: 5_000_000, price_currency: 'USD', number_items: 3, ...more });

  /** The metrics of the line item of the last hours. */
  async function installs(itemId: string): Promise<Json> {
    const hour = (ms: number) => `${new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString().slice(0, 19)}Z`;
    const now = world().clock.now().getTime();
    const { body } = await partner.get(`/12/stats/accounts/${account.id}`, {
      query: {
        entity: 'LINE_ITEM',
        entity_ids: itemId,
        start_time: hour(now - 6 * HOUR_MS),
        end_time: hour(now + HOUR_MS),
        granularity: 'TOTAL',
        placement: 'ALL_ON_PLATFORM',
        metric_groups: 'MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION,WEB_CONVERSION',
      },
    });
    return body.data[0].id_data[0].metrics;
  }

  it('count once if they are repeated, also at the same time, and in 48 hours', async () => {
    const item = await engage(true, 3);
    const counted = async () => (await installs(item.id)).mobile_conversion_installs.post_engagement;
    const time = { conversion_time: hoursAgo(2) };
    const answers = await Promise.all(Array.from({ length: 6 }, () => bought(time)));
    expect(answers.map(({ status, body }) => [status, body.data.platform_attribution.engagement_type])).toEqual(
      Array(6).fill([200, 'CLICK']),
    );
    expect(await counted()).toEqual([1]);
    // another account with the same app and a later click takes the repetition, which still counts nowhere
    const { account: other } = await given.advertiser();
    await given.appEventTag({ account: other, app_store_identifier: app });
    const own = account;
    account = other;
    const later = await engage(true, 2.5);
    account = own;
    expect((await bought(time)).body.data.platform_attribution.promoted_properties.line_item_id).toBe(later.id);
    const facts = await world().sql(`SELECT FROM conversion_facts WHERE "lineItemId" = $1`, later.id);
    expect(facts).toEqual([]);
    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 49 * HOUR_MS));
    await world().get(ConversionsUpkeepJob).clearKeys();
    const keys = await world().sql(`SELECT FROM app_event_keys WHERE at <= $1`, now.toISOString());
    clock.set(now);
    expect(keys).toEqual([]);
    await bought(time);
    expect(await world().sql(`SELECT FROM conversion_facts WHERE "lineItemId" = $1`, later.id)).toHaveLength(1);
  });

  it('have Idempotency-Keys of their own in the sandbox', async () => {
    const sandbox = partner.in('sandbox');
    const { account: tried } = await given.advertiser({ environment: 'sandbox' });
    await given.appEventTag({
      account: tried,
      ...{ app_store_identifier: app, os_type: 'ANDROID', conversion_type: 'INSTALL' },
    });
    const sending = { query: event(), headers: { 'idempotency-key': `key of ${app}` } };
    const post = async (api: Api) => {
      const { status, headers, body } = await api.post('/12/conversion_event', sending);
      expect([status, body.errors]).toEqual([200, undefined]);
      return headers['idempotent-replayed'];
    };
    expect([await post(sandbox), await post(partner)]).toEqual([undefined, undefined]);
    expect([await post(sandbox), await post(partner)]).toEqual(['true', 'true']);
  });

  it('wait while the test clock of the account that they are attributed to advances', async () => {
    const item = await engage(true, 2);
    const advancing = (is: boolean) =>
      world().sql(`UPDATE accounts SET "clockAdvancing" = $2 WHERE id = $1`, account.id, is);
    const time = { conversion_time: hoursAgo(1) };
    await advancing(true);
    expect(errors(await bought(time))).toEqual([['TEST_CLOCK_ADVANCING', 'account_id']]);
    expect((await asked(time)).status).toBe(200);
    await advancing(false);
    expect((await bought(time)).status).toBe(200);
    expect((await installs(item.id)).mobile_conversion_installs.post_engagement).toEqual([1]);
  });

  it('are noted at their tag, and what is only asked is not', async () => {
    const tag = async () =>
      (await partner.get(`/12/accounts/${account.id}/app_event_tags`)).body.data[0].last_tracked_at as string | null;
    await asked();
    expect(await tag()).toBeNull();
    await sent();
    expect(await tag()).toMatch(/Z$/);
    // the time is that of the account
    await world().sql(
      `UPDATE accounts SET "clockId" = 'clock', "frozenTime" = $2 WHERE id = $1`,
      account.id,
      '2036-05-01T08:00:00Z',
    );
    await sent();
    expect(await tag()).toBe('2036-05-01T08:00:00Z');
    await world().sql(`UPDATE accounts SET "clockId" = NULL, "frozenTime" = NULL WHERE id = $1`, account.id);
    await sent();
    expect(Date.parse((await tag())!)).toBeLessThan(Date.parse('2036-05-01T08:00:00Z'));
  });

  it('are refused for others, for unknown apps and for wrong parameters', async () => {
    expect(errors(await sent({ app_id: 'com.example.nobody' }))).toEqual([['MACT_APP_NOT_FOUND', 'app_id']]);
    expect(errors(await sent({ app_id: '284882215' }))).toEqual([['INVALID_APP_STORE', 'os_type']]);
    expect(errors(await sent({ app_id: '!' }))).toEqual([['INVALID_APP_ID', 'app_id']]);
    expect(errors(await sent({ click_window: 7, view_through_window: 14, hashed_device_id: 'x' }))).toEqual([
      ['INVALID_PARAMETER', 'hashed_device_id'],
      ['INVALID_PARAMETER', 'view_through_window'],
    ]);
    await world().get(ApplicationsService).update(applicationId, { measurementPartner: false });
    const refused = await sent();
    expect([refused.status, errors(refused)]).toEqual([
      404,
      [['NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION', undefined]],
    ]);
  });

  it("have X's names for its clients", async () => {
    await engage(true, 2);
    const { body } = await partner.get('/12/conversion_attribution', {
      query: event(),
      headers: { 'x-marquee-names': 'x' },
    });
    expect(body.data.twitter_attribution).toMatchObject({ engagement_type: 'CLICK', tweet_id: expect.any(String) });
  });
});
