import { MISTAKES, type Place } from '../../../scripts/proofs/support/mistakes.js';
import { useApp, world } from '../../support/app.js';
import { newPlace } from '../../support/mistakes.js';

const BASE = 'https://ads.example';
useApp({ NODE_ENV: 'production', BASE_URL: BASE, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'silent' });

let place: Place;
beforeAll(async () => {
  place = await newPlace(BASE, world().direct, { host: 'ads.example', 'x-forwarded-proto': 'https' });
});

describe('in production mode no mistake gets a hint', () => {
  it.each(MISTAKES)('$name', async ({ make, status }) => {
    const answer = await make(place);
    // Refused for the same reason, so that what is left out is the hint alone.
    expect(answer.status).toBe(status);
    expect(answer.headers['x-marquee-hint']).toBeUndefined();
    expect(answer.text).not.toMatch(/"hint"|signature_help|[Dd]id you mean/);
  });
});
