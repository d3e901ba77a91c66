import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Row } from '../db/query/rows.js';
import { wireTime } from '../db/postgres/type-parsers.js';
import type { Resource } from '../entity/resource.entity.js';
import { BASE_36, DECIMAL } from './readers.js';

const UNESCAPED = Symbol('unescaped');

/**
 * For a property of a View, beside @ApiProperty: a text that the serializer may write as it stands, without looking for
 * what JSON has to escape. Only for what cannot carry a client's text: ids and times that we made ourselves, words that
 * were compared with a closed set before they were stored. All else is escaped.
 */
export const Unescaped = (): PropertyDecorator => (prototype, name) =>
  Reflect.defineMetadata(UNESCAPED, true, prototype, name);

/** How the document shows the id of an ads entity. */
export const ID = { type: String, pattern: BASE_36.pattern.source } as const;
/** The same for users, posts, cards and media. */
export const DECIMAL_ID = { type: String, pattern: DECIMAL.pattern.source } as const;
/** A moment. */
export const TIME = { type: String, format: 'date-time' } as const;
/** Money that may not be there (Part 1, 2.1 (10)). */
export const MICRO = { type: 'integer', format: 'int64', nullable: true } as const;

/** The four fields that close every item (Part 1, 2.1 (8) and (11)). */
export class ResourceView {
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When it was made. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** When it was changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether it is deleted. */
  @ApiProperty() deleted: boolean;
}

/** Closes a view with them; set one by one, because V8 is slow to spread into a literal that has fields already. */
export function presentResource<V extends object>(row: Row<Resource>, view: V): V & ResourceView {
  const closed = view as V & ResourceView;
  closed.id = row.id;
  closed.created_at = wireTime(row.createdAt);
  closed.updated_at = wireTime(row.updatedAt);
  closed.deleted = row.deletedAt !== null;
  return closed;
}

type Schema = Record<string, unknown>;

/** A View's @ApiProperty decorators as a JSON schema: what is not declared there cannot leave. */
export function schemaOf(view: Type): Schema {
  const prototype = view.prototype as object;
  const names = ((Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) ?? []) as string[]).map((key) =>
    key.slice(1),
  );
  const properties = Object.fromEntries(
    names.map((name) => [
      name,
      propertyOf(
        Reflect.getMetadata('swagger/apiModelProperties', prototype, name) as Declared,
        Reflect.hasMetadata(UNESCAPED, prototype, name),
      ),
    ]),
  );
  return {
    type: 'object',
    properties,
    required: names.filter((name) => (properties[name] as { optional?: boolean }).optional !== true),
  };
}

/** What @ApiProperty keeps of a property, as far as a serializer needs it. */
interface Declared {
  type?: unknown;
  enum?: unknown;
  items?: object;
  isArray?: boolean;
  nullable?: boolean;
  required?: boolean;
}

function propertyOf(declared: Declared, unescaped: boolean): Schema {
  const { isArray, nullable, required } = declared;
  const single = typeOf(declared, unescaped);
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
const total = { type: 'integer', description: 'only when with_total_count was asked' };

/** Tells Swagger and the serializer at once what an endpoint answers, so that document and answer cannot part. */
function returns(
  view: Type | undefined,
  status: number,
  wire: (item: Schema) => Schema,
  described: (item: Schema) => Schema,
) {
  const document = view ? { $ref: getSchemaPath(view) } : { type: 'string' };
  return applyDecorators(
    ...(view ? [ApiExtraModels(view)] : []),
    ApiResponse({ status, description: 'what was asked and what came of it', schema: described(document) }),
    RouteSchema({ response: { '2xx': wire(view ? schemaOf(view) : { type: 'string' }) } }),
  );
}

const object = (properties: Schema): Schema => ({ type: 'object', properties });

/** One item: `{ request, data }`. */
export const ReturnsOne = (view: Type, status = 200) => {
  const form = (item: Schema) => object({ request, data: item });
  return returns(view, status, form, form);
};

const PAGES = Symbol('pages');

/** Whether a controller's method answers pages, and so takes `with_total_count`. */
export const answersPages = (handler: object): boolean => Reflect.hasMetadata(PAGES, handler);

/** A page: `{ request, next_cursor, total_count?, data }`; without a View the items are texts. */
export const ReturnsPage = (view?: Type, status = 200) => {
  const form = (cursor: Schema) => (item: Schema) =>
    object({ request, next_cursor: cursor, total_count: total, data: { type: 'array', items: item } });
  const text = { type: 'string', nullable: true };
  return applyDecorators(SetMetadata(PAGES, true), returns(view, status, form(text), form(text)));
};

/** A list that does not page: `{ request, data }`. */
export const ReturnsList = (view?: Type, status = 200) => {
  const form = (item: Schema) => object({ request, data: { type: 'array', items: item } });
  return returns(view, status, form, form);
};

/** A batch: `{ data, request }`, both in the order of the operations. */
export const ReturnsBatch = (view: Type) => {
  const operation = object({ params: anyObject, operation_type: { type: 'string' } });
  const form = (item: Schema) =>
    object({ data: { type: 'array', items: item }, request: { type: 'array', items: operation } });
  return returns(view, 200, form, form);
};

const texts = (names: string[]): Schema => object(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));

/** Bare texts under these names, as JSON. */
export const ReturnsFields = (...names: string[]) =>
  ApiResponse({ status: 200, description: 'as asked', schema: texts(names) });

/** The same as `name=value&...`. */
export const ReturnsForm = (...names: string[]) =>
  ApiResponse({
    status: 200,
    description: 'as asked',
    content: { 'application/x-www-form-urlencoded': { schema: texts(names) } },
  });
