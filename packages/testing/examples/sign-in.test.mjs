import { startMarquee } from '@marquee/testing';

let marquee;
beforeAll(async () => {
  marquee = await startMarquee({ seed: 'empty' });
}, 180_000);
afterAll(() => marquee?.stop());

const get = (path, token) => fetch(`${marquee.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

test('a token that may not read campaigns is told so', async () => {
  const { access_token, refresh_token, scope } = await marquee.oauth2Tokens({ scopes: ['users.read'] });
  expect({ scope, refresh_token }).toEqual({ scope: 'users.read', refresh_token: undefined });
  expect((await get('/2/users/me', access_token)).status).toBe(200);
  const refused = await get('/12/accounts', access_token);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('ads.read')]);
});

test('a namespace has tokens of its own, which are renewed without a secret', async () => {
  const namespace = await marquee.namespace();
  const { client_id, access_token, refresh_token } = await namespace.oauth2Tokens();
  expect((await get(`/12/accounts/${namespace.credentials.account_id}/campaigns`, access_token)).status).toBe(200);
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id });
  const renewed = await (await fetch(`${marquee.url}/2/oauth2/token`, { method: 'POST', body: form })).json();
  expect((await get('/2/users/me', renewed.access_token)).status).toBe(200);
});
