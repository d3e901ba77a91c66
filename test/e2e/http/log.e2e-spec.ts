import { DATABASE, type Database } from '../../../src/common/db/database.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Json } from '../../support/http.js';
import { logged } from '../../support/logged.js';

useApp({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, 1);

describe('the log line of a request', () => {
  let advertiser: Advertiser;
  beforeAll(async () => void (advertiser = await given.advertiser()));

  /** The lines of the requests that the work sends. */
  async function linesOf(work: () => Promise<unknown>): Promise<Json[]> {
    const log = await logged(async () => void (await work()));
    const lines = log.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  }

  const path = (rest = '') => `/12/accounts/${advertiser.account.id}/campaigns${rest}`;
  const sender = () => ({ application: expect.any(String), user: advertiser.user.id, token: expect.any(String) });

  it('has application, user and user agent', async () => {
    const [line] = await linesOf(() => advertiser.api.get(path(), { headers: { 'user-agent': 'tap/1.2' } }));
    expect(line).toMatchObject({ status: 200, agent: 'tap/1.2', ...sender() });
    expect(line).not.toHaveProperty('code');
  });

  it('has the code and the parameter of its first error', async () => {
    const lines = await linesOf(async () => {
      await advertiser.api.get(path(), { query: { count: 0 } });
      await advertiser.api.get(path('/0zzzzzzzzzzzz'));
      await advertiser.api.post(path().replace('/12/', '/12/batch/'), {
        json: [{ operation_type: 'Delete', params: { campaign_id: '0zzzzzzzzzzzz' } }],
      });
      await send(world().url, '/12/accounts', { method: 'GET' });
    });
    expect(lines).toMatchObject([
      { status: 400, code: 'INVALID_PARAMETER', parameter: 'count', ...sender() },
      { status: 404, code: 'NOT_FOUND', parameter: 'campaign_id', ...sender() },
      { status: 400, code: 'NOT_FOUND', parameter: 'campaign_id', ...sender() },
      { status: 401, code: 'UNAUTHORIZED_ACCESS', reason: expect.any(String) },
    ]);
  });

  it('has the error of a stored response, too', async () => {
    const headers = { 'idempotency-key': 'log-1' };
    const post = () =>
      advertiser.api.post(path(), { headers, query: { name: 'x', funding_instrument_id: '0zzzzzzzzzzzz' } });
    const lines = await linesOf(async () => void [await post(), await post()]);
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(line).toMatchObject({ status: lines[0].status, code: lines[0].code, parameter: 'funding_instrument_id' });
  });

  it('has a short user agent, without secrets and control characters', async () => {
    const agent = `tool/1.0 (ü) key-abcdefghijklmnopqrstuvwxyz0123 ${'x '.repeat(300)}`;
    const [line] = await linesOf(() =>
      send(world().url, '/version', { method: 'GET', headers: { 'user-agent': agent } }),
    );
    expect(line.agent).toMatch(/^tool\/1\.0 \(\?+\) \*\*\* x x /);
    expect(line.agent.length).toBeLessThanOrEqual(200);
  });

  it('has the reason of a 503, and a warning that repeats is one line and a number', async () => {
    const log = await logged(async () => {
      await world().app.get<Database>(DATABASE).close();
      for (let i = 0; i < 20; i++) expect((await advertiser.api.get(path())).status).toBe(503);
    });
    const lines = log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const requests = lines.filter(({ msg }) => msg === 'request');
    expect(requests).toHaveLength(20);
    for (const line of requests)
      expect(line).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', reason: 'store-no-answer' });
    // the number follows ten seconds later
    expect(lines.filter(({ msg }) => msg === 'a store did not answer')).toHaveLength(1);
  });
});
