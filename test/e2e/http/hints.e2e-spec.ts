import { withoutSlash } from '../../../src/config.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { MISTAKES, newPlace, type Place } from '../../support/mistakes.js';

useApp();

let place: Place;
beforeAll(async () => {
  place = await newPlace(world().url, world().url);
});

/** What is said, with the public URLs of the service in place of their names. */
function worded(says: string | RegExp): string | RegExp {
  const { baseUrl, adsBaseUrl, adsSandboxBaseUrl } = world().config;
  const fill = (text: string) =>
    text
      .replace('SANDBOX', withoutSlash(adsSandboxBaseUrl))
      .replace('ADS', withoutSlash(adsBaseUrl))
      .replace('BASE', withoutSlash(baseUrl));
  return typeof says === 'string' ? fill(says) : new RegExp(fill(says.source));
}

describe('outside production every mistake gets a hint', () => {
  it.each(MISTAKES)('$name', async ({ make, status, says, inHeader }) => {
    const answer = await make(place);
    expect(answer.status).toBe(status);
    const hints = inHeader
      ? [answer.headers['x-marquee-hint']]
      : answer.body.errors.map(({ hint }: { hint?: string }) => hint).filter(Boolean);
    expect(hints).toHaveLength(1);
    for (const each of says) {
      const expected = worded(each);
      if (typeof expected === 'string') expect(hints[0]).toContain(expected);
      else expect(hints[0]).toMatch(expected);
    }
  });
});

describe('a hint is not given', () => {
  it('about an account of somebody else, in whichever environment it is', async () => {
    const stranger = await given.advertiser();
    for (const path of [
      `/12/accounts/${place.sandboxAccount.id}`,
      `/sandbox/12/accounts/${place.advertiser.account.id}`,
    ]) {
      const { status, body } = await stranger.api.get(path);
      expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
    }
  });

  it('where nothing is near', async () => {
    const { status, body } = await place.advertiser.api.get('/12/weather/tomorrow');
    expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
    const list = await place.advertiser.api.get(`/12/accounts/${place.advertiser.account.id}/campaigns`, {
      query: { utm_source: 'mail' },
    });
    expect([list.status, list.headers['x-marquee-hint']]).toEqual([200, undefined]);
  });

  it('to more than twenty of the operations of a batch', async () => {
    const { api, account } = place.advertiser;
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
    const { consumer, token } = place.advertiser.credentials;
    for (const { make } of MISTAKES) {
      const { text } = await make(place);
      for (const secret of [consumer.secret, token.secret, place.bearer]) expect(text).not.toContain(secret);
    }
  });
});
