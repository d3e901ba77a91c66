import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { EngagementsService } from '../../../src/measurement/engagements/engagements.service.js';
import { Api } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { conversionsMatched } from '../../support/conversions.js';
import { given } from '../../support/given.js';
import type { Json } from '../../support/http.js';

useSharedApp();

describe('conversions in the workbench', () => {
  let owner: Api;
  let account: ActingAccount;
  let tag: string;
  beforeEach(async () => {
    const { ownerId, api } = await given.applicationOwner();
    owner = api;
    account = await given.account({ userId: ownerId });
    tag = (await given.webEventTag({ account })).id;
  });

  const sent = (form: object = {}) =>
    owner.post('/workbench/conversions', {
      form: { account_id: account.id, event_id: tag, email: 'Ann@example.com', ...form },
    });
  const listed = async (): Promise<Json[]> =>
    (await owner.get('/workbench/conversions', { query: { account_id: account.id } })).body.data;

  it('are sent by tests and shown without people', async () => {
    const { status, body } = await sent({ value: '20.00', price_currency: 'eur', number_items: '2', twclid: 'abc' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      account_id: account.id,
      web_event_tag_id: tag,
      value_micro: 20_000_000,
      price_currency: 'EUR',
      number_items: 2,
      identifiers: ['twclid', 'hashed_email'],
      duplicates: 0,
      last_duplicate_at: null,
      is_duplicate: false,
    });
    const [first] = await listed();
    expect(first.id).toBe(body.data.id);
    const one = await owner.get(`/workbench/conversions/${first.id}`, { query: { account_id: account.id } });
    expect(one.body.data).toEqual(first);
    await sent({ event_id: 'gtm_lead' });
    expect((await listed())[0]).toMatchObject({ web_event_tag_id: null, event_name: 'gtm_lead', state: 'NO_TAG' });
  });

  it('count their duplicates', async () => {
    const { body } = await sent({ conversion_id: 'order-1' });
    const again = await sent({ conversion_id: 'order-1' });
    expect(again.body.data).toMatchObject({ id: body.data.id, is_duplicate: true, duplicates: 1 });
    const answers = await Promise.all(Array.from({ length: 3 }, () => sent({ conversion_id: 'order-1' })));
    expect(answers.map((answer) => answer.body.data.is_duplicate)).toEqual([true, true, true]);
    expect(await listed()).toMatchObject([{ duplicates: 4, last_duplicate_at: expect.any(String) }]);
  });

  it('are attributed to the click whose id they have', async () => {
    account = await given.account({ userId: account.userId, environment: 'sandbox' });
    tag = (await given.webEventTag({ account })).id;
    const item = await given.lineItem({ account, objective: 'WEBSITE_CLICKS' });
    const { id: postId } = await given.post({ account, text: 'Beans: https://example.com/beans' });
    const promoted = await given.promotedPost({ account, lineItemId: item.id, postId });
    const { user } = await given.client();
    const at = new Date(world().clock.now().getTime() - 3_600_000).toISOString();
    const [{ twclid }] = await world()
      .get(EngagementsService)
      .store(account.db, account, [
        {
          ...{ userId: user.id, at, isClick: true, lineItemId: item.id, placement: 'ALL_ON_PLATFORM' },
          ...{ promotedId: promoted.id, promotedKind: 'PROMOTED_POST', audienceId: '', currency: 'USD' },
          ...{ isForWebsite: true, tagId: null },
        },
      ]);
    await sent({ twclid: twclid!, email: undefined });
    await sent();
    await conversionsMatched(account.id);
    expect(await listed()).toMatchObject([
      { state: 'UNATTRIBUTED', matched_by: null },
      {
        state: 'ATTRIBUTED',
        matched_by: 'twclid',
        line_item_id: item.id,
        engagement_type: 'CLICK',
        engagement_time: expect.any(String),
        window_days: 30,
      },
    ]);
  });

  it('name what is wrong, and are of accounts that the owner manages', async () => {
    const wrong = await sent({ event_id: 'zzz', value: 'much', email: undefined });
    expect(wrong.body.errors.map(({ message }: Json) => message)).toEqual([
      expect.stringContaining('conversion.identifiers'),
      expect.stringContaining('conversion.value'),
      expect.stringContaining('conversion.event_id'),
    ]);
    const stranger = await given.advertiser();
    expect((await sent({ account_id: stranger.account.id })).status).toBe(404);
    const query = { account_id: stranger.account.id };
    expect((await owner.get('/workbench/conversions', { query })).status).toBe(404);
    const { id } = (await sent()).body.data;
    expect((await owner.get(`/workbench/conversions/${id}x`, { query: { account_id: account.id } })).status).toBe(404);
  });
});
