import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/media_creatives${rest}`;
const show = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});

/** A line item that shows images on the partner network. */
const forImages = ({ account }: Advertiser, params: object = {}) =>
  given.lineItem({
    account,
    objective: 'REACH',
    product_type: 'MEDIA',
    placements: ['PUBLISHER_NETWORK'],
    advertiser_domain: 'example.com',
    categories: ['IAB3'],
    ...params,
  });
const forClicks = (advertiser: Advertiser) => forImages(advertiser, { objective: 'WEBSITE_CLICKS' });

describe('showing media', () => {
  it('shows an in-stream video, and keeps no URL of it', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const { id: account_media_id } = await given.accountMedia(account);
    const asked = { line_item_id, account_media_id, landing_url: 'https://example.com/ignored' };
    const first = await show(advertiser, asked);
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.any(String),
      line_item_id,
      landing_url: null,
      creative_type: 'PREROLL',
      entity_status: 'ACTIVE',
      account_media_id,
      approval_status: 'ACCEPTED',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    const again = await show(advertiser, { line_item_id, account_media_id });
    expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });
    const other = await given.accountMedia(account);
    for (const [medium, status] of [
      [other.id, 201],
      [account_media_id, 200],
    ] as const) {
      const answer = await show(advertiser, { line_item_id, account_media_id: medium, landing_url: 'nowhere' });
      expect({ status: answer.status, url: answer.body.data?.landing_url }).toEqual({ status, url: null });
    }
  });

  it('makes one of many at once', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const { id: account_media_id } = await given.accountMedia(account);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => show(advertiser, { line_item_id, account_media_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    const [{ creatives }] = await world().sql<{ creatives: number }>(
      `SELECT creatives FROM line_items WHERE id = $1`,
      line_item_id,
    );
    expect(creatives).toBe(1);
  });

  it('completes its line item until the last one goes', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const item = await given.prerollLineItem({ account, campaign_id: (await given.campaign({ account })).id });
    const read = async () => (await api.get(`/12/accounts/${account.id}/line_items/${item.id}`)).body.data;
    expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
    const creative = await given.mediaCreative({ account, lineItemId: item.id });
    expect(await read()).toMatchObject({ servable: true });
    await api.delete(at(advertiser, `/${creative.id}`));
    expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
  });

  it.each([
    ['BANNER', 'TAP_BANNER', true],
    ['BANNER', 'TAP_FULL', false],
    ['BANNER_TABLET', 'TAP_BANNER', true],
    ['INTERSTITIAL', 'TAP_FULL', true],
    ['INTERSTITIAL_TABLET', 'PUBLISHER_NETWORK', true],
    ['INTERSTITIAL_LANDSCAPE', 'TAP_FULL_LANDSCAPE', true],
    ['INTERSTITIAL_LANDSCAPE_TABLET', 'TAP_BANNER', false],
    ['MEDIUM_RECTANGLE', 'TAP_MRECT', true],
    ['PREROLL', 'PUBLISHER_NETWORK', false],
  ] as const)('%s on a line item that is shown at %s: %s', async (type, placement, fits) => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await forImages(advertiser, { placements: [placement] });
    const { id: account_media_id } = await given.accountMedia(advertiser.account, type);
    const answer = await show(advertiser, { line_item_id, account_media_id });
    expect(problems(answer)).toEqual(
      fits ? { status: 201, errors: undefined } : { status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] },
    );
  });

  it('shows an in-stream video only where streams are', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: account_media_id } = await given.accountMedia(account);
    for (const [placements, fits] of [
      ['{TAP_BANNER}', false],
      ['{TAP_BANNER,PUBLISHER_NETWORK}', true],
      ['{ALL_ON_PLATFORM}', true],
    ] as const) {
      const { id: line_item_id } = await given.prerollLineItem({ account });
      // line items of earlier releases can have any placement
      await world().sql('UPDATE line_items SET placements = $2::varchar[] WHERE id = $1', line_item_id, placements);
      const answer = await show(advertiser, { line_item_id, account_media_id });
      expect([placements, problems(answer)]).toEqual([
        placements,
        fits ? { status: 201, errors: undefined } : { status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] },
      ]);
    }
  });

  it('refuses images in streams, and what is no line item for media', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: account_media_id } = await given.accountMedia(account, 'BANNER');
    for (const item of [await given.prerollLineItem({ account }), await given.lineItem({ account })]) {
      const answer = await show(advertiser, { line_item_id: item.id, account_media_id });
      expect(problems(answer)).toEqual({ status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] });
    }
  });

  it('needs to know where an image leads where clicks are bought', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await forClicks(advertiser);
    const { id: account_media_id } = await given.accountMedia(advertiser.account, 'BANNER');
    const asked = { line_item_id, account_media_id };
    expect(problems(await show(advertiser, asked))).toEqual({ status: 400, errors: ['MISSING_PARAMETER landing_url'] });
    expect(problems(await show(advertiser, { ...asked, landing_url: 'nowhere' }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER landing_url'],
    });
    const made = await show(advertiser, { ...asked, landing_url: 'https://example.com/offers' });
    expect(made.body.data.landing_url).toBe('https://example.com/offers');
    expect((await show(advertiser, { ...asked, landing_url: 'https://example.com/offers' })).status).toBe(200);
    expect(problems(await show(advertiser, { ...asked, landing_url: 'https://example.com/other' }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER landing_url'],
    });
  });

  it('names everything that is wrong', async () => {
    const advertiser = await given.advertiser();
    const answer = await show(advertiser, { line_item_id: 'nobody', account_media_id: 'nothing', landing_url: 'x' });
    expect(problems(answer)).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER landing_url', 'NOT_FOUND line_item_id', 'NOT_FOUND account_media_id'],
    });
  });

  it('shows no media of others, nor deleted ones; what is shown stays when its medium goes', async () => {
    const advertiser = await given.advertiser();
    const other = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const theirs = await given.accountMedia(other.account);
    const foreign = await show(advertiser, { line_item_id, account_media_id: theirs.id });
    expect(problems(foreign)).toEqual({ status: 404, errors: ['NOT_FOUND account_media_id'] });
    const creative = await given.mediaCreative({ account, lineItemId: line_item_id });
    const media = `/12/accounts/${account.id}/account_media/${creative.accountMediaId}`;
    expect((await api.delete(media)).status).toBe(200);
    expect((await api.get(at(advertiser, `/${creative.id}`))).body.data).toMatchObject({ deleted: false });
    await api.delete(at(advertiser, `/${creative.id}`));
    const again = await show(advertiser, { line_item_id, account_media_id: creative.accountMediaId });
    expect(problems(again)).toEqual({ status: 404, errors: ['NOT_FOUND account_media_id'] });
  });

  it('is found by its campaign', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const item = await given.prerollLineItem({ account });
    const one = await given.mediaCreative({ account, lineItemId: item.id });
    await given.mediaCreative({ account });
    const listed = async (campaign_id: string) =>
      (await api.get(at(advertiser), { query: { campaign_id } })).body.data.map(({ id }: Json) => id);
    expect(await listed(item.campaignId)).toEqual([one.id]);
    expect(await listed('nothing')).toEqual([]);
  });
});
