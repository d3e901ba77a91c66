import {
  createMarqueeClient,
  MarqueeError,
  type OAuth2Credentials,
  type TokenSet,
} from '../../../packages/client/src/index.js';
import { useSharedApp, world } from '../../support/app.js';
import { connect, oauth2App, oauth2Post, signedIn, type OAuth2App } from '../auth/oauth2-client.js';

useSharedApp();

describe.each(['public', 'confidential'] as const)('the client with tokens of OAuth 2.0, %s', (type) => {
  let app: OAuth2App;
  let tokens: TokenSet;
  let saved: TokenSet[];
  let refreshes: number;
  beforeEach(async () => {
    app = await oauth2App(type);
    const { tokens: given } = await connect(app, 'ads.read users.read offline.access', await signedIn());
    tokens = { accessToken: given.access_token, refreshToken: given.refresh_token };
    saved = [];
    refreshes = 0;
  });

  const clientOf = (options: Partial<OAuth2Credentials> & { fetch?: typeof fetch } = {}) =>
    createMarqueeClient({
      ...{ baseUrl: world().url, clientId: app.clientId, clientSecret: app.clientSecret, tokens },
      onTokens: (next) => void saved.push(next),
      fetch: (url, init) => {
        if (isToken(url)) refreshes++;
        return fetch(url, init);
      },
      ...options,
    });
  const isToken = (url: unknown) => String(url).endsWith('/2/oauth2/token');
  const accounts = (client: ReturnType<typeof clientOf>) => client.GET('/12/accounts');

  it('sends the access token, and renews it before it expires', async () => {
    const client = clientOf({ tokens: { ...tokens, expiresAt: Date.now() + 3_600_000 } });
    await accounts(client);
    expect(saved).toEqual([]);
    const expiring = clientOf({ tokens: { ...tokens, expiresAt: Date.now() + 59_000 } });
    await accounts(expiring);
    await accounts(expiring);
    expect(refreshes).toBe(1);
    expect(saved).toEqual([
      { accessToken: expect.any(String), refreshToken: expect.any(String), expiresAt: expect.any(Number) },
    ]);
    expect(saved[0].refreshToken).not.toBe(tokens.refreshToken);
  });

  it('renews the tokens once for all requests that are rejected at the same time', async () => {
    const client = clientOf({ tokens: { ...tokens, accessToken: 'wrong' } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => accounts(client)));
    expect(answers.map(({ response }) => response.status)).toEqual(Array(6).fill(200));
    expect([refreshes, saved.length]).toEqual([1, 1]);
  });

  it('repeats a refresh whose answer was lost', async () => {
    let attempts = 0;
    const client = clientOf({
      tokens: { ...tokens, accessToken: 'wrong' },
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (!isToken(url) || ++attempts > 2) return answer;
        if (attempts === 2) return new Response('', { status: 503 });
        const { signal } = init!;
        return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)));
      },
    });
    expect((await accounts(client)).response.status).toBe(200);
    expect([attempts, saved.length]).toEqual([3, 1]);
  });

  it('keeps new tokens that could not be stored, and stores them before it uses them', async () => {
    const asked: TokenSet[] = [];
    const client = clientOf({
      tokens: { ...tokens, accessToken: 'wrong' },
      onTokens: (next) => {
        asked.push(next);
        if (asked.length < 3) throw new Error('the disk is full');
      },
    });
    for (let n = 0; n < 2; n++) await expect(accounts(client)).rejects.toThrow('the disk is full');
    expect((await accounts(client)).response.status).toBe(200);
    expect(asked).toEqual([asked[0], asked[0], asked[0]]);
    expect((await accounts(client)).response.status).toBe(200);
    expect([refreshes, asked.length]).toEqual([1, 3]);
  });

  it('tells that the user has to sign in again', async () => {
    const wrong = clientOf({ tokens: { accessToken: 'wrong' } });
    await expect(accounts(wrong)).rejects.toMatchObject({ status: 401 });
    await oauth2Post('/2/oauth2/revoke', app, { token: tokens.accessToken });
    const revoked = accounts(clientOf());
    await expect(revoked).rejects.toBeInstanceOf(MarqueeError);
    await expect(revoked).rejects.toMatchObject({ status: 400, code: 'invalid_request', attempts: 1 });
    expect(saved).toEqual([]);
  });
});
