import { RemovalService } from '../../../src/auth/removal.service.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';
import { ALL, asBearer, connect, oauth2App, signedIn } from '../auth/oauth2-client.js';
import { Assistant, bare, messagesOf } from './assistant.js';

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1' });

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function signedInAssistant(scope = ALL, path = '/mcp') {
  const session = await signedIn();
  const { tokens } = await connect(await oauth2App(), scope, session);
  const account = await given.account({ userId: session.user.id });
  const fundingId = (await given.fundingInstrument({ account })).id;
  const token = tokens.access_token;
  return { token, user: session.user, account, fundingId, assistant: await Assistant.connect(token, { path }) };
}

describe('the access token of OAuth 2.0 at /mcp', () => {
  it('carries tools out for the user, in the limits of its requests', async () => {
    const { assistant, account, fundingId, token } = await signedInAssistant();
    const remaining = async () =>
      Number((await asBearer(token, 'GET', '/12/accounts')).headers['x-rate-limit-remaining']);
    const before = await remaining();
    const accounts = await assistant.data('listAccounts', {});
    expect(accounts).toMatchObject([{ id: account.id }]);
    expect(before - (await remaining())).toBe(2);
    const args = { account_id: account.id, funding_instrument_id: fundingId, name: 'By an assistant' };
    const created = await assistant.data('createCampaign', { ...args, daily_budget_amount_local_micro: 5_000_000 });
    expect(created).toMatchObject({ name: 'By an assistant', entity_status: 'PAUSED' });
    const { isError, text } = await assistant.call('getAccount', { account_id: (await given.advertiser()).account.id });
    expect([isError, text]).toEqual([true, expect.stringContaining('404')]);
  });

  it('offers all tools whatever the scopes; the endpoint says which scope is missing', async () => {
    const all = await (await signedInAssistant()).assistant.client.listTools();
    const { assistant, account, fundingId } = await signedInAssistant('ads.read');
    expect((await assistant.client.listTools()).tools).toEqual(all.tools);
    expect(await assistant.data('listCampaigns', { account_id: account.id })).toEqual([]);
    const args = { account_id: account.id, funding_instrument_id: fundingId, name: 'Not allowed' };
    const { isError, text } = await assistant.call('createCampaign', args);
    expect(isError).toBe(true);
    expect(text).toMatch(/^The service answered 403/);
    expect(text).toContain('INSUFFICIENT_USER_AUTHORIZED_PERMISSION');
  });

  it('shows the journal, and the tools of the workbench, to the owner of the application', async () => {
    const session = await signedIn();
    const app = await oauth2App('public', { ownerId: session.user.id });
    const assistantWith = async (scope: string, by = session) =>
      Assistant.connect((await connect(app, scope, by)).tokens.access_token);
    const owner = await assistantWith('ads.read');
    const { contents } = await owner.client.readResource({ uri: 'marquee://workbench/requests' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toHaveProperty('data');
    expect(await owner.data('listRequests', {})).toEqual(expect.any(Array));
    const end = (by: Assistant) => by.call('deleteFault', { fault_id: '0000000000000' });
    expect((await end(owner)).text).toMatch(/^The service answered 403/);
    expect((await end(await assistantWith('ads.read ads.write'))).text).toMatch(/^The service answered 404/);
    const other = await assistantWith('ads.read ads.write', await signedIn());
    const foreign = await other.call('listRequests', {});
    expect([foreign.isError, foreign.text]).toEqual([true, expect.stringContaining('Only the owner')]);
    await expect(other.client.readResource({ uri: 'marquee://workbench/requests' })).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('403'),
    });
  });

  it('reaches the sandbox at its path', async () => {
    const { assistant, account } = await signedInAssistant(ALL, '/sandbox/mcp');
    const [{ id }] = await assistant.data('createAccount', {});
    const accounts = await assistant.data('listAccounts', {});
    expect(accounts).toMatchObject([{ id }]);
    expect(id).not.toBe(account.id);
  });

  it('is asked for by the metadata that 401 names', async () => {
    for (const path of ['/mcp', '/sandbox/mcp'])
      for (const headers of [{}, { authorization: 'Bearer unknown' }] as Record<string, string>[]) {
        const response = await bare(LIST, headers, path);
        expect(response.status).toBe(401);
        const challenge = response.headers.get('www-authenticate')!;
        expect(challenge).toMatch(
          headers.authorization ? /^Bearer error="invalid_token", / : /^Bearer resource_metadata="/,
        );
        const metadata = new URL(/resource_metadata="([^"]+)"/.exec(challenge)![1]);
        const { body } = await send(world().url, metadata.pathname, { method: 'GET' });
        expect(new URL(body.resource as string).pathname).toBe(path);
      }
  });

  it('ends with the user', async () => {
    const { token, user } = await signedInAssistant();
    expect((await messagesOf(await bare(LIST, { authorization: `Bearer ${token}` }))).length).toBe(1);
    await world().get(RemovalService).suspendUser(user.id);
    await world().caughtUp();
    expect((await bare(LIST, { authorization: `Bearer ${token}` })).status).toBe(401);
  });
});
