import { readFileSync } from 'node:fs';
import { readEndpoints } from '../../src/common/http/hints/endpoints.js';
import { supportOf, unexplainedRoutes } from '../../src/operations/docs/support.js';
import { openScratch, type Service } from '../../src/service.js';

const list = readEndpoints();

describe('routes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openScratch();
  });
  afterAll(() => service?.close());

  it('are all in the specification, or explained in docs/gaps.md', () => {
    expect(unexplainedRoutes(service.app, list, readFileSync('docs/gaps.md', 'utf8'))).toEqual([]);
  });

  it('would not go unnoticed', () => {
    const shorter = list.filter(({ route }) => route !== 'GET /12/accounts');
    expect(unexplainedRoutes(service.app, shorter, '`GET /docs`')).toEqual(
      expect.arrayContaining(['GET /12/accounts', 'GET /health/live']),
    );
  });

  it('are told apart by where they answer', () => {
    const support = supportOf(service.app, list);
    expect(support).toContainEqual({
      route: 'DELETE /12/accounts/:account_id',
      origin: 'specification',
      host: 'sandbox only',
      works: true,
    });
    expect(support).toContainEqual({ route: 'GET /12/accounts', origin: 'specification', host: 'ads', works: true });
  });
});
