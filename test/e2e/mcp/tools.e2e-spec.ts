import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { connect, oauth2App, oauth2Post, signedIn } from '../auth/oauth2-client.js';
import { Assistant, bare, messagesOf } from './assistant.js';

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1' });

const NAMES_OF_X = { 'x-marquee-names': 'x' };

async function assistantOf({ names = 'marquee', query = '' } = {}) {
  const session = await signedIn();
  const app = await oauth2App();
  const token = (await connect(app, undefined, session)).tokens.access_token;
  const account = await given.account({ userId: session.user.id });
  const funding = await given.fundingInstrument({ account });
  const headers = { 'x-marquee-names': names };
  const assistant = await Assistant.connect(token, { path: `/mcp${query}`, headers });
  return { assistant, token, app, account, account_id: account.id, funding_instrument_id: funding.id };
}

const list = (id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
const calling = (name: unknown, args: unknown, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const reading = (uri: string) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });

describe('the tools of X', () => {
  it('are 74, listed without a session', async () => {
    const { token } = await assistantOf();
    const [{ result }] = await messagesOf(await bare(list(), { authorization: `Bearer ${token}`, ...NAMES_OF_X }));
    expect(result.tools).toHaveLength(74);
    const created = result.tools.find(({ name }: { name: string }) => name === 'create_line_item');
    expect(created.inputSchema.required).toEqual(expect.arrayContaining(['account_id', 'campaign_id', 'placements']));
    expect(created.inputSchema.properties.placements.items.enum).toContain('ALL_ON_TWITTER');
  });

  it('set a campaign up as X does', async () => {
    const { assistant, account_id, funding_instrument_id } = await assistantOf({ names: 'x' });
    const campaign = { account_id, funding_instrument_id, name: 'By an assistant', entity_status: 'ACTIVE' };
    const { text, structured } = await assistant.call('create_campaign', campaign);
    expect(structured).toEqual(JSON.parse(text));
    const { data, request } = JSON.parse(text);
    expect(data).toMatchObject({ entity_status: 'PAUSED', budget_optimization: 'LINE_ITEM' });
    expect(request.params).toMatchObject({ account_id });
    const campaign_id = data.id as string;
    const item = {
      account_id,
      campaign_id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      bid_amount_local_micro: 1_000_000,
      daily_budget_amount_local_micro: 5_000_000,
      start_time: '2036-01-01',
      end_time: '2036-02-01',
      entity_status: 'ACTIVE',
    };
    const created = await assistant.data('create_line_item', {
      ...item,
      placements: 'TWITTER_TIMELINE,TWITTER_SEARCH',
    });
    expect(created).toMatchObject({ entity_status: 'PAUSED', placements: ['TWITTER_TIMELINE', 'TWITTER_SEARCH'] });
    const other = await assistant.data('create_line_item', { ...item, placements: ['ALL_ON_TWITTER'] });
    const ids = { account_id, line_item_id: other.id as string };
    await expect(assistant.call('update_line_item', { ...ids, entity_status: 'ACTIVE' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Use activate_line_item.'),
    });
    expect(await assistant.data('activate_line_item', ids)).toMatchObject({ entity_status: 'ACTIVE' });
    expect(await assistant.data('update_line_item', { ...ids, entity_status: 'PAUSED' })).toMatchObject({
      entity_status: 'PAUSED',
    });
    expect(await assistant.data('activate_campaign', { account_id, campaign_id })).toMatchObject({
      entity_status: 'ACTIVE',
    });
  });

  it('return the envelope of an error as a text', async () => {
    const { assistant, account_id } = await assistantOf({ names: 'x' });
    const { isError, text } = await assistant.call('list_account_posts', { account_id, tweet_type: 'GONE' });
    expect(isError).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ errors: [{ code: 'INVALID_PARAMETER', parameter: 'tweet_type' }] });
  });
});

describe('tools', () => {
  it('are those of the sets in the URL, and reach the others', async () => {
    const { assistant, account_id } = await assistantOf({ query: '?tools=statistics,measurement' });
    const names = (await assistant.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['getStatistics', 'sendConversion', 'search_operations', 'call_operation']),
    );
    expect(names).not.toContain('listCampaigns');
    const { structured } = await assistant.call('search_operations', { query: 'poll card', count: 2 });
    expect(structured).toMatchObject({ operations: [{ name: expect.stringMatching(/PollCard/) }, {}] });
    const found = { name: 'listPollCards', arguments: { account_id } };
    expect(await assistant.data('call_operation', found)).toEqual([]);
    await expect(assistant.call('call_operation', { name: 'listPollCards' })).rejects.toThrow(
      'account_id is required.',
    );
    await expect(assistant.call('call_operation', { name: 'listPollCard_' })).rejects.toThrow(
      'Did you mean listPollCards?',
    );
  });

  it.each([
    ['updateLineItem', 'marquee'],
    ['update_line_item', 'x'],
  ])('return the hint of a response: %s', async (name, names) => {
    const { assistant, account, account_id } = await assistantOf({ names });
    const { id } = await given.lineItem({ account, bid_strategy: 'AUTO', bid_amount_local_micro: undefined });
    const args = { account_id, line_item_id: id, bid_amount_local_micro: 1_000_000 };
    const { isError, texts } = await assistant.call(name, args);
    const hint = 'Hint: bid_amount_local_micro was ignored: the bid_strategy of the line item is AUTO.';
    expect({ isError, hints: texts.slice(1) }).toEqual({ isError: false, hints: [hint] });
  });

  it.each(['paint', 'campaigns,paint', ''])('reject unknown sets: "%s"', async (tools) => {
    const { token } = await assistantOf();
    const response = await bare(list(), { authorization: `Bearer ${token}` }, `/mcp?tools=${tools}`);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('campaigns, creatives')]);
  });

  it.each([
    ['tools=campaigns&tools=audiences', 'campaigns, creatives', ['campaigns', 'audiences']],
    ['read_only=true&read_only=false', 'true or false', ['true', 'false']],
  ])('are told what was sent twice: %s', async (query, allowed, sent) => {
    const { token } = await assistantOf();
    const text = await (await bare(list(), { authorization: `Bearer ${token}` }, `/mcp?${query}`)).text();
    for (const each of [allowed, ...sent]) expect(text).toContain(each);
  });
});

describe('an attacker', () => {
  it('gets an error for malformed messages, and no other response', async () => {
    const { token } = await assistantOf();
    const headers = { authorization: `Bearer ${token}` };
    const answers: [unknown, number, number?][] = [
      ['{', 400],
      ['', 400],
      ['[]', 400],
      ['null', 400],
      ['"text"', 400],
      [{}, 400],
      [{ jsonrpc: '1.0', id: 1, method: 'tools/list' }, 400],
      [{ jsonrpc: '2.0', id: {}, method: 'tools/list' }, 400],
      [{ jsonrpc: '2.0', id: 1, method: '__proto__' }, 200, -32601],
      [calling('listAccounts', 'text'), 200, -32602],
      [calling('listAccounts', [1]), 200, -32602],
      [calling('__proto__', {}), 200, -32602],
      [calling({ name: 'listAccounts' }, {}), 200, -32602],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listAccounts","arguments":{"constructor":1}}}',
        200,
        -32602,
      ],
      [calling('listAccounts', { x: 'y'.repeat(500_000) }), 200, -32602],
      [calling('x'.repeat(500_000), {}), 200, -32602],
      [calling('call_operation', { name: 'call_operation' }), 200, -32602],
      [calling('call_operation', { name: 'listAccounts', arguments: [] }), 200, -32602],
      [calling('call_operation', { name: 'listAccounts', count: 1 }), 200, -32602],
      [calling('search_operations', { query: 'card', limit: 1 }), 200, -32602],
      [calling('search_operations', { query: 'a '.repeat(200_000) }), 200],
      [reading('marquee://workbench/requests/..'), 200, -32602],
      [reading('marquee://workbench/requests/.'), 200, -32602],
    ];
    for (const [body, status, code] of answers) {
      const response = await bare(body, headers);
      const about = JSON.stringify(body).slice(0, 100);
      expect([about, response.status]).toEqual([about, status]);
      if (status !== 200) continue;
      const [message] = await messagesOf(response);
      expect([about, message.error?.code]).toEqual([about, code]);
      expect(JSON.stringify(message).length).toBeLessThan(50_000);
    }
  });

  it('cannot leave the path of an operation', async () => {
    const { assistant, account_id } = await assistantOf();
    for (const campaign_id of ['..', '.'])
      await expect(assistant.call('getCampaign', { account_id, campaign_id })).rejects.toThrow('must be an id');
    for (const campaign_id of ['../line_items', '%2e%2e', '..%2f', '..\\', 'a/../b', '\ud800', "it's"])
      expect((await assistant.call('getCampaign', { account_id, campaign_id })).text).toMatch(
        /^The service answered 4/,
      );
  });

  it('leaves no body behind that the service would wait for', async () => {
    const { assistant, funding_instrument_id } = await assistantOf();
    // rejected before its body is read
    const { text } = await assistant.call('createCampaign', { account_id: '\0', name: 'x', funding_instrument_id });
    expect(text).toMatch(/^The service answered 404/);
    const metrics = await (await fetch(`${world().direct}/metrics`)).text();
    expect(metrics).toMatch(/^marquee_http_bodies_pending 0$/m);
  });

  it('has every message of a batch checked', async () => {
    const { token, account_id } = await assistantOf();
    const batch = [calling('listCampaigns', { account_id }, 1), calling('listCampaigns', { account: 1 }, 2), list(3)];
    const messages = await messagesOf(await bare(batch, { authorization: `Bearer ${token}`, ...NAMES_OF_X }));
    const byId = new Map(messages.map((each) => [each.id, each]));
    expect(byId.get(1).error.code).toBe(-32602);
    expect(byId.get(2).error.code).toBe(-32602);
    expect(byId.get(3).result.tools).toHaveLength(74);
  });

  it('loses access with the token', async () => {
    const { token, app } = await assistantOf();
    expect((await bare(list(), { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await oauth2Post('/2/oauth2/revoke', app, { token })).status).toBe(200);
    await world().caughtUp();
    expect((await bare(list(), { authorization: `Bearer ${token}` })).status).toBe(401);
  });
});
