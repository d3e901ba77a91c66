import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { ApiExtension, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { enumSchema } from '../params/fields.js';
import { describeAnswer, type AnswerKind } from './describe-answer.js';
import { objectSchema, oneOfViews, schemaOfAny, type JsonSchema } from './responses.js';

/** The items of a response: a View, several Views of which each item is one, the words of a closed set, or texts. */
type Items = Type | readonly Type[] | readonly string[] | undefined;

interface ItemOptions {
  /** By default 200; both 200 and 201 if the endpoint may find what it would create (`Created`). */
  status?: 200 | 201 | readonly [200, 201];
  /** The constant value of `data_type`, which a few responses have beside `data`. */
  data_type?: string;
}

interface PageOptions extends ItemOptions {
  /** The total is always present. */
  alwaysCounted?: true;
}

/** A batch has one item for each operation. The returned Page fills the other fields. */
interface ListOptions extends ItemOptions {
  batch?: true;
  /** Has a `next_cursor`, which is always null. */
  next_cursor?: true;
  /** Has the number of items. */
  total_count?: true;
  /** Has the number of units of time. */
  time_series_length?: true;
}

/** The result of an endpoint, without its envelope. */
export interface Returned extends PageOptions, ListOptions {
  kind: AnswerKind;
  items: Items;
}

/** The fields around an item or items, for the serializer and for the document. */
export interface ResponseEnvelope {
  wire: (item: JsonSchema, returned: Returned) => JsonSchema;
  described: (item: JsonSchema, returned: Returned) => JsonSchema;
}

/** One item: `{ request, data_type?, data }`. With `data_type` the endpoint returns an `Item`. */
export const Returns = (view: Type | readonly Type[], options: ItemOptions = {}) =>
  declare({ kind: 'item', items: view, ...options });

/** A page: `{ request, next_cursor, total_count?, data_type?, data }`. Without a View the items are texts. */
export const ReturnsPage = (items?: Items, options: PageOptions = {}) => declare({ kind: 'page', items, ...options });

/**
 * All items: `{ request, next_cursor?, data_type?, total_count?, data }`, or of a batch `{ data_type?, data, request }`.
 * Without a View the items are texts.
 */
export const ReturnsList = (items?: Items, options: ListOptions = {}) =>
  declare({ kind: options.batch ? 'batch' : 'list', items, ...options });

/**
 * Creates or removes what a user has once. The user of the demo has it, so that the request works after the other only.
 */
export const OncePerUser = () => ApiExtension('x-once-per-user', true);

/** Text fields by name, each with its description and an example. */
type Texts = Record<string, { about: string; example: string }>;

interface FieldsOptions {
  /** Sent as `name=value&...`. */
  form?: true;
  /** Beside the fields is the request, as in other responses. */
  request?: true;
  description?: string;
}

/** Text fields without an envelope. */
export function ReturnsFields(fields: Texts, { form, request, description }: FieldsOptions = {}) {
  const texts = Object.entries(fields).map(([name, { about, example }]) => [
    name,
    { type: 'string', description: about, example },
  ]);
  const schema = objectSchema({
    ...(request && { request: echo('EchoedRequest') }),
    ...(Object.fromEntries(texts) as JsonSchema),
  });
  const names = Object.keys(fields);
  return applyDecorators(
    ApiResponse({
      status: 200,
      description: description ?? `The fields ${names.join(', ')}.`,
      ...(form ? { content: { 'application/x-www-form-urlencoded': { schema } } } : { schema }),
    }),
    ...(request
      ? [
          RouteSchema({
            response: {
              '2xx': object({ request: REQUEST, ...Object.fromEntries(names.map((name) => [name, TEXT])) }),
            },
          }),
        ]
      : []),
  );
}

const RETURNED = Symbol('returned');

/** The declared result of a controller's method. */
export const returnedBy = (handler: object): Returned | undefined =>
  Reflect.getMetadata(RETURNED, handler) as Returned | undefined;

function declare(returned: Returned) {
  const views = viewsOf(returned.items);
  return applyDecorators(
    SetMetadata(RETURNED, returned),
    ...(views.length > 0 ? [ApiExtraModels(...views)] : []),
    ...statusesOf(returned).map((status) =>
      ApiResponse({ status, description: describeAnswer(views, returned.kind, status) }),
    ),
    InEnvelope(returned, ADS_ENVELOPE),
  );
}

const statusesOf = ({ status = 200 }: Returned): number[] => [status].flat();

/** Declares the schema of a response in its envelope to the document and the serializer, so that both always agree. */
export function InEnvelope(returned: Returned, { wire, described }: ResponseEnvelope) {
  const { items } = returned;
  const views = viewsOf(items);
  const schema = described(itemSchemaOf(items), returned);
  return applyDecorators(
    ...statusesOf(returned).map((status) => ApiResponse({ status, schema })),
    RouteSchema({ response: { '2xx': wire(views.length > 0 ? schemaOfAny(views) : TEXT, returned) } }),
  );
}

const isSet = (items: Items): items is readonly string[] => Array.isArray(items) && typeof items[0] === 'string';

const viewsOf = (items: Items): readonly Type[] =>
  items === undefined || isSet(items) ? [] : Array.isArray(items) ? (items as readonly Type[]) : [items as Type];

/** The schema of an item in the document. */
function itemSchemaOf(items: Items): JsonSchema {
  const views = viewsOf(items);
  if (views.length > 1) return oneOfViews(views);
  if (views.length === 1) return { $ref: getSchemaPath(views[0]) };
  return isSet(items) ? enumSchema(items) : TEXT;
}

const TEXT = { type: 'string' };
const ANY_OBJECT = { type: 'object', additionalProperties: true };

/** Schemas of the echoed request in envelopes, defined once in the document. */
export const ECHOES = {
  EchoedRequest: {
    type: 'object',
    description: 'The request as the service understood it.',
    required: ['params'],
    properties: {
      params: {
        ...ANY_OBJECT,
        description: 'The parameters of the path and of the request, as the service understood them.',
      },
    },
  },
  EchoedOperation: {
    type: 'object',
    description: 'An operation as the service understood it.',
    required: ['params', 'operation_type'],
    properties: {
      params: {
        ...ANY_OBJECT,
        description: 'The parameters of the operation and of the path, as the service understood them.',
      },
      operation_type: { type: 'string', description: 'The action of the operation.' },
    },
  },
} as const;

const echo = (name: keyof typeof ECHOES) => ({ $ref: `#/components/schemas/${name}` });

const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties });
const REQUEST = object({ params: ANY_OBJECT });
const OPERATION = object({ params: ANY_OBJECT, operation_type: TEXT });
const CURSOR = { type: 'string', nullable: true };
const COUNT = { type: 'integer' };

const NEXT_CURSOR = {
  ...CURSOR,
  description: 'Send it as `cursor`, with otherwise the same parameters, to get the next page. Null on the last page.',
};
const TOTAL_COUNT = { ...COUNT, description: 'Total number of items. Present only if it was requested.' };

/** The envelope of the advertising endpoints. */
const ADS_ENVELOPE: ResponseEnvelope = {
  wire(item, { kind, data_type, ...has }) {
    const type = data_type !== undefined && { data_type: TEXT };
    const data = kind === 'item' ? item : { type: 'array', items: item };
    if (kind === 'batch') return object({ ...type, data, request: { type: 'array', items: OPERATION } });
    return object({
      request: REQUEST,
      ...((kind === 'page' || has.next_cursor) && { next_cursor: CURSOR }),
      ...(kind === 'page' && { total_count: COUNT }),
      ...type,
      ...(has.total_count && { total_count: COUNT }),
      ...(has.time_series_length && { time_series_length: COUNT }),
      data,
    });
  },

  described(item, { kind, data_type, ...has }) {
    const type = data_type !== undefined && {
      data_type: { type: 'string', const: data_type, description: 'The type of the items.' },
    };
    const request = echo('EchoedRequest');
    const all = (description: string) => ({ type: 'array', items: item, description });
    switch (kind) {
      case 'item':
        return objectSchema({ request, ...type, data: { allOf: [item], description: 'The item.' } });
      case 'page':
        return objectSchema(
          {
            request,
            next_cursor: NEXT_CURSOR,
            total_count: TOTAL_COUNT,
            ...type,
            data: all('The items of this page.'),
          },
          has.alwaysCounted ? [] : ['total_count'],
        );
      case 'list':
        return objectSchema({
          request,
          ...(has.next_cursor && { next_cursor: { ...CURSOR, description: 'Always null: there is one page.' } }),
          ...type,
          ...(has.total_count && { total_count: { ...COUNT, description: 'Total number of items.' } }),
          ...(has.time_series_length && {
            time_series_length: { ...COUNT, description: 'The number of units of time in the range.' },
          }),
          data: all('All items. This list has one page.'),
        });
      case 'batch':
        return objectSchema({
          ...type,
          data: all('The results, in the order of the operations.'),
          request: {
            type: 'array',
            items: echo('EchoedOperation'),
            description: 'The operations as the service understood them, in their order.',
          },
        });
    }
  },
};
