import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { isShared } from './list-serializer.js';
import { dataTyped, type Typed } from './data-type.js';
import { describeAnswer, type AnswerKind } from './describe-answer.js';
import { RouteSchema } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Row } from '../../db/query/rows.js';
import { wireTime } from '../../db/postgres/type-parsers.js';
import type { Resource } from '../../entity/resource.entity.js';
import { BASE_36, DECIMAL, enumSchema } from '../params/fields.js';

const UNESCAPED = Symbol('unescaped');

/**
 * For a property of a View, beside @ApiProperty: a text that the serializer writes without escaping it for JSON. Only
 * for values that cannot contain a client's text: generated ids and times, and words validated against a closed set
 * before they are stored.
 */
export const Unescaped = (): PropertyDecorator => (prototype, name) =>
  Reflect.defineMetadata(UNESCAPED, true, prototype, name);

const WRITTEN_AS = Symbol('written as');

/**
 * For a property of a View whose schema `@ApiProperty` cannot express to the serializer: one of several Views, or a map
 * of them.
 */
export const WrittenAs = (schema: Record<string, unknown>): PropertyDecorator =>
  ((prototype: object, name: string) =>
    Reflect.defineMetadata(WRITTEN_AS, schema, prototype, name)) as PropertyDecorator;

/** Schema of the id of an ads entity in the document. */
export const ID = { type: String, pattern: BASE_36.pattern.source } as const;
/** Schema of the ids of users, posts, cards and media. */
export const DECIMAL_ID = { type: String, pattern: DECIMAL.pattern.source } as const;
/** Schema of a time. */
export const TIME = { type: String, format: 'date-time' } as const;
/** Schema of a nullable amount of money. */
export const MICRO = { type: 'integer', format: 'int64', nullable: true } as const;

/** The four fields at the end of every item. */
export class ResourceView {
  /** The id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When the item was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** When the item was last changed. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether the item is deleted. */
  @ApiProperty() deleted: boolean;
}

/**
 * Appends these fields to a view. It assigns them one by one, since V8 is slow to spread into a literal that already
 * has fields.
 */
export function presentResource<V extends object>(row: Row<Resource>, view: V): V & ResourceView {
  const closed = view as V & ResourceView;
  closed.id = row.id;
  closed.created_at = wireTime(row.createdAt);
  closed.updated_at = wireTime(row.updatedAt);
  closed.deleted = row.deletedAt !== null;
  return closed;
}

export type Schema = Record<string, unknown>;

/** A View's @ApiProperty decorators as a JSON schema: the serializer omits undeclared fields. */
export function schemaOf(view: Type): Schema {
  const prototype = view.prototype as object;
  const names = ((Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) ?? []) as string[]).map((key) =>
    key.slice(1),
  );
  const properties = Object.fromEntries(
    names.map((name) => {
      const schema = propertyOf(
        Reflect.getMetadata('swagger/apiModelProperties', prototype, name) as Declared,
        Reflect.hasMetadata(UNESCAPED, prototype, name),
        Reflect.getMetadata(WRITTEN_AS, prototype, name) as Schema | undefined,
      );
      return [name, isShared(prototype, name) ? { ...schema, shared: true } : schema];
    }),
  );
  return {
    type: 'object',
    properties,
    required: names.filter((name) => (properties[name] as { optional?: boolean }).optional !== true),
  };
}

/**
 * The union of the fields of several Views: the serializer looks for all of them on each item and writes those present.
 */
export const schemaOfAny = (views: readonly Type[]): Schema =>
  views.length === 1 ? schemaOf(views[0]) : together(views.map(schemaOf));

interface ObjectSchema extends Schema {
  type: 'object';
  properties: Record<string, Schema>;
  required: string[];
}

function together(schemas: readonly Schema[]): Schema {
  const objects = schemas as readonly ObjectSchema[];
  if (objects.some(({ properties }) => !properties)) return joined(schemas);
  const names = [...new Set(objects.flatMap(({ properties }) => Object.keys(properties)))];
  const required = names.filter((name) => objects.every((each) => each.required.includes(name)));
  const properties = names.map((name) => {
    const own = objects.flatMap<Schema>((each) => each.properties[name] ?? []);
    return [name, { ...together(own), ...(!required.includes(name) && { optional: true }) }];
  });
  return { ...joined(schemas), properties: Object.fromEntries(properties) as Record<string, Schema>, required };
}

/**
 * A keyword of one schema applies to all of them, except that only what every schema declares as unescaped stays so.
 */
function joined(schemas: readonly Schema[]): Schema {
  const { format, ...first } = schemas[0];
  if (schemas.some(({ type }) => type !== first.type)) throw new Error('Views of one response differ in type');
  return {
    ...first,
    ...(format !== undefined && schemas.every((each) => each.format === format) && { format }),
    ...(schemas.some(({ nullable }) => nullable) && { nullable: true }),
  };
}

/** The metadata of @ApiProperty that a serializer needs. */
interface Declared {
  type?: unknown;
  enum?: unknown;
  items?: object;
  isArray?: boolean;
  nullable?: boolean;
  required?: boolean;
}

function propertyOf(declared: Declared, unescaped: boolean, written?: Schema): Schema {
  const { isArray, nullable, required } = declared;
  const single = written ?? typeOf(declared, unescaped);
  return {
    ...(isArray && single.type !== 'array' ? { type: 'array', items: single } : single),
    ...(nullable && { nullable }),
    ...(required === false && { optional: true }),
  };
}

function typeOf({ type, enum: values, items }: Declared, unescaped: boolean): Schema {
  if (values !== undefined || type === String) return { type: 'string', ...(unescaped && { format: 'unsafe' }) };
  if (type === 'array') return { type: 'array', items: typeOf(items as Declared, unescaped) };
  if (type === Boolean) return { type: 'boolean' };
  if (type === Number || type === 'integer') return { type: 'number' };
  if (type === Object) return { type: 'object', additionalProperties: true };
  return typeof type === 'function' ? schemaOf(type as Type) : { type };
}

const anyObject = { type: 'object', additionalProperties: true };
const request = { type: 'object', properties: { params: anyObject } };

/** Schemas of the echoed request in envelopes, defined once in the document. */
export const ECHOES = {
  EchoedRequest: {
    type: 'object',
    description: 'The request as the service understood it.',
    required: ['params'],
    properties: {
      params: {
        ...anyObject,
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
        ...anyObject,
        description: 'The parameters of the operation and of the path, as the service understood them.',
      },
      operation_type: { type: 'string', description: 'The action of the operation.' },
    },
  },
} as const;

const echo = (name: keyof typeof ECHOES) => ({ $ref: `#/components/schemas/${name}` });
export const whole = (properties: Schema, optional: string[] = []): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** The items of a response: a View, several Views of which each item is one, the words of a closed set, or texts. */
type Items = Type | readonly Type[] | readonly string[] | undefined;

const isSet = (items: Items): items is readonly string[] => Array.isArray(items) && typeof items[0] === 'string';

const viewsOf = (items: Items): readonly Type[] =>
  items === undefined || isSet(items) ? [] : Array.isArray(items) ? (items as readonly Type[]) : [items as Type];

/** Schema in the document of an item that is one of several Views. */
export const oneOfViews = (views: readonly Type[]) => ({ oneOf: views.map((view) => ({ $ref: getSchemaPath(view) })) });

/** Declares the response of an endpoint to the document and the serializer, so that both always agree. */
function returns(
  items: Items,
  {
    kind,
    status,
    wire,
    described,
  }: {
    kind: AnswerKind;
    status: number;
    wire: (item: Schema) => Schema;
    described: (item: Schema) => Schema;
  },
) {
  const views = viewsOf(items);
  const [view] = views;
  const shown =
    views.length > 1
      ? oneOfViews(views)
      : view
        ? { $ref: getSchemaPath(view) }
        : isSet(items)
          ? enumSchema(items)
          : { type: 'string' };
  const description = describeAnswer(views, kind, status);
  return applyDecorators(
    ...(view ? [ApiExtraModels(...views)] : []),
    ApiResponse({ status, description, schema: described(shown) }),
    RouteSchema({ response: { '2xx': wire(view ? schemaOfAny(views) : { type: 'string' }) } }),
  );
}

const object = (properties: Schema): Schema => ({ type: 'object', properties });

/** One item: `{ request, data_type?, data }`; with `data_type` the endpoint returns an Item. */
export const ReturnsOne = (view: Type | readonly Type[], status = 200, typed: Typed = {}) => {
  const type = dataTyped(typed);
  return returns(view, {
    kind: 'item',
    status,
    wire: (item) => object({ request, ...type.wire, data: item }),
    described: (item) =>
      whole({
        request: echo('EchoedRequest'),
        ...type.described,
        data: { allOf: [item], description: 'The item.' },
      }),
  });
};

/** One item: 201 when created, 200 when it existed (`Created`). */
export const ReturnsCreated = (view: Type) => applyDecorators(ReturnsOne(view, 200), ReturnsOne(view, 201));

const PAGES = Symbol('pages');

/** Whether a controller's method returns pages, and so takes `with_total_count`. */
export const answersPages = (handler: object): boolean => Reflect.hasMetadata(PAGES, handler);

const NEXT_CURSOR = {
  type: 'string',
  nullable: true,
  description: 'Send it as `cursor`, with otherwise the same parameters, to get the next page. Null on the last page.',
};
const UNITS_OF_TIME = { type: 'integer', description: 'The number of units of time in the range.' };
const TOTAL_COUNT = { type: 'integer', description: 'Total number of items. Present only if it was requested.' };

interface OfPage extends Typed {
  status?: number;
  /** The total is always present. */
  alwaysCounted?: true;
}

/** A page: `{ request, next_cursor, total_count?, data_type?, data }`; without a View the items are texts. */
export function ReturnsPage(items?: Items, { status = 200, alwaysCounted, ...typed }: OfPage = {}) {
  const type = dataTyped(typed);
  return applyDecorators(
    SetMetadata(PAGES, true),
    returns(items, {
      kind: 'page',
      status,
      wire: (item) =>
        object({
          request,
          next_cursor: { type: 'string', nullable: true },
          total_count: { type: 'integer' },
          ...type.wire,
          data: { type: 'array', items: item },
        }),
      described: (item) =>
        whole(
          {
            request: echo('EchoedRequest'),
            next_cursor: NEXT_CURSOR,
            total_count: TOTAL_COUNT,
            ...type.described,
            data: { type: 'array', items: item, description: 'The items of this page.' },
          },
          alwaysCounted ? [] : ['total_count'],
        ),
    }),
  );
}

/** The same for items created together, 201, or that all existed, 200 (`Created`); always with a total. */
export const ReturnsCreatedPage = (view: Type) =>
  applyDecorators(...[200, 201].map((status) => ReturnsPage(view, { status, alwaysCounted: true })));

/** The fields beside the items of a list without pages; the returned Page fills them. */
interface Beside extends Typed {
  /** Has a `next_cursor`, which is always null. */
  next_cursor?: true;
  /** Has the number of items. */
  total_count?: true;
  /** Has the number of units of time. */
  time_series_length?: true;
}

/**
 * A list without pages: `{ request, next_cursor?, data_type?, total_count?, data }`. Without a View the items are
 * texts, or words of a closed set.
 */
export function ReturnsList(items?: Items, { next_cursor, total_count, time_series_length, ...typed }: Beside = {}) {
  const type = dataTyped(typed);
  return returns(items, {
    kind: 'list',
    status: 200,
    wire: (item) =>
      object({
        request,
        ...(next_cursor && { next_cursor: { type: 'string', nullable: true } }),
        ...type.wire,
        ...(total_count && { total_count: { type: 'integer' } }),
        ...(time_series_length && { time_series_length: { type: 'integer' } }),
        data: { type: 'array', items: item },
      }),
    described: (item) =>
      whole({
        request: echo('EchoedRequest'),
        ...(next_cursor && {
          next_cursor: { type: 'string', nullable: true, description: 'Always null: there is one page.' },
        }),
        ...type.described,
        ...(total_count && { total_count: { type: 'integer', description: 'Total number of items.' } }),
        ...(time_series_length && { time_series_length: UNITS_OF_TIME }),
        data: { type: 'array', items: item, description: 'All items. This list has one page.' },
      }),
  });
}

/** A sentence: `{ request, message }`. */
export const ReturnsMessage = (example: string) =>
  applyDecorators(
    ApiResponse({
      status: 200,
      description: 'A message that says what to do next.',
      schema: whole({
        request: echo('EchoedRequest'),
        message: { type: 'string', description: 'What to do next.', example },
      }),
    }),
    RouteSchema({ response: { '2xx': object({ request, message: { type: 'string' } }) } }),
  );

/** A batch: `{ data_type?, data, request }`, the last two in the order of the operations. */
export const ReturnsBatch = (view: Type, typed: Typed = {}) => {
  const type = dataTyped(typed);
  const operation = object({ params: anyObject, operation_type: { type: 'string' } });
  return returns(view, {
    kind: 'batch',
    status: 200,
    wire: (item) =>
      object({
        ...type.wire,
        data: { type: 'array', items: item },
        request: { type: 'array', items: operation },
      }),
    described: (item) =>
      whole({
        ...type.described,
        data: { type: 'array', items: item, description: 'The results, in the order of the operations.' },
        request: {
          type: 'array',
          items: echo('EchoedOperation'),
          description: 'The operations as the service understood them, in their order.',
        },
      }),
  });
};
