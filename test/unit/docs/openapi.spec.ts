import { readFileSync } from 'node:fs';
import type { OpenAPIObject, ParameterObject, SchemaObject } from '@nestjs/swagger';
import { FEATURES, QUERYABLE_FEATURES } from '../../../src/accounts/accounts.features.js';
import { operationsOf } from '../../../src/operations/docs/operation.js';

const spec = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const operations = operationsOf(spec);
const operationOf = (id: string) => operations.find(({ operation }) => operation.operationId === id)!.operation;
const parametersOf = (id: string) =>
  Object.fromEntries(
    ((operationOf(id).parameters ?? []) as ParameterObject[]).map((each) => [
      each.name,
      { ...each, schema: each.schema as SchemaObject },
    ]),
  );
interface Content {
  content?: Record<string, { schema: SchemaObject; encoding?: object }>;
}
const answerOf = (id: string, status = 200) => operationOf(id).responses[status] as Content;
interface Schema {
  $ref?: string;
  description?: string;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
}
const schemas = spec.components!.schemas as Record<string, { properties: Record<string, Schema> } & Schema>;
const referred = ({ $ref }: Schema) => schemas[$ref!.split('/').pop()!];
const wordsOf = (schema: Schema) => referred(schema).enum;
const itemsOf = (schema: object) => (schema as Schema).items!;
/** What an amount is where it is one. */
const amountOf = (field: Schema) => {
  const { type, format } = field.anyOf?.[0] ?? field;
  return { type: [type].flat()[0], format };
};
const mediaOf = (id: string) => (operationOf(id).requestBody as Content).content!['application/x-www-form-urlencoded'];
const formOf = (id: string) => referred(mediaOf(id).schema);

/** Lists of the workbench, and the entities of statistics; filters are longer. */
const MAX_20 = /^\/workbench\/|\/conversion_attribution$|\/stats\/(?!jobs|.*\/active_entities)/;

describe('the document', () => {
  it('shows the pages that users are sent to, as HTML', () => {
    for (const id of ['authorize', 'authenticate']) {
      expect(answerOf(id).content).toMatchObject({ 'text/html': { schema: { type: 'string' } } });
      expect(parametersOf(id).oauth_token).toMatchObject({ in: 'query', required: true });
    }
    expect(Object.keys(spec.paths)).toEqual(expect.arrayContaining(['/oauth/authorize', '/oauth/authenticate']));
    expect(operationOf('authenticate').responses).toHaveProperty('302');
    for (const path of ['/i/oauth2/authorize', '/2/oauth2/authorize']) {
      const { operationId, responses } = spec.paths[path].get!;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '303', '400', '429']));
      const parameters = parametersOf(operationId!);
      const required = Object.keys(parameters).filter((name) => parameters[name].required);
      expect(required).toHaveLength(7);
      expect(parameters.code_challenge_method.description).toContain('`S256` or `plain`');
    }
  });

  it('says that a body can be too large, or in a form that is not taken, and says so nowhere else', () => {
    const taking = operations.filter(({ operation }) => operation.requestBody);
    expect(taking.length).toBeGreaterThan(5);
    for (const { operation } of operations) {
      const { operationId, requestBody } = operation;
      const told = ['413', '415'].filter((status) => status in operation.responses);
      expect({ operationId, told }).toEqual({ operationId, told: requestBody ? ['413', '415'] : [] });
    }
  });

  it('has the defaults where there are any, and none for an update', () => {
    expect(parametersOf('listCampaigns')).toMatchObject({
      count: { schema: { default: 200, minimum: 1, maximum: 1000 } },
      with_deleted: { schema: { default: false } },
      with_total_count: { schema: { default: false } },
      with_draft: { schema: { default: false } },
    });
    expect(parametersOf('listAccountHistory')).toMatchObject({ count: { schema: { default: 200 } } });
    expect(parametersOf('getCampaign')).toMatchObject({ with_deleted: { schema: { default: false } } });
    const { entity_status, budget_optimization, standard_delivery } = formOf('createCampaign').properties;
    expect(entity_status.description).toMatch(/Defaults to `ACTIVE`\.$/);
    expect(budget_optimization.description).toMatch(/Defaults to `CAMPAIGN`\.$/);
    expect(standard_delivery.description).toMatch(/Defaults to `true`\.$/);
    for (const { method, operation } of operations) {
      if (method === 'put') expect(JSON.stringify(operation.requestBody ?? null)).not.toContain('Defaults to `');
    }
    expect(JSON.stringify([schemas.UpdateCampaignOperation, schemas.UpdateCampaignForm])).not.toContain(
      'Defaults to `',
    );
    // generators take a field that has a default for one that is always there
    expect(JSON.stringify(schemas)).not.toContain('"default":');
  });

  it('offers a status to update to only where an update can lead there', () => {
    expect(wordsOf(formOf('createCampaign').properties.entity_status)).toEqual(['ACTIVE', 'DRAFT', 'PAUSED']);
    expect(wordsOf(formOf('updateCampaign').properties.entity_status)).toEqual(['ACTIVE', 'PAUSED']);
    expect(wordsOf(schemas.UpdateCampaignOperation.properties.entity_status)).toEqual(['ACTIVE', 'PAUSED']);
  });

  it('shows lists as arrays that are sent with commas', () => {
    expect(parametersOf('listCampaigns').campaign_ids).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', maxItems: 200, items: { type: 'string' } },
    });
    const { feature_keys } = parametersOf('listFeatures');
    expect(feature_keys).toMatchObject({ explode: false, schema: { type: 'array' } });
    expect(wordsOf(itemsOf(feature_keys.schema))).toEqual([...QUERYABLE_FEATURES]);
    expect(wordsOf(itemsOf(formOf('addFeatures').properties.feature_keys))).toEqual([...FEATURES]);
    expect(mediaOf('addFeatures').encoding).toEqual({ feature_keys: { style: 'form', explode: false } });
    const attributes = ['created_at', 'updated_at', 'deleted', 'name'];
    const { sort_by } = parametersOf('listAccounts');
    expect(sort_by.explode).toBe(false);
    expect(wordsOf(itemsOf(sort_by.schema))).toEqual(
      attributes.flatMap((attribute) => [`${attribute}-asc`, `${attribute}-desc`]),
    );
    for (const { path, operation } of operations) {
      for (const each of (operation.parameters ?? []) as ParameterObject[]) {
        if (each.name.endsWith('_ids'))
          expect(each.schema).toMatchObject({
            type: 'array',
            maxItems: MAX_20.test(path) ? 20 : 200,
          });
      }
    }
  });

  it('counts money in whole micro-units, in what is sent and what is answered', () => {
    const amounts = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, field]) =>
        name.endsWith('_local_micro') ? [{ schema, name, ...amountOf(field) }] : [],
      ),
    );
    expect(new Set(amounts.map(({ schema }) => schema)).size).toBeGreaterThan(3);
    for (const amount of amounts) expect(amount).toMatchObject({ type: 'integer', format: 'int64' });
  });

  it('has a total only in the answers of lists that can be asked for it, or always have it', () => {
    // uploads of users answer counts of that name, too, and no pages
    const counting = operations.filter(({ operation }) => {
      const answers = JSON.stringify(operation.responses);
      const always = /"required":\[[^\]]*"total_count"/.test(answers);
      return answers.includes('"total_count"') && answers.includes('"next_cursor"') && !always;
    });
    expect(counting.map(({ operation }) => operation.operationId).sort()).toEqual(
      operations
        .filter(({ operation }) => parametersOf(operation.operationId!).with_total_count)
        .map(({ operation }) => operation.operationId)
        .sort(),
    );
    expect(counting.length).toBeGreaterThan(3);
    expect(JSON.stringify(answerOf('createAccount', 201))).toContain('next_cursor');
  });

  it('shows a second path of an endpoint, and which one it is the same as', () => {
    const { get: _, post } = spec.paths['/1.1/oauth/invalidate_token.json'];
    const { operationId, description, ...rest } = post!;
    expect({ operationId, description }).toEqual({
      operationId: 'invalidateOAuth1Json',
      description: 'The same as `POST /1.1/oauth/invalidate_token`.',
    });
    expect(rest).toEqual(
      (({ operationId: _id, description: _description, ...same }) => same)(operationOf('invalidateOAuth1')),
    );
  });
});

it('shows the days of a frequency cap as a closed set, for POST and PUT', () => {
  for (const id of ['createLineItem', 'updateLineItem']) {
    const { schema } = parametersOf(id).duration_in_days ?? {
      schema: formOf(id).properties.duration_in_days,
    };
    expect((schema as Schema).enum ?? (schema as Schema).anyOf?.[0].enum).toEqual(expect.arrayContaining([1, 7, 30]));
  }
});

it('shows when a replay was asked for with its milliseconds', () => {
  const { content } = operationOf('startReplay').responses[200] as Content;
  expect(JSON.stringify(content)).toMatch(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z"/);
});
