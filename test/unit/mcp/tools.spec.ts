import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describedTools, operationTools, tabledTools } from '../../../src/workbench/mcp/operation-tools.js';
import { listedTools, searchOperations, TOOL_SETS, toolNamed } from '../../../src/workbench/mcp/tool-sets.js';
import { TOOLS_OF_X } from '../../../src/workbench/mcp/tools-of-x.js';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
const OURS = operationTools(read('openapi.json'));
const THEIRS = tabledTools(read('openapi.x.json'), TOOLS_OF_X);
const bytesOf = (tools: typeof OURS) => Buffer.byteLength(JSON.stringify({ tools: describedTools(tools) }));

describe('tools', () => {
  it('are at most 30 by default, of at most 40 KB', () => {
    const listed = listedTools(OURS);
    expect(listed.length).toBeLessThanOrEqual(30);
    expect(bytesOf(listed)).toBeLessThanOrEqual(40_000);
  });

  it('are each in one set, and found by their names', () => {
    const named = TOOL_SETS.flatMap((set) => listedTools(OURS, [set]).slice(0, -2)).map(({ name }) => name);
    expect(named.sort()).toEqual(OURS.map(({ name }) => name).sort());
    const notFirst = OURS.filter(({ name }) => {
      const query = name.replace(/[A-Z]/g, ' $&');
      const { operations } = searchOperations(OURS, { query, count: 10 }) as { operations: { name: string }[] };
      return !operations.some((each) => each.name === name);
    });
    expect(notFirst.map(({ name }) => name)).toEqual([]);
  });

  it('are 74 with the names of X, in its form', () => {
    expect(new Set(THEIRS.map(({ name }) => name)).size).toBe(74);
    for (const { name } of THEIRS) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
  });

  it.each([
    ['ours', OURS],
    ["X's", THEIRS],
  ])('have valid schemas without references elsewhere: %s', (_, tools) => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
    for (const { inputSchema } of tools) {
      ajv.compile(inputSchema);
      expect(JSON.stringify(inputSchema)).not.toContain('#/components');
    }
  });

  const requestOf = (name: string, args: object, tools = OURS) => toolNamed(tools, name).requestOf(args as never);

  it('name what is missing and what is unknown', () => {
    expect(() => requestOf('createCampaign', { name: 'x', total_budget: 1 })).toThrow(
      'account_id is required. funding_instrument_id is required. total_budget is not an argument. Did you mean total_budget_amount_local_micro?',
    );
    expect(() => requestOf('getCampaign', { account_id: 'a' })).toThrow('campaign_id is required.');
    expect(() => requestOf('getCampaigns_', {})).toThrow('There is no tool getCampaigns_. Did you mean getCampaign?');
  });

  it.each(['.', '..', '', {}, [], ['..'], true, null])('refuse %j as an id', (campaign_id) => {
    expect(() => requestOf('getCampaign', { account_id: 'a', campaign_id })).toThrow(/^campaign_id (must be|is)/);
  });

  it.each(['../../2', 'a/b', '%2e%2e', 'a?b', 'a#b', '__proto__'])(
    'keep %j in its place in the path',
    (campaign_id) => {
      const { path } = requestOf('getCampaign', { account_id: 'a', campaign_id });
      const { pathname } = new URL(path, 'http://localhost');
      expect(pathname.split('/').map(decodeURIComponent)).toEqual([
        '',
        '12',
        'accounts',
        'a',
        'campaigns',
        campaign_id,
      ]);
    },
  );

  it('refuse names of prototypes as arguments and as tools', () => {
    const given = JSON.parse(
      '{ "account_id": "a", "__proto__": { "x": 1 }, "constructor": 1, "toString": 2 }',
    ) as object;
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(() => requestOf('listCampaigns', given)).toThrow(`${name} is not an argument.`);
      expect(() => requestOf(name, {})).toThrow(`There is no tool ${name}.`);
    }
    expect(() => requestOf('getCampaign', Object.create({ account_id: 'a', campaign_id: 'b' }) as object)).toThrow(
      'account_id is required.',
    );
  });

  it('take lists as texts and as arrays, and null', () => {
    const args = { account_id: 'a', campaign_ids: ['b', 'c'], funding_instrument_ids: 'd,e', count: 2, cursor: null };
    expect(requestOf('listCampaigns', args).params).toEqual([
      ['campaign_ids', 'b,c'],
      ['funding_instrument_ids', 'd,e'],
      ['count', '2'],
      ['cursor', ''],
    ]);
    expect(() => requestOf('listCampaigns', { account_id: 'a', q: { x: 1 } })).toThrow('q must be a text');
  });

  it('pause what a batch creates, and leave what is no operation to the endpoint', () => {
    const sent = (params: unknown) => {
      const body = [
        { operation_type: 'Create', params },
        { operation_type: 'Delete', params: { campaign_id: 'c' } },
      ];
      return requestOf('batchCampaigns', { account_id: 'a', body }).json;
    };
    const other = { operation_type: 'Delete', params: { campaign_id: 'c' } };
    const create = (params: unknown) => [{ operation_type: 'Create', params }, other];
    expect(sent({ name: 'n' })).toEqual(create({ entity_status: 'PAUSED', name: 'n' }));
    expect(sent({ entity_status: 'ACTIVE' })).toEqual(create({ entity_status: 'ACTIVE' }));
    expect(sent(undefined)).toEqual(create({ entity_status: 'PAUSED' }));
    for (const wrong of ['a text', [1], 7, true]) expect(sent(wrong)).toEqual(create(wrong));
  });

  it('of X keep its rules', () => {
    const campaign = { account_id: 'a', funding_instrument_id: 'f', name: 'n' };
    const sent = requestOf('create_campaign', { ...campaign, entity_status: 'ACTIVE' }, THEIRS).params;
    expect(Object.fromEntries(sent)).toEqual({
      budget_optimization: 'LINE_ITEM',
      funding_instrument_id: 'f',
      name: 'n',
      entity_status: 'PAUSED',
    });
    expect(sent).toHaveLength(4);
    expect(
      requestOf('create_campaign', { ...campaign, budget_optimization: 'CAMPAIGN' }, THEIRS).params,
    ).toContainEqual(['budget_optimization', 'CAMPAIGN']);
    expect(() => requestOf('create_campaign', { ...campaign, standard_delivery: true }, THEIRS)).toThrow(
      'standard_delivery is not an argument. Line items have the pacing: use create_line_item.',
    );
    const update = { account_id: 'a', campaign_id: 'c', entity_status: 'ACTIVE' };
    expect(() => requestOf('update_campaign', update, THEIRS)).toThrow(
      'entity_status cannot be ACTIVE. Use activate_campaign.',
    );
    const item = { account_id: 'a', line_item_id: 'c', entity_status: [' ACTIVE'] };
    expect(() => requestOf('update_line_item', item, THEIRS)).toThrow('Use activate_line_item.');
    expect(() => requestOf('create_line_item', campaign, THEIRS)).toThrow('placements is required.');
    const { json, params } = requestOf('create_card', { account_id: 'a', name: 'n', components: [] }, THEIRS);
    expect([json, params]).toEqual([{ name: 'n', components: [] }, []]);
  });
});
