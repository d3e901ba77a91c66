import fc from 'fast-check';
import { swapJson } from '../../../src/names/swap-json.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { Api, type Sending } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { closeReceivers, hmacOf } from '../../support/receiver.js';
import { sendMultipart } from '../../support/media/upload.js';
import { listening } from '../webhooks/listening.js';
import { foreignWords } from './foreign-words.js';

const AT_X = { 'x-marquee-names': 'x' };
const AGES = { start_time: '2026-01-01T00:00:00Z', end_time: '2030-01-01T00:00:00Z' };
const FLIGHT = { start_time: '2026-10-01T00:00:00Z', end_time: '2036-10-01T00:00:00Z' };

describe('a request with the names of X', () => {
  useApp();

  let advertiser: Advertiser;
  let application: Application;
  let own: string;
  beforeEach(async () => {
    application = await given.application();
    advertiser = await given.advertiser({ application });
    own = `/12/accounts/${advertiser.account.id}`;
  });

  /** The answer with the names of X, of which none may be one of ours. */
  const atX = async (method: string, path: string, sending: Sending = {}): Promise<Answer> => {
    const answer = await advertiser.api.call(method, path, { ...sending, headers: { ...AT_X, ...sending.headers } });
    expect(foreignWords('x', answer.body)).toEqual([]);
    return answer;
  };
  /** The same where the answer repeats what was sent. */
  const sent = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    advertiser.api.call(method, path, { ...sending, headers: AT_X });
  const made = async (path: string, form: Sending['form']): Promise<Json> => {
    const { status, body } = await atX('POST', path, { form });
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  async function ownerOf({ id, consumer }: Application): Promise<Api> {
    const { ownerId } = (await world().get(ApplicationQueries).findById(id))!;
    return new Api({ consumer, token: await world().get(AccessTokensService).issue(ownerId, id, 'write') });
  }
  const as_user_id = () => advertiser.account.userId;
  const promoted = () => given.lineItem({ account: advertiser.account });

  it('publishes, names, lists and previews posts', async () => {
    const { id_str: id } = await made(`${own}/tweet`, { as_user_id: as_user_id(), text: 'post_id, not tweet_id' });
    const query = { tweet_ids: id, tweet_type: 'PUBLISHED' };
    const { body } = await atX('GET', `${own}/tweets`, { query });
    expect(body.request.params).toMatchObject({ tweet_ids: [id], tweet_type: 'PUBLISHED' });
    expect(body.data).toEqual([expect.objectContaining({ tweet_id: id, full_text: 'post_id, not tweet_id' })]);
    const ours = await advertiser.api.get(`${own}/posts`, { query: { post_ids: id, post_type: 'PUBLISHED' } });
    expect(body).toEqual(swapJson(ours.body));
    const named = await atX('PUT', `${own}/tweets/${id}/name`, { form: { name: 'Our PROMOTED_POSTS' } });
    expect(named.body).toMatchObject({ request: { params: { tweet_id: id } }, data: { name: 'Our PROMOTED_POSTS' } });
    const { data } = (await atX('GET', `${own}/tweet_previews`, { query })).body;
    expect(data).toEqual([{ tweet_id: id, preview: expect.stringMatching(/^<iframe class='tweet-preview' src='/) }]);
  });

  it('drafts, schedules and promotes posts', async () => {
    const draft = await made(`${own}/draft_tweets`, { as_user_id: as_user_id(), text: 'A draft' });
    expect((await atX('GET', `${own}/draft_tweets/${draft.id}`)).body.request.params).toMatchObject({
      draft_tweet_id: draft.id,
    });
    expect((await atX('POST', `${own}/draft_tweets/preview/${draft.id}`)).status).toBe(200);
    expect((await atX('PUT', `${own}/draft_tweets/${draft.id}`, { form: { text: 'Another' } })).body.data.text).toBe(
      'Another',
    );
    expect((await atX('DELETE', `${own}/draft_tweets/${draft.id}`)).body.data.deleted).toBe(true);

    const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await made(`${own}/scheduled_tweets`, {
      as_user_id: as_user_id(),
      text: 'Later',
      scheduled_at: in_an_hour,
    });
    const preview = await atX('GET', `${own}/scheduled_tweets/preview/${scheduled.id}`);
    expect(preview.body).toEqual({
      request: { params: { account_id: advertiser.account.id, scheduled_tweet_id: scheduled.id } },
      data: [{ tweet_id: scheduled.id, preview: expect.stringMatching(/^<iframe class='tweet-preview' src='/) }],
    });
    const { id: line_item_id } = await promoted();
    const form = { line_item_id, scheduled_tweet_id: scheduled.id };
    const later = await made(`${own}/scheduled_promoted_tweets`, form);
    expect(later).toMatchObject({ scheduled_tweet_id: scheduled.id, tweet_id: null });
    const list = await atX('GET', `${own}/scheduled_promoted_tweets`, {
      query: { scheduled_promoted_tweet_ids: later.id },
    });
    expect(list.body.data).toEqual([expect.objectContaining({ id: later.id })]);

    const post = await given.post({ account: advertiser.account });
    const [first] = await made(`${own}/promoted_tweets`, { line_item_id, tweet_ids: post.id });
    expect(first).toMatchObject({ tweet_id: post.id, line_item_id });
    const one = await atX('GET', `${own}/promoted_tweets/${first.id}`);
    expect(one.body).toMatchObject({
      request: { params: { promoted_tweet_id: first.id } },
      data: { tweet_id: post.id },
    });
    const history = await atX('GET', `${own}/account_history`, {
      query: { entity_type: 'PROMOTED_TWEET', entity_id: first.id, ...AGES },
    });
    expect(history.body.data).toEqual([expect.objectContaining({ entity: 'PROMOTED_TWEET' })]);
  });

  it('reads and writes the words of line items, in lists, forms and batches', async () => {
    const { id: campaign_id } = await given.campaign({ account: advertiser.account });
    const params = {
      campaign_id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: ['TWITTER_TIMELINE', 'TWITTER_SEARCH'],
      ...FLIGHT,
      name: 'Our PROMOTED_POSTS',
    };
    const item = await made(`${own}/line_items`, { ...params, placements: params.placements.join() });
    expect(item).toMatchObject({
      product_type: 'PROMOTED_TWEETS',
      placements: params.placements,
      name: 'Our PROMOTED_POSTS',
      automatic_tweet_promotion: null,
    });
    const batch = await atX('POST', `/12/batch/accounts/${advertiser.account.id}/line_items`, {
      json: [{ operation_type: 'Create', params }],
    });
    expect(batch.body).toMatchObject({
      data: [{ placements: params.placements }],
      request: [{ params: { product_type: 'PROMOTED_TWEETS' } }],
    });
    const wrong = [{ operation_type: 'Create', params: { ...params, placements: ['ALL_ON_PLATFORM'], name: 7 } }];
    const refused = await sent('POST', `/12/batch/accounts/${advertiser.account.id}/line_items`, { json: wrong });
    expect(refused.status).toBe(400);
    const [errors] = refused.body.operation_errors;
    expect(errors.find(({ parameter }: Json) => parameter === 'placements')).toMatchObject({
      message: expect.stringMatching(/^Expected a value in .*ALL_ON_TWITTER.*, got "ALL_ON_PLATFORM" for placements$/),
      value: 'ALL_ON_PLATFORM',
      hint: 'Did you mean ALL_ON_TWITTER? The header x-marquee-names: marquee makes this service take its own names.',
    });
    const [mine, theirs] = [await advertiser.api.get(`${own}/line_items`), await atX('GET', `${own}/line_items`)];
    expect(theirs.body).toEqual(swapJson(mine.body));
  });

  it('writes long lists, whose users are written once, with the same names', async () => {
    const { account } = advertiser;
    await Promise.all(Array.from({ length: 25 }, (_, n) => given.post({ account, text: `"post_id":${n},"posted":` })));
    const query = { count: 100, with_total_count: false };
    const mine = await advertiser.api.get(`${own}/posts`, { query: { ...query, post_type: 'PUBLISHED' } });
    const theirs = await atX('GET', `${own}/tweets`, { query: { ...query, tweet_type: 'PUBLISHED' } });
    expect(theirs.body.data).toHaveLength(25);
    expect(theirs.body).toEqual(swapJson(mine.body));
    expect(theirs.headers['content-length']).toBe(String(Buffer.byteLength(theirs.text)));
  });

  it('uploads media and people, and asks for tokens', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    for (const media_category of ['tweet_image', 'TWEET_IMAGE']) {
      const { status, body } = await sendMultipart(advertiser, { media_category }, png, { headers: AT_X });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
    }
    const ours = await sendMultipart(advertiser, { media_category: 'post_image' }, png, { headers: AT_X });
    expect(JSON.stringify(ours.body)).toMatch(/tweet_image.*got \\"post_image\\"/);
    const { id } = await given.customAudience({ account: advertiser.account });
    const json = [{ operation_type: 'Update', params: { users: [{ twitter_id: ['1'.repeat(64)] }] } }];
    expect((await atX('POST', `${own}/custom_audiences/${id}/users`, { json })).status).toBe(200);
    const access = await atX('GET', `${own}/authenticated_user_access`);
    expect(access.body.data.permissions).toContain('TWEET_COMPOSER');
  });

  it('writes conversation cards, also as the SDKs spell their parameters', async () => {
    const { mediaKey: media_key } = await given.libraryMedia(advertiser.account);
    const text = 'post_id ALL_ON_PLATFORM';
    const ctas = {
      first_cta: '#one',
      first_cta_tweet: text,
      second_cta: '#two',
      second_cta_tweet: 'Two',
      third_cta: '#three',
      third_cta_tweet: 'Three',
      fourth_cta: '#four',
      fouth_cta_tweet: 'Four',
    };
    const card = await made(`${own}/cards/image_conversation`, {
      name: 'Card',
      title: 'Title',
      thank_you_text: 'Thanks',
      media_key,
      ...ctas,
    });
    expect(card).toMatchObject({ first_cta_tweet: text, fourth_cta_tweet: 'Four' });
  });

  it('names a parameter with different values in both spellings of the SDKs', async () => {
    const both = { fouth_cta_tweet: 'One', fourth_cta_tweet: 'Other' };
    const cards = `${own}/cards/image_conversation`;
    for (const sending of [{ form: both }, { query: both }]) {
      const { status, body } = await sent('POST', cards, sending);
      expect(status).toBe(400);
      expect(body.errors).toContainEqual(
        expect.objectContaining({
          parameter: 'fourth_cta_tweet',
          message: 'fourth_cta_tweet was sent twice with different values: "One", "Other"',
        }),
      );
    }
    const { body } = await sent('POST', cards, { form: { ...both, fourth_cta_tweet: 'One' } });
    expect(body.errors.map(({ parameter }: Json) => parameter)).not.toContain('fourth_cta_tweet');
  });

  it('gets the way from former endpoints and words, in the names of X', async () => {
    const hintOf = async (method: string, path: string, form?: Record<string, string>) =>
      (await sent(method, path, form && { form })).body.errors[0].hint;
    expect(await hintOf('POST', `${own}/tweets`)).toMatch(new RegExp(`^Use POST \\S+${own}/tweet\\.$`));
    expect(await hintOf('POST', '/2/tweets')).toMatch(/^Use POST \S+\/12\/accounts\/:account_id\/tweet\.$/);
    const statistics = `/12/stats/accounts/${advertiser.account.id}`;
    expect(await hintOf('GET', `${statistics}/promoted_tweets`)).toContain(
      `${statistics}?entity=PROMOTED_TWEET&entity_ids=`,
    );
    const { body } = await sent('POST', `${own}/line_items`, { form: { placements: 'ALL_ON_X' } });
    expect(body.errors.map(({ hint }: Json) => hint)).toContain('Did you mean ALL_ON_TWITTER?');
  });

  it('with our names gets hints, 404 and 400', async () => {
    const list = await atX('GET', `${own}/promoted_tweets`, { query: { promoted_post_ids: 'a1' } });
    expect(list.headers['x-marquee-hint']).toBe(
      'promoted_post_ids is not a parameter of this endpoint and was ignored. Did you mean promoted_tweet_ids? The header x-marquee-names: marquee makes this service take its own names.',
    );
    expect(list.body.request.params).not.toHaveProperty('promoted_post_ids');
    const { status, body } = await sent('GET', `${own}/posts`);
    expect(status).toBe(404);
    expect(body.errors[0].hint).toContain(
      `${own}/tweets? Write tweets, not posts. The header x-marquee-names: marquee`,
    );
    const missing = await sent('GET', `${own}/tweet_previews`, { query: { post_ids: '1' } });
    expect(missing.body.errors.map(({ message }: Json) => message)).toEqual([
      '"tweet_ids" is a required parameter',
      '"tweet_type" is a required parameter',
    ]);
    expect(missing.body.errors[0].hint).toMatch(
      /^post_ids is not a parameter of this endpoint. Did you mean tweet_ids\?/,
    );
    const { id: line_item_id } = await promoted();
    const absent = await atX('POST', `${own}/promoted_tweets`, { form: { line_item_id, tweet_ids: '17' } });
    expect(absent.body.errors[0]).toMatchObject({ code: 'TWEET_NOT_FOUND', parameter: 'tweet_ids', value: '17' });
  });

  it('without the header hears of it', async () => {
    const { api } = advertiser;
    const list = await api.get(`${own}/promoted_posts`, { query: { promoted_tweet_ids: 'a1' } });
    expect(list.headers['x-marquee-hint']).toMatch(
      /Did you mean promoted_post_ids\? The header x-marquee-names: x makes this service take the names of X\.$/,
    );
    const unknown = await api.get(own, { headers: { 'x-marquee-names': 'twitter' } });
    expect([unknown.status, unknown.body.errors[0]]).toEqual([
      400,
      expect.objectContaining({
        parameter: 'x-marquee-names',
        value: 'twitter',
        message: 'Expected marquee or x for x-marquee-names, got "twitter"',
      }),
    ]);
  });

  it('repeats values as they were sent, whatever words they have', async () => {
    const word = fc.constantFrom(
      'post_id',
      'tweet_id',
      'PROMOTED_POSTS',
      'TWEET_IMAGE',
      '/12/accounts/x/posts',
      '"',
      'got',
      'for',
      'platform_id',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
        const value = words.join(' ');
        const { body } = await sent('GET', `${own}/line_items`, { query: { count: value, q: value } });
        expect(body.errors.find(({ parameter }: Json) => parameter === 'count')).toMatchObject({
          message: `Expected Integer, got "${value}" for count`,
          value,
        });
        const { body: taken } = await sent('GET', `${own}/line_items`, { query: { q: value } });
        expect(taken.request.params.q).toBe(value);
      }),
      { numRuns: 15 },
    );
  });

  it('repeats the answer to an Idempotency-Key in the vocabulary of the repetition', async () => {
    const headers = { 'idempotency-key': `key-${own}` };
    const form = { as_user_id: as_user_id(), text: 'Once' };
    const first = await advertiser.api.post(`${own}/draft_posts`, { form, headers });
    const again = await atX('POST', `${own}/draft_tweets`, { form, headers });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(swapJson(first.body));
    const gone = { 'idempotency-key': `gone-${own}` };
    const refused = await atX('DELETE', `${own}/draft_tweets/17`, { headers: gone });
    expect(refused.body.errors[0]).toMatchObject({ parameter: 'draft_tweet_id', value: '17' });
    const repeated = await advertiser.api.delete(`${own}/draft_posts/17`, { headers: gone });
    expect(repeated.body.errors[0]).toMatchObject({ parameter: 'draft_post_id', value: '17' });
  });

  it('is in the journal as it was sent and answered', async () => {
    const { request, ...rest } = (
      await atX('GET', `${own}/tweets`, { query: { tweet_type: 'PUBLISHED', tweet_ids: '1' } })
    ).body;
    const owner = await ownerOf(application);
    const [{ id }] = (await owner.get('/workbench/requests')).body.data;
    const { data } = (await owner.get(`/workbench/requests/${id}`)).body;
    expect(data).toMatchObject({ path: `${own}/tweets`, parameters: { tweet_ids: '1', tweet_type: 'PUBLISHED' } });
    expect(JSON.parse(data.response.text)).toEqual({ request, ...rest });
    // a file of fixtures has the names that whoever sends it has chosen
    const { fixture: _, ...commands } = data.commands;
    for (const command of Object.values(commands)) expect(command).toMatch(/x-marquee-names.{2,6}x/);
  });

  it('meets faults that have its names', async () => {
    const { status, body } = await atX('GET', `${own}/tweets`, {
      query: { tweet_type: 'DRAFT' },
      headers: { prefer: 'fault=503' },
    });
    expect([status, body.errors?.[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});

describe('a service with the names of X', () => {
  useApp({ NAMES: 'x' });
  afterEach(closeReceivers);

  it('has them in requests without the header, and not in others', async () => {
    const { api, account } = await given.advertiser();
    const own = `/12/accounts/${account.id}`;
    const theirs = await api.get(`${own}/tweets`, { query: { tweet_type: 'DRAFT' } });
    expect([theirs.status, theirs.body.request.params.tweet_type]).toEqual([200, 'DRAFT']);
    const headers = { 'x-marquee-names': 'marquee' };
    const ours = await api.get(`${own}/posts`, { query: { post_type: 'DRAFT' }, headers });
    expect([ours.status, ours.body.request.params.post_type]).toEqual([200, 'DRAFT']);
  });

  it('delivers events with them, signed as they are sent', async () => {
    const { receiver: target, application, advertiser } = await listening();
    const draft = await given.draftPost({ account: advertiser.account, text: 'post_id' });
    const [{ event, text, headers }] = await target.until(1, (each) => 'draft_tweet_events' in each.event);
    expect(event.draft_tweet_events).toEqual([
      expect.objectContaining({
        type: 'create',
        entity_type: 'DRAFT_TWEET',
        entity_id: draft.id,
        change_by: expect.objectContaining({ platform: expect.any(String) }),
      }),
    ]);
    expect(event.draft_tweet_events[0].data.text).toBe('post_id');
    expect(foreignWords('x', event)).toEqual([]);
    expect(headers['x-twitter-webhooks-signature']).toBe(hmacOf(application.consumer.secret, text));
    expect(headers).not.toHaveProperty('x-platform-webhooks-signature');
    expect(target.challenges).toHaveLength(1);
  });
});
