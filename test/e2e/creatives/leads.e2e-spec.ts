import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { LeadFormsService } from '../../../src/creatives/lead-forms/lead-forms.service.js';
import { LeadsUpkeepJob } from '../../../src/creatives/leads/leads-upkeep.job.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { Api } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Json } from '../../support/http.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('leads', () => {
  useApp({ DELIVERY: 'simulated' });

  let owner: Api;
  let account: ActingAccount;
  let form: { id: string };
  let promoted: { item: { id: string; campaignId: string }; postId: string };
  beforeEach(async () => {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    owner = new Api({ consumer: application.consumer, token });
    account = await given.account({ userId: ownerId, environment: 'sandbox' });
    form = await given.leadForm({ account, fields: [{ key: 'EMAIL' }, { key: 'CITY', optional: true }] });
    promoted = await promotedForm(account, form.id);
  });

  /** An active line item with a promoted post whose card leads to a form. */
  async function promotedForm(of: ActingAccount, id: string) {
    const { mediaKey: media_key } = await given.libraryMedia(of);
    const card = await given.card(of, {
      components: [
        { type: 'MEDIA', media_key },
        { type: 'DETAILS', title: 'Taste', destination: { type: 'LEAD_FORM', id } },
      ],
    });
    const campaign = await given.campaign({ account: of, daily_budget_amount_local_micro: 4_000_000_000 });
    const item = await given.lineItem({ account: of, objective: 'WEBSITE_CLICKS', campaign_id: campaign.id });
    const { id: postId } = await given.post({ account: of, text: 'Taste', card_uri: `card://${card.id}` });
    await given.promotedPost({ account: of, lineItemId: item.id, postId });
    return { item, postId };
  }

  const start = () => Math.floor(world().clock.now().getTime() / HOUR_MS) * HOUR_MS;
  const deliver = (hour: number) =>
    world()
      .get(SimulatedDelivery)
      .deliverHour(account.id, new Date(start() + hour * HOUR_MS));
  const submit = (params: object = {}) =>
    owner.post('/workbench/leads', { form: { account_id: account.id, lead_form_id: form.id, ...params } });
  const listed = async (query: object = {}): Promise<Json[]> =>
    (await owner.get('/workbench/leads', { query: { account_id: account.id, max_results: 1000, ...query } })).body.data;
  const refusal = ({ status, body }: Awaited<ReturnType<typeof submit>>) => [status, body.errors?.[0]?.message];
  const count = async () =>
    (await world().sql<{ n: number }>(`SELECT count(*)::int AS n FROM leads WHERE "accountId" = $1`, account.id))[0].n;
  const usage = async () =>
    (
      await world().sql<{ used: number }>(
        `SELECT used::int FROM storage_usage WHERE "ownerId" = $1 AND kind = 'LEADS'`,
        account.id,
      )
    ).map(({ used }) => used);

  it('are drawn from clicks on a card that leads to a form, once for each hour', async () => {
    await deliver(1);
    const drawn = await listed();
    const [{ clicks }] = await world().sql<{ clicks: number }>(
      `SELECT sum("urlClicks")::int AS clicks FROM delivery_facts WHERE "accountId" = $1`,
      account.id,
    );
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.length).toBeLessThanOrEqual(Math.min(20, Math.ceil(clicks / 10) + 2));
    for (const lead of drawn) {
      expect(lead).toMatchObject({
        lead_form_id: form.id,
        line_item_id: promoted.item.id,
        campaign_id: promoted.item.campaignId,
        post_id: promoted.postId,
        field_values: { EMAIL: expect.stringMatching(/^[a-z.0-9]+@example\.com$/) },
      });
      expect(Object.keys(lead.field_values as object).filter((key) => !['EMAIL', 'CITY'].includes(key))).toEqual([]);
      const ms = Date.parse(lead.submitted_at) - start();
      expect([ms >= HOUR_MS, ms < 2 * HOUR_MS]).toEqual([true, true]);
    }
    await deliver(1);
    expect(await count()).toBe(drawn.length);
    expect(await usage()).toEqual([drawn.length]);
    // a test clock that begins earlier delivers the hour again
    await world().sql(`DELETE FROM delivery_positions WHERE "accountId" = $1`, account.id);
    await deliver(1);
    expect(await count()).toBe(drawn.length);
    // the same hour has the same people
    await world().sql(`DELETE FROM leads WHERE "accountId" = $1`, account.id);
    await world().sql(`DELETE FROM delivery_facts WHERE "accountId" = $1`, account.id);
    await world().sql(`DELETE FROM delivery_positions WHERE "accountId" = $1`, account.id);
    await deliver(1);
    const people = (leads: Json[]) =>
      leads.map((lead) => JSON.stringify([lead.field_values, lead.submitted_at])).sort();
    expect(people(await listed())).toEqual(people(drawn));
  });

  it('are not drawn for archived forms, nor for cards of other accounts', async () => {
    await world().get(LeadFormsService).delete(account, form.id);
    await deliver(1);
    expect(await count()).toBe(0);
    expect(refusal(await submit())).toEqual([404, expect.stringContaining('Lead Form')]);
    const other = await given.account({ userId: account.userId, environment: 'sandbox' });
    const theirs = await given.leadForm({ account: other });
    await world().sql(
      `UPDATE cards SET content = replace(content::text, $2, $3)::json WHERE "accountId" = $1`,
      account.id,
      form.id,
      theirs.id,
    );
    await deliver(2);
    expect(await count()).toBe(0);
  });

  it('are submitted by tests, with people who are invented as far as nothing is said', async () => {
    const { status, body } = await submit({ field_values: JSON.stringify({ CITY: 'Bremen <1>' }) });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      account_id: account.id,
      lead_form_id: form.id,
      field_values: { EMAIL: expect.stringContaining('@example.com'), CITY: 'Bremen <1>' },
      ...{ line_item_id: null, campaign_id: null, post_id: null },
    });
    const time = new Date(world().clock.now().getTime() - DAY_MS).toISOString();
    const led = await submit({ lead_form_id: form.id.toUpperCase(), line_item_id: promoted.item.id, time });
    expect(led.body.data).toMatchObject({
      line_item_id: promoted.item.id,
      campaign_id: promoted.item.campaignId,
      post_id: promoted.postId,
      submitted_at: `${time.slice(0, 19)}Z`,
    });
    expect(await listed({ lead_form_id: form.id })).toEqual([led.body.data, body.data]);
    const other = await given.leadForm({ account });
    expect(await listed({ lead_form_id: other.id })).toEqual([]);
    const unrelated = await submit({ lead_form_id: other.id, line_item_id: promoted.item.id });
    expect(refusal(unrelated)).toEqual([400, expect.stringContaining('no card')]);
  });

  it.each([
    [{ lead_form_id: 'x' }, 400, 'lead_form_id'],
    [{ lead_form_id: '019a1b2c-3d4e-7f50-8a61-b2c3d4e5f607' }, 404, 'Lead Form'],
    [{ line_item_id: 'zzz' }, 404, 'Line Item'],
    [{ account_id: 'zzz' }, 404, 'sandbox account'],
    [{ field_values: '[]' }, 400, 'field_values'],
    [{ field_values: '{"EMAIL":""}' }, 400, 'field_values'],
    [{ field_values: '{"NAME":"x"}' }, 400, 'field_values'],
    [{ field_values: '{"STATE":"x"}' }, 400, 'STATE'],
    [{ time: '2020-01-01T00:00:00Z' }, 400, 'time'],
    [{ time: '2100-01-01T00:00:00Z' }, 400, 'time'],
  ])('are not submitted with %j', async (params, status, named) => {
    expect(refusal(await submit(params))).toEqual([status, expect.stringContaining(named)]);
    expect(await count()).toBe(0);
  });

  it.each([
    ['{"NAME":"Zoe Quux"}', '"NAME"'],
    ['{"EMAIL":"Zoe Quux","STREET":"Quux"}', '"STREET"'],
    ['{"CITY":"Quux","EMAIL":"Zoe \\udc00"}', 'EMAIL'],
    ['{"CITY":"Quux","EMAIL":"Zoe \\u0000"}', 'EMAIL'],
    ['"Zoe Quux"', 'JSON object'],
    ['{Zoe Quux', 'JSON object'],
    ['{"EMAIL":"Quux","STATE":"Zoe"}', 'STATE'],
  ])('are not submitted with the values %s, which no refusal repeats', async (field_values, named) => {
    const answer = await submit({ field_values });
    expect(refusal(answer)).toEqual([400, expect.stringContaining(named)]);
    expect(answer.text).not.toMatch(/Zoe|Quux/);
  });

  it('are masked in the request journal', async () => {
    await submit({ field_values: JSON.stringify({ CITY: 'Bremerhaven' }) });
    await listed();
    const { body } = await owner.get('/workbench/requests', { query: { account_id: account.id } });
    expect(JSON.stringify(body)).not.toContain('Bremerhaven');
    const requests = body.data as Json[];
    for (const { id } of requests) {
      const one = await owner.get(`/workbench/requests/${id}`);
      expect(one.text).not.toContain('Bremerhaven');
    }
  });

  it('are at most as many as the account may store', async () => {
    await submit();
    await world().sql(`UPDATE storage_usage SET used = used + 999998 WHERE "ownerId" = $1`, account.id);
    const answers = await Promise.all(Array.from({ length: 3 }, () => submit()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(refusal(refused)[1]).toMatch(/stores 1000000 of at most 1000000 leads/);
    // the figures of an hour do not fail for it
    await deliver(1);
    expect(await count()).toBe(2);
    expect(await world().sql(`SELECT FROM delivery_facts WHERE "accountId" = $1`, account.id)).not.toHaveLength(0);
  });

  it('end after 90 days, and with their account', async () => {
    await submit();
    const upkeep = world().get(LeadsUpkeepJob);
    await upkeep.clearOld();
    expect(await count()).toBe(1);
    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 91 * DAY_MS));
    await upkeep.clearOld();
    clock.set(now);
    expect([await count(), await usage()]).toEqual([0, [0]]);
    await submit();
    await world().get(AccountsService).delete(account);
    await upkeep.removeOf(account.id);
    expect([await count(), await usage()]).toEqual([0, [0]]);
  });
});
