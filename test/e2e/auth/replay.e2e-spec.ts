import { useApp } from '../../support/app.js';
import { sendPrepared } from '../../support/api.js';
import { FULL } from '../../support/environment.js';
import { given } from '../../support/given.js';

useApp();

const REQUESTS = FULL ? 1_000 : 200;
const TIMES = 20;

describe('a captured request', () => {
  it(`passes once: ${REQUESTS} of them, each sent ${TIMES} times at once`, async () => {
    const advertisers = await Promise.all(Array.from({ length: 5 }, () => given.advertiser()));
    let accepted = 0;
    for (let from = 0; from < REQUESTS; from += 50) {
      const captured = Array.from({ length: 50 }, (_, n) => {
        const { api, account } = advertisers[(from + n) % advertisers.length];
        return n % 2
          ? api.prepare('GET', `/12/accounts/${account.id}`)
          : api.prepare('PUT', `/12/accounts/${account.id}`, { form: { industry_type: 'TRAVEL' } });
      });
      const answers = await Promise.all(
        Array.from({ length: TIMES }, () => captured.map((prepared) => sendPrepared(prepared))).flat(),
      );
      accepted += answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ status }) => status !== 200);
      expect(new Set(refused.map(({ status, body }) => `${status} ${body.errors[0].code}`))).toEqual(
        new Set(['401 UNAUTHORIZED_ACCESS']),
      );
      for (const [n] of captured.entries()) {
        const own = answers.filter((_, at) => at % captured.length === n);
        const taken = own.map(({ status, body }) => (status === 200 ? 'accepted' : body.errors[0].details));
        expect(taken.sort()).toEqual(['accepted', ...Array<string>(TIMES - 1).fill('the nonce was used before')]);
      }
    }
    expect(accepted).toBe(REQUESTS);
  }, 300_000);
});
