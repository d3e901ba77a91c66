import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { momentsFrom, withDemoIds } from '../../../src/operations/docs/examples.js';
import { operationsOf, type Operation } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import type { DocumentSchema } from '../../../src/operations/docs/schemas.js';
import { seedDemo } from '../../../src/demo/demo.js';
import { Api, type Answer, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';

/**
 * Every parameter of every advertising operation of openapi.json, as the document describes it: taken where it is as said,
 * refused by name where it is not. What is added to the document is tested by that.
 */

useApp({ RATE_LIMITS: 'off' });

type Values = Record<string, unknown>;
interface Field {
  name: string;
  schema: DocumentSchema;
  required: boolean;
}
interface Described {
  id: string;
  method: string;
  path: string;
  operation: Operation;
  /** How its parameters travel. */
  as: 'query' | 'form' | 'json';
  fields: Field[];
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const operations = describedIn(document);

const SECOND_CTA = { second_cta: 'two', second_cta_post: 'Two' };
const THIRD_CTA = { ...SECOND_CTA, third_cta: 'three', third_cta_post: 'Three' };
const FOURTH_CTA = { ...THIRD_CTA, fourth_cta: 'four', fourth_cta_post: 'Four' };

const FILM: Values = { media_keys: '{media_key_video}' };
const FILM_WITH_BUTTON: Values = { ...FILM, video_cta: 'VISIT_SITE', video_cta_value: 'https://coffee.example/' };

/** What is true of an example only together with others, or of which a schema tells no value; `{name}` is an id of the demo. */
const TAKEN: Record<string, Values> = {
  user_id: { user_id: '{user_id}' },
  card_uri: { card_uri: 'card://{card_id}' },
  media_keys: { media_keys: '{media_key_image}' },
  poster_media_key: { poster_media_key: '{media_key_image}' },
  unlocked_image_media_key: { unlocked_image_media_key: '{media_key_wide}' },
  scheduled_at: { scheduled_at: '{tomorrow}' },
  'addMediaLibrary.title': { media_key: '{media_key_video}' },
  'addMediaLibrary.description': { media_key: '{media_key_video}' },
  'addMediaLibrary.poster_media_key': { media_key: '{media_key_video}', poster_media_key: '{media_key_image}' },
  'createPost.dynamic_product_ad': { dynamic_product_ad: true, card_uri: 'card://{dynamic_product_cards_card_id}' },
  'createPost.video_title': FILM,
  'createPost.video_description': FILM,
  'createPost.video_cta': FILM_WITH_BUTTON,
  'createPost.video_cta_value': FILM_WITH_BUTTON,
  'createCampaign.total_budget_amount_local_micro': { total_budget_amount_local_micro: 900_000_000 },
  // more than the demo has spent
  'updateCampaign.total_budget_amount_local_micro': { total_budget_amount_local_micro: 9_000_000_000 },
  'updateLineItem.total_budget_amount_local_micro': { total_budget_amount_local_micro: 9_000_000_000 },
  'updateCampaign.funding_instrument_id': { funding_instrument_id: '{funding_instrument_id}' },
  'createFundingInstrument.end_time': { end_time: '2030-01-01T00:00:00Z' },
  'createFundingInstrument.funded_amount_local_micro': {
    type: 'INSERTION_ORDER',
    end_time: '2030-01-01T00:00:00Z',
    credit_limit_local_micro: undefined,
  },
  'submitLead.field_values': { field_values: '{"EMAIL":"ann@example.com"}' },
  'listAbTests.live_during': { live_during: '2026-10-01T00:00:00Z,2026-11-01T00:00:00Z' },
  'searchKeywords.end_time': { end_time: '{tomorrow}' },
  card_uris: { card_uris: '{card_uri}' },
  'updateLineItemCuratedCategory.line_item_id': { line_item_id: '{preroll_line_item_id}' },
  'updatePrerollCallToAction.line_item_id': { line_item_id: '{preroll_line_item_id}' },
  second_cta: SECOND_CTA,
  second_cta_post: SECOND_CTA,
  third_cta: THIRD_CTA,
  third_cta_post: THIRD_CTA,
  fourth_cta: FOURTH_CTA,
  fourth_cta_post: FOURTH_CTA,
  'createPollCard.fourth_choice': { third_choice: 'Three', fourth_choice: 'Four' },
  'updateImageConversationCard.media_key': { media_key: '{media_key_image}' },
  'updateVideoConversationCard.media_key': { media_key: '{media_key_video}' },
  'createVideoConversationCard.poster_media_key': { poster_media_key: '{media_key_image}' },
  'updateVideoConversationCard.poster_media_key': { poster_media_key: '{media_key_image}' },
  'createLineItem.creative_source': { creative_source: 'MANUAL' },
  'createLineItem.primary_web_event_tag': { primary_web_event_tag: '{web_event_tag_id}' },
  'createStatisticsJob.country': { segmentation_type: 'METROS', country: '96683cc9126741d1' },
  'createStatisticsJob.platform': { segmentation_type: 'DEVICES', platform: '0' },
  'updateUserSetting.subscribe_email_types': { subscribed_email_types: undefined },
  unlocked_video_media_key: { unlocked_video_media_key: '{media_key_video}' },
};
const LINE_ITEM: Record<string, Values> = {
  campaign_id: { campaign_id: '{campaign_id}' },
  objective: { objective: 'ENGAGEMENTS' },
  product_type: { product_type: 'PROMOTED_POSTS' },
  primary_web_event_tag: { primary_web_event_tag: '' },
  standard_delivery: { standard_delivery: '' },
  creative_source: { creative_source: 'MANUAL' },
  advertiser_user_id: { advertiser_user_id: '{user_id}' },
  end_time: { end_time: '2037-01-01T00:00:00Z' },
  ios_app_store_identifier: { ios_app_store_identifier: '333903271' },
  duration_in_days: { duration_in_days: 7, frequency_cap: 3 },
  frequency_cap: { duration_in_days: 7, frequency_cap: 3 },
  goal: { goal: 'ENGAGEMENT' },
};
for (const [name, values] of Object.entries(LINE_ITEM)) TAKEN[`updateLineItem.${name}`] = values;
for (const name of ['advertiser_user_id', 'ios_app_store_identifier', 'duration_in_days', 'frequency_cap', 'goal'])
  TAKEN[`createLineItem.${name}`] = LINE_ITEM[name];

const OBJECTS = 'it is a list of objects: see test/e2e/creatives/cards';
const BUDGETS = 'only where line items have the budgets: see test/e2e/campaigns/line-items';
const OF_FORMS = 'it is an object, or a list of them: see test/e2e/creatives/lead-forms';
const IN_A_TEST = 'an entity is in one test only: see test/e2e/campaigns/ab-tests';
const HAS_ONE = 'a user has one catalog: see test/e2e/catalogs';
const HAS_ONE_FEED = 'a user has one feed: see test/e2e/catalogs';
const HAS_ONE_APP = 'a line item has one app for each: see test/e2e/campaigns/line-item-apps';
const OF_TYPES = 'it depends on the type of the set: see test/e2e/catalogs';
const OF_PRODUCTS = 'only with dynamic products: see test/e2e/catalogs/dynamic-products';
const PAYMENT = 'only where the goal leaves a choice: see test/unit/campaigns/line-item-rules';
/** Why a parameter has no test that it is taken: each is tested where it belongs. */
const NOT_TAKEN_ALONE: Record<string, string> = {
  'createProductCatalog.name': HAS_ONE,
  'createProductCatalog.user_id': HAS_ONE,
  'createScheduledFeed.feed_url': HAS_ONE_FEED,
  'createScheduledFeed.feed_format': HAS_ONE_FEED,
  'createScheduledFeed.frequency': HAS_ONE_FEED,
  'createScheduledFeed.repeat': HAS_ONE_FEED,
  'createScheduledFeed.start_time': HAS_ONE_FEED,
  'createScheduledFeed.time_zone': HAS_ONE_FEED,
  'createScheduledFeed.user_id': HAS_ONE_FEED,
  'createLineItemApp.app_store_identifier': HAS_ONE_APP,
  'createLineItemApp.os_type': HAS_ONE_APP,
  'createProductSet.type': OF_TYPES,
  'createProductSet.product_keys': OF_TYPES,
  'createProductSet.filters': OF_TYPES,
  'updateProductSet.product_keys': OF_TYPES,
  'createAbTest.name': IN_A_TEST,
  'createAbTest.description': IN_A_TEST,
  'createAbTest.start_time': IN_A_TEST,
  'createAbTest.end_time': IN_A_TEST,
  'createAbTest.entity_type': IN_A_TEST,
  'createAbTest.user_groups': IN_A_TEST,
  'updateAbTest.start_time': IN_A_TEST,
  'updateAbTest.end_time': IN_A_TEST,
  'updateAbTest.entity_type': IN_A_TEST,
  'updateAbTest.user_groups': IN_A_TEST,
  'updateLeadForm.fields': OF_FORMS,
  'updateLeadForm.privacy_policy': OF_FORMS,
  'updateLeadForm.introduction': OF_FORMS,
  'updateLeadForm.final_page': OF_FORMS,
  'submitLead.line_item_id': 'its card leads to the form: see test/e2e/creatives/leads',
  cursor: 'it has to be one that the service gave: see list-conventions',
  'createCard.components': OBJECTS,
  'createCard.slides': OBJECTS,
  'updateCard.components': OBJECTS,
  'updateCard.slides': OBJECTS,
  'createLineItem.daily_budget_amount_local_micro': BUDGETS,
  'createLineItem.standard_delivery': BUDGETS,
  'createLineItem.pay_by': PAYMENT,
  'updateLineItem.daily_budget_amount_local_micro': BUDGETS,
  'updateLineItem.pay_by': PAYMENT,
  'createLineItem.catalog_id': OF_PRODUCTS,
  'createLineItem.product_set_id': OF_PRODUCTS,
  'updateLineItem.catalog_id': OF_PRODUCTS,
  'updateLineItem.product_set_id': OF_PRODUCTS,
  'getStatistics.segmentation_type': 'only jobs take it: see test/e2e/statistics',
  'createPollCard.media_key': 'it takes a feature: see test/e2e/creatives/poll-cards',
};

/** Why a parameter has no test that a wrong value of it is refused: each is tested where it belongs. */
const NOT_REFUSED_ALONE: Record<string, string> = {
  'createMediaCreative.landing_url': 'the example is an in-stream video: see test/e2e/campaigns/media-creatives',
  'putProduct.products': 'each product has a result: see test/e2e/catalogs',
};

let api: Api;
let served: Map<string, Described>;
let ids: Record<string, string>;

beforeAll(async () => {
  const demo = (await seedDemo(world().app, world().config))!;
  ids = { ...demo.examples, ...momentsFrom(world().clock.now()) };
  api = new Api({
    consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
    token: { key: demo.access_token, secret: demo.access_token_secret },
  });
  const filled = JSON.parse(withDemoIds(JSON.stringify(document), ids, 'once more')) as OpenAPIObject;
  served = new Map(describedIn(filled).map((each) => [each.id, each]));
}, 60_000);

it('the demo has 14 days of statistics that its examples show, and its spend is the sum of them', async () => {
  const [sums] = await world().sql<Json>(
    `SELECT (SELECT sum("billedChargeLocalMicro")::bigint FROM delivery_facts) AS billed, (SELECT sum("spentLocalMicro")::bigint FROM line_items) AS items,
      (SELECT sum("spentLocalMicro")::bigint FROM campaigns) AS campaigns, (SELECT sum("spentLocalMicro")::bigint FROM funding_instruments) AS funding,
      (SELECT count(DISTINCT start)::int FROM delivery_days) AS days, (SELECT max(hour) < now() FROM delivery_facts) AS past`,
  );
  const { billed } = sums;
  expect(billed).toBeGreaterThan(1_000_000_000);
  expect(sums).toEqual({ billed, items: billed, campaigns: billed, funding: billed, days: 14, past: true });
  const statistics = await ask('getStatistics', exampleOf('getStatistics'));
  const { impressions, billed_charge_local_micro: charges } = statistics.body.data[0].id_data[0].metrics;
  for (const counts of [impressions, charges]) expect(Math.min(...(counts as number[]))).toBeGreaterThan(0);
  const reach = await ask('getCampaignReach', exampleOf('getCampaignReach'));
  expect(reach.body.data[0].total_audience_reach).toBeGreaterThan(0);
});

it.each(operations.map((each) => [each.id, each] as const))('%s', async (id, { method, fields, as }) => {
  /** What of the document is not so, by parameter. */
  const wrong: Record<string, unknown>[] = [];

  for (const { name } of fields.filter((field) => field.required)) {
    const { [name]: _, ...others } = exampleOf(id);
    const answer = await ask(id, others);
    const isTold = problemsOf(answer).some(
      (problem) => problem.status === 400 && problem.code === 'MISSING_PARAMETER' && problem.name === name,
    );
    if (!isTold) wrong.push({ parameter: name, expected: 'refused where it is missing', ...toldIn(answer) });
  }

  for (const { name, schema } of fields) {
    if (`${id}.${name}` in NOT_REFUSED_ALONE) continue;
    for (const [what, value] of faultsOf(schema, as)) {
      const answer = await ask(id, { ...exampleOf(id), [name]: value });
      // what is wrong with an element is told by its place, such as `criteria[0]`
      const isTold = problemsOf(answer).some(
        (problem) => problem.status === 400 && problem.name?.replace(/\[\d+\].*$/, '') === name,
      );
      if (!isTold) wrong.push({ parameter: name, expected: `refused by name: ${what}`, value, ...toldIn(answer) });
    }
  }

  // a delete that is taken leaves nothing for the next one
  for (const { name, schema } of method === 'delete' ? [] : fields) {
    if (name in NOT_TAKEN_ALONE || `${id}.${name}` in NOT_TAKEN_ALONE) continue;
    const example = renewed(id, exampleOf(id));
    const value = example[name] ?? valueOf(schema);
    const said = { ...example, [name]: value, ...filled(TAKEN[`${id}.${name}`] ?? TAKEN[name] ?? {}) };
    const answer = await ask(id, said);
    const isEchoed = as === 'json' || name in (answer.body?.request?.params ?? {});
    const isTaken = answer.status < 300 && answer.body?.errors === undefined && isEchoed;
    if (!isTaken) wrong.push({ parameter: name, expected: 'taken', said, ...toldIn(answer) });
    world().clock.advance(60_000);
  }

  expect(wrong).toEqual([]);
});

const toldIn = ({ status, body }: Answer) => ({ status, errors: body?.errors as unknown });

function describedIn(all: OpenAPIObject): Described[] {
  const schemas = (all.components?.schemas ?? {}) as Record<string, DocumentSchema>;
  const resolved = (schema: DocumentSchema): DocumentSchema =>
    schema.$ref ? { ...schemas[schema.$ref.split('/').pop()!], ...schema, $ref: undefined } : schema;
  return operationsOf(all)
    .filter(({ path }) => /^\/(5|12)\//.test(path))
    .flatMap(({ path, method, operation }) => {
      const queried = documentParametersOf(operation).filter((parameter) => parameter.in === 'query');
      const content = (operation.requestBody as { content?: Record<string, { schema: DocumentSchema }> } | undefined)
        ?.content;
      const [type, body] = Object.entries(content ?? {})[0] ?? [];
      const shape = body && resolved(body.schema);
      // batches are tested operation by operation, where their rules are
      if (shape?.type === 'array') return [];
      const fields = shape
        ? Object.entries(shape.properties ?? {}).map(([name, schema]) => ({
            name,
            schema: bare(resolved(schema), resolved),
            required: (shape.required ?? []).includes(name),
          }))
        : queried.map(({ name, schema, required = false }) => ({
            name,
            schema: bare(resolved(schema), resolved),
            required,
          }));
      const as = !body ? 'query' : type === 'application/json' ? 'json' : 'form';
      return [{ id: operation.operationId!, method, path, operation, as, fields }];
    });
}

/** Without what only says that an empty value unsets it; with the schema of its items. */
function bare(schema: DocumentSchema, resolved: (schema: DocumentSchema) => DocumentSchema): DocumentSchema {
  const { anyOf } = schema as DocumentSchema & { anyOf?: DocumentSchema[] };
  const inner = anyOf ? resolved(anyOf[0]) : schema;
  const types = [inner.type].flat();
  const plain = { ...inner, type: types.find((type) => type !== 'null'), nullable: types.includes('null') };
  return inner.items ? { ...plain, items: resolved(inner.items) } : plain;
}

/** What a parameter must not be, each with what is wrong about it. */
function faultsOf(schema: DocumentSchema, as: Described['as']): [what: string, value: unknown][] {
  const { type, enum: words, minimum, maximum, maxLength, pattern, format, items, maxItems, minLength } = schema;
  if (words) return [['another word', 'NO_SUCH_WORD']];
  if (type === 'boolean') return [['no truth', 'maybe']];
  if (type === 'integer' || type === 'number') {
    const min = Number(minimum);
    const max = Number(maximum);
    return [
      ['no number', 'many'],
      ...(minimum === undefined ? [] : [['too little', min - 1] as [string, unknown]]),
      ...(maximum === undefined || max >= Number.MAX_SAFE_INTEGER ? [] : [['too much', max + 1] as [string, unknown]]),
    ];
  }
  if (type === 'array') {
    const one = items ? faultsOf(items, as) : [];
    const few = Number(maxItems);
    const many = Array.from({ length: few + 1 }, (_, i) => String(1_000 + i));
    const isIds = items?.pattern !== undefined && maxItems !== undefined;
    return [
      ...one.map(([what, value]): [string, unknown] => [`${what} in it`, as === 'json' ? [value] : value]),
      ...(isIds ? [[`more than ${few}`, as === 'json' ? many : many.join(',')] as [string, unknown]] : []),
    ];
  }
  if (type === 'object') return [['no object', 'text']];
  if (type !== 'string') return [];
  return [
    ...(format === 'date-time' ? [['no time', 'yesterday'] as [string, unknown]] : []),
    ...(pattern !== undefined ? [['another form', '!'] as [string, unknown]] : []),
    ...(maxLength !== undefined ? [['too long', 'x'.repeat(Number(maxLength) + 1)] as [string, unknown]] : []),
    ...(Number(minLength) > 0 && !schema.nullable && as === 'query' ? [['empty', ''] as [string, unknown]] : []),
  ];
}

/** A value that the schema allows. */
function valueOf(schema: DocumentSchema): unknown {
  const {
    type,
    enum: words,
    minimum,
    format,
    items,
    examples,
    example,
  } = schema as DocumentSchema & { example?: unknown };
  if (example !== undefined) return example;
  if (Array.isArray(examples)) return examples[0];
  if (words) return words[0];
  if (type === 'boolean') return true;
  if (type === 'integer') return minimum ?? 1;
  if (type === 'array') return items ? valueOf(items) : undefined;
  if (format === 'date-time') return '2026-10-01T00:00:00Z';
  return schema.pattern !== undefined ? '1' : 'text';
}

/** The request that the document shows of an operation, on things of this demo. */
function exampleOf(id: string): Values {
  const { operation, as } = served.get(id)!;
  if (as !== 'query') {
    const content = (operation.requestBody as { content: Record<string, { example?: Values }> }).content;
    return { ...Object.values(content)[0].example };
  }
  const shown = documentParametersOf(operation).filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(shown.map(({ name, example }) => [name, example as unknown]));
}

let made = 0;

/** With a new text where no two things may have the same. */
function renewed(id: string, example: Values): Values {
  const content = (served.get(id)!.operation.requestBody as { content?: Record<string, { 'x-unique'?: string[] }> })
    ?.content;
  const unique = Object.values(content ?? {})[0]?.['x-unique'] ?? [];
  const texts = unique.filter((name) => name in example).map((name) => [name, `${String(example[name])} ${++made}`]);
  return { ...example, ...(Object.fromEntries(texts) as Values) };
}

/** With the ids of the demo in place of their names; undefined stays, which takes a parameter away. */
const filled = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/\{(\w+)\}/g, (_, purpose: string) => ids[purpose]) : value,
    ]),
  );

function ask(id: string, said: Values): Promise<Answer> {
  const { method, path, operation, as } = served.get(id)!;
  const known = Object.fromEntries(
    documentParametersOf(operation).map(({ name, example }) => [name, String(example as unknown)]),
  );
  const prefix = operation['x-sandbox-only'] ? '/sandbox' : '';
  const target = prefix + path.replace(/\{(\w+)\}/g, (_, name: string) => known[name]);
  const sent = as === 'json' ? { json: said as Json } : { [as]: said as never };
  return api.call(method.toUpperCase(), target, sent);
}

const problemsOf = ({ status, body }: Answer) =>
  ((body?.errors ?? []) as { code: string; parameter?: string }[]).map(({ code, parameter: name }) => ({
    status,
    code,
    name,
  }));
