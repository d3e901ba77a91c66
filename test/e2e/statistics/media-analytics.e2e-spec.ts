import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { MediaAnalyticsView } from '../../../src/statistics/media-analytics/media-analytics.presenter.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Json } from '../../support/http.js';
import { unlike } from '../../support/list-conventions.js';

describe('media analytics', () => {
  useSharedApp();

  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const START = Date.parse('2026-03-02T00:00:00Z');
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const range = { start_time: iso(START), end_time: iso(START + 2 * DAY) };
  const COUNTS = {
    videoContentStarts: 90,
    videoViews25: 50,
    videoViews50: 40,
    videoViews75: 30,
    videoViews100: 20,
    videoTotalViews: 60,
    videoCtaClicks: 7,
  };

  let advertiser: Advertiser;
  let video: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    video = await uploaded(advertiser.account);
  });

  const uploaded = async (account: ActingAccount, ownerId = account.userId) =>
    (await given.libraryMedia(account, { category: 'POST_VIDEO', ownerId })).mediaKey;
  const ask = (query: Params = {}, by = advertiser) =>
    by.api.get('/2/media/analytics', { query: { media_keys: video, ...range, ...query } });
  const found = async (query: Params = {}, by = advertiser): Promise<Json[]> => {
    const { status, body } = await ask(query, by);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data;
  };
  /** The values of a metric of the first media item. */
  const values = async (metric: string, query: Params = {}, by = advertiser) =>
    (await found(query, by))[0].timestamped_metrics.map(({ metrics }: Json) => metrics[metric]);

  /** Promotes a post with this content. */
  async function promoted(account: ActingAccount, content: object) {
    const item = await given.lineItem({ account, objective: 'ENGAGEMENTS', entity_status: 'PAUSED' });
    const post = await given.post({ account, ...content });
    const { id } = await given.promotedPost({ account, lineItemId: item.id, postId: post.id });
    const facts = (...more: Parameters<typeof given.facts>[1][]) =>
      given.facts(item, ...more.map((fact) => ({ ...COUNTS, promotedId: id, ...fact })));
    return { id, item, facts };
  }

  it('are the sums of the statistics of the promoted posts, by hour, by day and in all', async () => {
    const { account } = advertiser;
    const one = await promoted(account, {
      media_keys: [video],
      video_cta: 'VISIT_SITE',
      video_cta_value: 'https://a.example/',
    });
    const other = await promoted(account, { media_keys: [video] });
    await one.facts(
      { hour: iso(START) },
      { hour: iso(START + 5 * HOUR), videoViews25: 3 },
      { hour: iso(START + 2 * DAY) },
    );
    await one.facts({ hour: iso(START + DAY), placement: 'PUBLISHER_NETWORK', videoViews25: 11 });
    await other.facts({ hour: iso(START), videoViews25: 100 }, { hour: iso(START - HOUR) });

    const body = (await ask()).body;
    expect(unlike(MediaAnalyticsView, body.data[0])).toEqual([]);
    expect(body).toMatchObject({ data: [{ media_key: video }], meta: { result_count: 1 } });
    const [{ timestamped_metrics: days }] = body.data;
    expect(days.map(({ timestamp }: Json) => timestamp)).toEqual([iso(START), iso(START + DAY)]);
    expect(days[0].metrics).toEqual({
      cta_url_clicks: 21,
      cta_watch_clicks: 0,
      playback25: 153,
      playback50: 120,
      playback75: 90,
      playback_complete: 60,
      playback_start: 270,
      video_views: 180,
    });
    expect(await values('playback25')).toEqual([153, 11]);
    expect(await values('playback25', { granularity: 'total' })).toEqual([164]);
    const hours = await values('playback25', { granularity: 'hourly' });
    expect(hours).toHaveLength(48);
    expect([hours[0], hours[1], hours[5], hours[24]]).toEqual([150, 0, 3, 11]);

    const ids = `${one.id},${other.id}`;
    const summed = async (placement: string) => {
      const about = {
        entity: 'PROMOTED_POST',
        entity_ids: ids,
        metric_groups: 'VIDEO',
        placement,
        granularity: 'TOTAL',
      };
      const answer = await advertiser.api.get(`/12/stats/accounts/${account.id}`, { query: { ...about, ...range } });
      const lists = answer.body.data.map(({ id_data }: Json) => id_data[0].metrics.video_views_25 ?? [0]);
      return lists.flat().reduce((sum: number, each: number) => sum + each, 0);
    };
    expect((await summed('ALL_ON_PLATFORM')) + (await summed('PUBLISHER_NETWORK'))).toBe(164);
  });

  it('are those of cards, which replace the media of a post, and of media creatives', async () => {
    const { account } = advertiser;
    const image = (await given.libraryMedia(account)).mediaKey;
    const components = [
      { type: 'MEDIA' as const, media_key: video },
      {
        type: 'DETAILS' as const,
        title: 'Offers',
        destination: { type: 'WEBSITE' as const, url: 'https://a.example/' },
      },
    ];
    const card = await given.card(account, { components });
    const shown = await promoted(account, { card_uri: `card://${card.id}` });
    await shown.facts({ hour: iso(START) });
    expect(await values('video_views', { granularity: 'total' })).toEqual([60]);
    expect(await found({ media_keys: image })).toEqual([{ media_key: image, timestamped_metrics: [] }]);

    const creative = await given.mediaCreative({ account });
    const item = await given.prerollLineItem({ account, entity_status: 'PAUSED' });
    const where = { ...item, id: creative.lineItemId };
    await given.facts(where, { ...COUNTS, hour: iso(START), promotedId: creative.id, promotedKind: 'MEDIA_CREATIVE' });
    const [{ mediaKey }] = await world().sql<{ mediaKey: string }>(
      'SELECT "mediaKey" FROM account_media WHERE id = $1',
      creative.accountMediaId,
    );
    expect(await values('playback_complete', { media_keys: mediaKey, granularity: 'total' })).toEqual([20]);
    const both = await found({ media_keys: `${mediaKey},${video}` });
    expect(both.map(({ media_key }) => media_key)).toEqual([mediaKey, video]);
  });

  it('tell clicks on WATCH_NOW apart, and return the fields that are asked for', async () => {
    const content = { media_keys: [video], video_cta: 'WATCH_NOW', video_cta_value: 'https://a.example/' };
    await (await promoted(advertiser.account, content)).facts({ hour: iso(START) });
    const fields = 'cta_url_clicks,cta_watch_clicks,watch_time_ms';
    const answer = await ask({ 'media_analytics.fields': fields, granularity: 'total' });
    expect(answer.body.data[0].timestamped_metrics).toEqual([
      { timestamp: iso(START), metrics: { cta_url_clicks: 0, cta_watch_clicks: 7 } },
    ]);
    expect(answer.headers['x-marquee-hint']).toContain('watch_time_ms of media_analytics.fields were ignored');
  });

  it('count in the accounts whose paid statistics the caller may read now, and in no other', async () => {
    const { account } = advertiser;
    const elsewhere = await given.advertiser();
    const memberships = world().get(MembershipsService);
    // the same upload in the library of an account of somebody else
    const media = await given.libraryMedia(elsewhere.account, {
      category: 'POST_VIDEO',
      additionalOwners: [account.userId],
    });
    const theirs = await promoted(elsewhere.account, { media_keys: [media.mediaKey] });
    await theirs.facts({ hour: iso(START) });
    const seen = () => values('video_views', { media_keys: media.mediaKey, granularity: 'total' });
    expect(await seen()).toEqual([]);
    await memberships.grant(elsewhere.account.id, account.userId, 'ANALYST');
    expect(await seen()).toEqual([]);
    await memberships.grant(elsewhere.account.id, account.userId, 'CAMPAIGN_ANALYST');
    expect(await seen()).toEqual([60]);
    await memberships.revoke(elsewhere.account.id, account.userId);
    expect(await seen()).toEqual([]);
    await memberships.grant(elsewhere.account.id, account.userId, 'AD_MANAGER');
    await world().get(AccountsService).delete(elsewhere.account);
    expect(await seen()).toEqual([]);
  });

  it('are refused for uploads of others and for unknown ones, as their look-up is', async () => {
    const stranger = await given.advertiser();
    const answer = await ask({ media_keys: `${video},7_1` }, stranger);
    expect(answer).toMatchObject({
      status: 404,
      body: {
        errors: [
          { code: 325, parameters: { media_keys: [video] } },
          { code: 325, parameters: { media_keys: ['7_1'] } },
        ],
      },
    });
  });

  it.each([
    ['without times', { start_time: '', end_time: '' }, ['start_time', 'end_time']],
    ['without keys', { media_keys: '' }, ['media_keys']],
    ['of something else', { media_keys: 'abc' }, ['media_keys']],
    ['of too many', { media_keys: Array.from({ length: 101 }, (_, i) => `7_${i}`).join(',') }, ['media_keys']],
    ['by week', { granularity: 'weekly' }, ['granularity']],
    ['with no such field', { 'media_analytics.fields': 'likes' }, ['media_analytics.fields']],
    ['of no time', { end_time: iso(START) }, ['end_time']],
    ['within an hour', { start_time: iso(START + 1_000), granularity: 'total' }, ['start_time']],
    ['by day within a day', { start_time: iso(START + HOUR) }, ['start_time']],
    ['by hour of eight days', { end_time: iso(START + 8 * DAY), granularity: 'hourly' }, ['end_time']],
    ['of 91 days', { end_time: iso(START + 91 * DAY) }, ['end_time']],
  ])('are refused %s', async (_, query, parameters) => {
    const { status, body } = await ask(query);
    expect({ status, parameters: body.errors.flatMap((each: Json) => Object.keys(each.parameters)) }).toEqual({
      status: 400,
      parameters,
    });
  });
});
