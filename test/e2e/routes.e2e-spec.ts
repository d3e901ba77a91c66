import { readFileSync } from 'node:fs';
import { readEndpoints } from '../../src/common/http/endpoints.js';
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
      section: '3, 4.1',
      host: 'sandbox only',
      works: true,
    });
    expect(support).toContainEqual({
      route: 'GET /12/accounts',
      origin: 'specification',
      section: '3, 4.1',
      host: 'ads',
      works: true,
    });
  });

  it('have a section of the specification, unless they are beyond it', () => {
    expect(
      list.filter(({ origin, section }) => (origin === 'specification') !== /^[123], 4\.\d+$/.test(section ?? '')),
    ).toEqual([]);
  });
});
