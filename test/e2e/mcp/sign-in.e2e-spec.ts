import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { Api } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Json } from '../../support/http.js';
import { oauth2App, signedIn, type OAuth2App } from '../auth/oauth2-client.js';
import { application as ownApplication, CALLBACK, type Visitor } from '../auth/visitor.js';

useApp({
  NAMES: 'x',
  SANDBOX: 'true',
  DELIVERY: 'simulated',
  AUDIENCE_POPULATION_SCALE: '1000',
  RATE_LIMITS: 'relaxed',
  TRUST_PROXY: '127.0.0.1',
});

const DAY_MS = 86_400_000;
const START = Date.UTC(2027, 0, 10, 8);
const day = (days: number): string => new Date(START + days * DAY_MS).toISOString();

/** The service listens elsewhere than at its public URL, where clients look for the metadata of the issuer. */
const here = (url: string | URL, init?: RequestInit) => {
  const { pathname, search } = new URL(url);
  return fetch(`${world().url}${pathname}${search}`, init);
};

/** What a client keeps, and how it opens the browser of a user. */
class Browser implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  private saved?: OAuthTokens;
  private verifier = '';
  asked?: URL;

  constructor(private readonly app: OAuth2App) {}

  get clientMetadata() {
    return { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  }
  clientInformation = () => ({ client_id: this.app.clientId });
  state = () => 'a state';
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  redirectToAuthorization = (url: URL) => void (this.asked = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;

  /** The user approves on the page; the code of the callback. */
  async approve(visitor: Visitor): Promise<string> {
    const path = `${this.asked!.pathname}${this.asked!.search}`;
    await visitor.get(path);
    await visitor.post(path, { csrf: visitor.csrf, decision: 'approve' });
    return new URL(visitor.location).searchParams.get('code')!;
  }
}

async function signedInClient(visitor: Visitor): Promise<Client> {
  const provider = new Browser(await oauth2App());
  const url = new URL(`${world().url}/sandbox/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider, fetch: here });
  await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError);
  expect(provider.asked!.searchParams.get('scope')).toBe('ads.read ads.write media.write offline.access');
  await transport.finishAuth(await provider.approve(visitor));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider, fetch: here }));
  return client;
}

jest.setTimeout(180_000);

it('an assistant signs in, sets a campaign up and reads what a week brought', async () => {
  const { user, visitor } = await signedIn();
  const account = await given.account({ userId: user.id, environment: 'sandbox' });
  const account_id = account.id;
  await given.fundingInstrument({ account });
  const client = await signedInClient(visitor);
  const call = async (name: string, args: object): Promise<Json> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
    expect({ name, isError, content: isError ? content : [] }).toEqual({ name, isError: undefined, content: [] });
    return (structuredContent as Json).data;
  };
  expect((await client.listTools()).tools).toHaveLength(74);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('set_up_campaign');
  const asked = { name: 'read_week', arguments: { account_id, campaign_id: 'abc', first_day: '2027-01-10' } };
  expect(JSON.stringify((await client.getPrompt(asked)).messages)).toContain('get_account_stats');
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['marquee://docs/delivery.md', 'marquee://docs/tutorials/6-assistant.md']),
  );
  const read = await client.readResource({ uri: 'marquee://docs/tutorials/6-assistant.md' });
  expect(read.contents[0]).toMatchObject({ text: expect.stringContaining('assistant') });

  const owner = await ownerOf();
  const clock = await owner.post('/workbench/clocks', {
    form: { name: 'A week', frozen_time: day(0), account_ids: account_id },
  });
  expect([clock.status, clock.body.errors]).toEqual([201, undefined]);
  await world().caughtUp();

  expect(await call('list_ads_accounts', {})).toMatchObject([{ id: account_id }]);
  const [{ id: funding_instrument_id }] = await call('list_funding_instruments', { account_id });
  const campaign = await call('create_campaign', { account_id, funding_instrument_id, name: 'A week' });
  expect(campaign).toMatchObject({ entity_status: 'PAUSED', budget_optimization: 'LINE_ITEM' });
  const campaign_id = campaign.id as string;
  const item = await call('create_line_item', {
    account_id,
    campaign_id,
    name: 'Everybody',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_TWEETS',
    placements: 'ALL_ON_TWITTER',
    bid_amount_local_micro: 2_000_000,
    daily_budget_amount_local_micro: 10_000_000,
    start_time: day(0),
    end_time: day(30),
  });
  const line_item_id = item.id as string;
  const post = await call('create_ad_post', { account_id, text: 'Coffee for all', as_user_id: user.id });
  const [promoted] = await call('promote_post', { account_id, line_item_id, tweet_ids: post.tweet_id ?? post.id_str });
  expect(promoted).toMatchObject({ line_item_id });
  expect(await call('activate_line_item', { account_id, line_item_id })).toMatchObject({ entity_status: 'ACTIVE' });
  expect(await call('activate_campaign', { account_id, campaign_id })).toMatchObject({ servable: true });

  const { id } = clock.body.data;
  expect((await owner.post(`/workbench/clocks/${id}/advance`, { form: { frozen_time: day(7) } })).status).toBe(200);
  while ((await owner.get(`/workbench/clocks/${id}`)).body.data.status !== 'ready') await pause(100);
  const [week] = await call('get_account_stats', {
    account_id,
    entity: 'CAMPAIGN',
    entity_ids: campaign_id,
    start_time: '2027-01-10T08:00:00Z',
    end_time: '2027-01-17T08:00:00Z',
    granularity: 'TOTAL',
    metric_groups: ['ENGAGEMENT', 'BILLING'],
    placement: 'ALL_ON_TWITTER',
  });
  const { metrics } = week.id_data[0];
  expect(metrics.impressions[0]).toBeGreaterThan(0);
  expect(metrics.billed_charge_local_micro[0]).toBeGreaterThan(0);
  await client.close();

  /** The owner of an application, who is the user: clocks belong to those who administer the accounts. */
  async function ownerOf(): Promise<Api> {
    const application = await ownApplication({ ownerId: user.id });
    const token = await world().get(AccessTokensService).issue(user.id, application.id, 'write');
    return new Api({ consumer: application.consumer, token });
  }
});
