import { readConfig } from '../../../src/config.js';
import { useApp } from '../../support/app.js';
import { given } from '../../support/given.js';

useApp({ RATE_LIMITS: 'off', RATE_LIMIT_WRITES: '1/60', RATE_LIMIT_TOTAL_COUNT: '1/900' });

const MODE = { NODE_ENV: 'test' };

describe('rate limits that are off', () => {
  it('neither refuse nor tell anything', async () => {
    const { account, api } = await given.advertiser();
    for (let n = 0; n < 3; n++) {
      for (const answer of [
        await api.put(`/12/accounts/${account.id}`, { query: { name: 'x' } }),
        await api.get(`/12/accounts/${account.id}/campaigns`, { query: { with_total_count: true } }),
      ]) {
        expect(answer.status).toBe(200);
        expect(Object.keys(answer.headers).filter((name) => name.includes('rate'))).toEqual([]);
      }
    }
  });
});

describe('the other modes', () => {
  it('are the table, or a hundred times that but for totals', () => {
    expect(readConfig({ ...MODE, RATE_LIMITS: 'faithful' }).quotas).toMatchObject({
      WRITES: { limit: 450, seconds: 60 },
      CORE_READS: { limit: 10_000, seconds: 900 },
      ACCOUNT_READS: { limit: 2_000, seconds: 900 },
      GLOBAL_READS: { limit: 300, seconds: 900 },
      TOTAL_COUNT: { limit: 200, seconds: 900 },
    });
    const relaxed = readConfig({ ...MODE, RATE_LIMITS: 'relaxed' }).quotas;
    expect(relaxed).toMatchObject({
      WRITES: { limit: 45_000, seconds: 60 },
      CORE_READS: { limit: 1_000_000, seconds: 900 },
      TOTAL_COUNT: { limit: 200, seconds: 900 },
    });
    expect(readConfig(MODE).quotas).toEqual(relaxed);
    expect(readConfig({ ...MODE, RATE_LIMITS: 'relaxed', RATE_LIMIT_TOTAL_COUNT: '7/60' }).quotas.TOTAL_COUNT).toEqual({
      limit: 7,
      seconds: 60,
    });
  });
});
