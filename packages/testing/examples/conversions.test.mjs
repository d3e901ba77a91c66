import { setTimeout as pause } from 'node:timers/promises';
import { startMarquee } from '@marquee/testing';

let marquee;
let tag;
let lineItem;

beforeAll(async () => {
  marquee = await startMarquee();
  const created = async (things, params) => {
    const { status, body } = await marquee.request('POST', `/12/accounts/:account_id/${things}`, params, {
      sandbox: true,
    });
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const { user_id: as_user_id } = marquee.credentials;
  const funding = await marquee.request('GET', '/12/accounts/:account_id/funding_instruments', {}, { sandbox: true });
  const [{ id: funding_instrument_id }] = funding.body.data;
  const days = (count) => `${new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  tag = await created('web_event_tags', {
    ...{ name: 'Bought', type: 'PURCHASE', click_window: 30, view_through_window: 1, retargeting_enabled: false },
  });
  const campaign = await created('campaigns', {
    ...{ name: 'Beans', funding_instrument_id, daily_budget_amount_local_micro: 10_000_000 },
  });
  lineItem = await created('line_items', {
    ...{ campaign_id: campaign.id, name: 'Buyers', objective: 'WEBSITE_CLICKS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: 'ALL_ON_PLATFORM', bid_strategy: 'AUTO', start_time: days(0), end_time: days(30) },
  });
  const post = await created('post', { as_user_id, text: 'Beans: https://example.com/beans' });
  await created('promoted_posts', { line_item_id: lineItem.id, post_ids: post.id_str });
}, 180_000);
afterAll(() => marquee?.stop());

test('a purchase after a click is attributed to its line item', async () => {
  const { user_id } = marquee.credentials;
  const { twclid } = await marquee.engagement({ line_item_id: lineItem.id, user_id });
  let bought = await marquee.conversion({ event_id: tag.id, twclid, value: '20.00', conversion_id: 'order-1' });
  for (const until = Date.now() + 10_000; bought.state === 'WAITING' && Date.now() < until; await pause(100)) {
    const { body } = await marquee.request('GET', `/workbench/conversions/${bought.id}`, {
      account_id: bought.account_id,
    });
    bought = body.data;
  }
  expect(bought).toMatchObject({ state: 'ATTRIBUTED', matched_by: 'twclid', line_item_id: lineItem.id });
});

test('a server sends conversions with a token of the pixel', async () => {
  const { pixel_id, token } = await marquee.pixelToken('Shop');
  const conversion = { conversion_timestamp: Date.now(), event_id: tag.id, identifiers: [{ twclid: 'unknown' }] };
  const { status } = await fetch(`${marquee.url}/sandbox/12/measurement/conversions/${pixel_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-pixel-token': token },
    body: JSON.stringify({ conversions: [conversion] }),
  });
  expect(status).toBe(200);
});
