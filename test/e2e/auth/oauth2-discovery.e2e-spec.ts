import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { useApp, world } from '../../support/app.js';
import { send } from '../../support/http.js';
import { asBearer, oauth2App, signedIn } from './oauth2-client.js';
import { CALLBACK } from './visitor.js';

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1' });

const read = (path: string, origin = world().url) => send(origin, path, { method: 'GET' });

/**
 * Strict clients compare the issuer with the URL that they called. The service of the tests listens elsewhere than at its
 * public URL, so that only the place of a request changes on its way.
 */
const here = (url: string | URL, init?: object) => {
  const called = new URL(url);
  return fetch(`${world().url}${called.pathname}${called.search}`, init);
};
const issuer = () => new URL(world().config.baseUrl.href);

describe('discovery', () => {
  it('begins with the 401 of any endpoint', async () => {
    for (const path of ['/12/accounts', '/sandbox/12/accounts', '/2/users/me']) {
      const { status, headers } = await asBearer('unknown', 'GET', path);
      expect(status).toBe(401);
      const [{ scheme, parameters }] = challengesOf(String(headers['www-authenticate']));
      expect(scheme).toBe('bearer');
      expect(parameters.error).toBe('invalid_token');
      const metadata = new URL(parameters.resource_metadata);
      const { body } = await read(metadata.pathname);
      expect(metadata.href).toBe(body.resource + '/.well-known/oauth-protected-resource');
    }
  });

  it.each(['', '/mcp', '/sandbox/mcp'])('describes the resource at "%s" to a strict client', async (path) => {
    // as outside production every host is a name of the service
    const resource = new URL(`${world().url}${path}`);
    const response = await oauth.resourceDiscoveryRequest(resource, { [oauth.allowInsecureRequests]: true });
    const metadata = await oauth.processResourceDiscoveryResponse(resource, response);
    expect(metadata).toMatchObject({
      authorization_servers: [issuer().origin],
      bearer_methods_supported: ['header'],
      scopes_supported: ['ads.read', 'ads.write', 'media.write', 'offline.access'],
    });
  });

  it('leads a strict client through the whole flow, with oauth4webapi', async () => {
    const app = await oauth2App();
    const options = { [oauth.customFetch]: here, [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer(),
      await oauth.discoveryRequest(issuer(), { algorithm: 'oauth2', ...options }),
    );
    const client: oauth.Client = { client_id: app.clientId };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint!);
    const query = {
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'ads.read offline.access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    };
    Object.entries(query).forEach(([name, value]) => url.searchParams.set(name, value));
    const { visitor } = await signedIn();
    await visitor.get(`${url.pathname}${url.search}`);
    await visitor.post(`${url.pathname}${url.search}`, { csrf: visitor.csrf, decision: 'approve' });
    const given = oauth.validateAuthResponse(server, client, new URL(visitor.location), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      given,
      CALLBACK,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
    const next = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, options),
    );
    const me = await asBearer(next.access_token, 'GET', '/2/users/me');
    expect(me.body).toEqual({ data: { id: expect.any(String), name: 'A Person', username: expect.any(String) } });
    const revoked = await oauth.revocationRequest(server, client, oauth.None(), next.access_token, options);
    await oauth.processRevocationResponse(revoked);
    await world().caughtUp();
    expect((await asBearer(next.access_token, 'GET', '/2/users/me')).status).toBe(401);
  });

  it('leads a confidential client, with openid-client', async () => {
    const app = await oauth2App('confidential');
    const config = await openid.discovery(
      issuer(),
      app.clientId,
      undefined,
      openid.ClientSecretBasic(app.clientSecret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests], [openid.customFetch]: here },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'ads.read offline.access',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const { visitor } = await signedIn();
    await visitor.get(`${url.pathname}${url.search}`);
    await visitor.post(`${url.pathname}${url.search}`, { csrf: visitor.csrf, decision: 'approve' });
    const tokens = await openid.authorizationCodeGrant(config, new URL(visitor.location), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    expect((await asBearer(next.access_token, 'GET', '/12/accounts')).status).toBe(200);
    await openid.tokenRevocation(config, next.access_token);
  });
});

/** The challenges of a header, as RFC 9110 writes them. */
function challengesOf(header: string): { scheme: string; parameters: Record<string, string> }[] {
  const [, scheme, rest] = /^(\w+) (.*)$/.exec(header)!;
  const parameters = Object.fromEntries([...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  return [{ scheme: scheme.toLowerCase(), parameters }];
}
