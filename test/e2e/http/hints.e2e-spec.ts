import { hintsIn, MISTAKES, unsaid, type Place } from '../../../scripts/proofs/support/mistakes.js';
import type { Answer } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { newPlace } from '../../support/mistakes.js';

useApp();

let place: Place;
let advertiser: Advertiser;
beforeAll(async () => {
  advertiser = await given.advertiser();
  place = await newPlace(world().url, world().url);
});

describe('outside production every mistake gets a hint', () => {
  it.each(MISTAKES)('$name', async (mistake) => {
    const answer = await mistake.make(place);
    expect(answer.status).toBe(mistake.status);
    const hints = hintsIn(answer, mistake);
    expect(hints).toHaveLength(1);
    expect({ hint: hints[0], unsaid: unsaid(hints[0], mistake, place) }).toEqual({ hint: hints[0], unsaid: [] });
  });
});

describe("names of X's Ads API get a hint", () => {
  const own = () => `/12/accounts/${advertiser.account.id}`;
  const hintOf = ({ body }: Answer): unknown => body.errors?.[0]?.hint;

  it('in paths', async () => {
    const { api } = advertiser;
    expect(hintOf(await api.post(`${own()}/tweet`))).toContain(`${own()}/post?`);
    expect(hintOf(await api.get(`${own()}/tailored_audiences`))).toContain(`${own()}/custom_audiences?`);
    expect(hintOf(await api.get(`/12/stats${own().slice(3)}`))).toMatch(/^stats is part of X's Ads API/);
  });

  it('in parameters, words and the objects of a batch', async () => {
    const { api, account } = advertiser;
    const list = await api.get(`${own()}/promoted_posts`, { query: { promoted_tweet_ids: 'a1' } });
    expect(list.headers['x-marquee-hint']).toContain('did you mean promoted_post_ids?');
    const { body } = await api.post(`${own()}/line_items`, {
      form: { placements: 'ALL_ON_TWITTER', objective: 'TWEET_ENGAGEMENTS' },
    });
    const hints = body.errors.flatMap(({ hint }: { hint?: string }) => hint ?? []);
    expect(hints).toEqual(expect.arrayContaining(['Did you mean ALL_ON_PLATFORM?', 'Did you mean ENGAGEMENTS?']));
    const audience = await given.customAudience({ account });
    const users = await api.post(`${own()}/custom_audiences/${audience.id}/users`, {
      json: [{ operation_type: 'Update', params: { users: [{ twitter_id: ['x'] }] } }],
    });
    expect(users.body.operation_errors[0][0].hint).toBe('Did you mean platform_id?');
  });
});

describe('a hint is not given', () => {
  it('about an account of somebody else, in whichever environment it is', async () => {
    const stranger = await given.advertiser();
    for (const path of [`/12/accounts/${place.sandboxAccountId}`, `/sandbox/12/accounts/${place.accountId}`]) {
      const { status, body } = await stranger.api.get(path);
      expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
    }
  });

  it('where nothing is near', async () => {
    const { status, body } = await advertiser.api.get('/12/weather/tomorrow');
    expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
    const list = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/campaigns`, {
      query: { utm_source: 'mail' },
    });
    expect([list.status, list.headers['x-marquee-hint']]).toEqual([200, undefined]);
  });

  it('to more than twenty of the operations of a batch', async () => {
    const { api, account } = advertiser;
    const operation = { operation_type: 'Create', params: { entity_status: 'active' } };
    const { body } = await api.post(`/12/batch/accounts/${account.id}/campaigns`, {
      json: Array.from({ length: 40 }, () => operation),
    });
    const hints = body.operation_errors.flat().filter(({ hint }: { hint?: string }) => hint !== undefined);
    expect(hints).toHaveLength(20);
    expect(hints[0].hint).toBe('Did you mean ACTIVE?');
  });
});

describe('a hint says nothing that its reader must not see', () => {
  it('no secret, and no token', async () => {
    const { consumer, token } = place.credentials;
    for (const { make } of MISTAKES) {
      const { text } = await make(place);
      for (const secret of [consumer.secret, token.secret, place.bearer]) expect(text).not.toContain(secret);
    }
  });
});
