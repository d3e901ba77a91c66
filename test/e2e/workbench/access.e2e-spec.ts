import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { Api, type Answer, type Json } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { routesOfTheApp, type Route } from '../../support/routes.js';

/** It is a POST because filters may be long; it changes nothing. */
const COUNT = 'POST /workbench/requests/count';
/** A read that is about people. */
const LEADS = 'GET /workbench/leads';

describe('the workbench', () => {
  useSharedApp();

  it('lets a token that may only read change nothing', async () => {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'read');
    const reader = new Api({ consumer: application.consumer, token });
    const routes = routesOfTheApp().filter(({ path }) => path.startsWith('/workbench/') && isOfTheApi(path));
    expect(routes.filter(({ method }) => method !== 'GET').length).toBeGreaterThan(12);
    const wrong: Json[] = [];
    for (const route of routes) {
      const { status, body } = await send(reader, route);
      const isRefused = status === 403 && body.errors?.[0].code === 261;
      const isRead = route.method === 'GET' || `${route.method} ${route.path}` === COUNT;
      if (isRefused === isRead || status >= 500) wrong.push({ ...route, status, errors: body?.errors });
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['nothing', { adsAccess: false }, 0],
    ['conversions', { conversionsOnly: true }, 2],
  ])('lets an application for %s change nothing else, and read nothing about people', async (_, access, allowed) => {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    await world().get(ApplicationsService).update(application.id, access);
    const limited = new Api({ consumer: application.consumer, token });
    const refused: string[] = [];
    const others: string[] = [];
    for (const route of routesOfTheApp().filter(({ path }) => path.startsWith('/workbench/') && isOfTheApi(path))) {
      // the user administers the account, whichever application releases its clock
      const name = `${route.method} ${route.path}`;
      if ((route.method === 'GET' && name !== LEADS) || route.path.startsWith('/workbench/accounts/')) continue;
      const { status, body } = await send(limited, route);
      const isRefused = status === 403 && body.errors?.[0].code === 220;
      if (name === COUNT) expect(isRefused).toBe(false);
      else (isRefused ? refused : others).push(name);
    }
    expect(others).toEqual(['POST /workbench/conversions', 'POST /workbench/engagements'].slice(0, allowed));
    expect(refused).toContain(LEADS);
    expect(refused.length).toBeGreaterThan(12);
  });
});

/** The pages for browsers have sessions instead of tokens. */
const isOfTheApi = (path: string): boolean => !path.startsWith('/workbench/applications');

function send(api: Api, { method, path }: Route): Promise<Answer> {
  const filled = path.replaceAll(/:\w+/g, '1');
  if (method === 'GET') return api.get(filled);
  if (method === 'DELETE') return api.delete(filled);
  return method === 'PUT' ? api.put(filled, {}) : api.post(filled);
}
