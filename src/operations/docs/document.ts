import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { operationIdOf } from '../../common/http/server/http-operations.js';
import { Config } from '../../config/config.js';
import { VERSION } from '../version.js';
import { addEvents } from './events.js';
import { describeFields, describeOperation, type DocComments } from './descriptions.js';
import { addSharedSchemas, describeErrors } from './error-schemas.js';
import { handlersOf, type EndpointHandler } from './handlers.js';
import { describeIdempotency, describeScopes, DOCUMENT_METHODS, operationsOf } from './operation.js';
import { INTRODUCTION, SCHEMES, TAGS, addServers } from './introduction.js';
import { describeExample } from './examples.js';
import { describePages } from './pages.js';
import { describeForm, describeParameters, describeTotal } from './parameters.js';
import { addLinks } from './links.js';
import { mapped, modern, type DocumentSchema } from './schemas.js';

/**
 * The OpenAPI document of the application, from its decorators and doc comments, completed by what applies to whole
 * families of endpoints. `withExamples` adds the examples.
 */
export function buildDocument(app: INestApplication, comments: DocComments): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, frame(), {
    operationIdFactory: operationIdOf,
    autoTagControllers: false,
  });
  const handlers = handlersOf(app);
  const aliases = takeOutAliases(document, handlers);
  const components = (document.components ??= {});
  const schemas = (components.schemas ??= {}) as Record<string, DocumentSchema>;
  describeFields(document, comments);
  const described = handlersByOperation(document, handlers);
  for (const { path, method, operation } of operationsOf(document)) {
    const handler = described.get(operation.operationId!)!;
    if (method === 'get') operation['x-reads'] = true;
    if (handler.rules.sandboxOnly) operation['x-sandbox-only'] = true;
    describeOperation(operation, handler, comments);
    describeParameters(
      operation,
      handler.models.map(({ name }) => name),
      comments,
    );
    describeForm(method, operation, schemas);
    describeExample(path, operation, handler.models);
    describeTotal(operation);
    describeIdempotency(path, method, operation);
    describeScopes(method, operation, handler.rules);
    describeErrors(path, operation, components, handler);
  }
  describePages(document, handlers);
  putInAliases(document, aliases);
  addSharedSchemas(document);
  keepUsedSchemes(document);
  addServers(document, app.get(Config));
  document.tags = tagsOf(document);
  return inOrder(addEvents(addLinks(modernized(document))));
}

const frame = () => {
  const builder = new DocumentBuilder()
    .setTitle('Marquee')
    .setDescription(INTRODUCTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
  for (const [name, scheme] of Object.entries(SCHEMES)) builder.addSecurity(name, scheme);
  return builder.build();
};

/** The handler of each operation. */
function handlersByOperation(document: OpenAPIObject, handlers: EndpointHandler[]): Map<string, EndpointHandler> {
  const byId = new Map(handlers.map((handler) => [operationIdOf(handler.controller.name, handler.name), handler]));
  const found = new Map<string, EndpointHandler>();
  for (const { operation, path } of operationsOf(document)) {
    const id = operation.operationId!;
    if (found.has(id)) throw new Error(`two operations are called ${id}, one of them at ${path}`);
    found.set(id, byId.get(id)!);
  }
  return found;
}

/** Every schema in the form of OpenAPI 3.1, with each closed set defined once. */
function modernized(document: OpenAPIObject): OpenAPIObject {
  const sets: Record<string, DocumentSchema> = {};
  const change = (holder: object): object =>
    mapped(holder as Record<string, unknown>, (value, keyword) => {
      if (keyword === 'schema') return modern(value as DocumentSchema, sets);
      return keyword === 'example' ? value : inside(value);
    });
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return (value as unknown[]).map(inside);
    return typeof value === 'object' && value !== null ? change(value) : value;
  };
  const { schemas = {}, responses = {}, ...components } = document.components ?? {};
  const paths = change(document.paths) as OpenAPIObject['paths'];
  const modernSchemas = mapped(schemas as Record<string, DocumentSchema>, (schema) => modern(schema, sets));
  return {
    ...document,
    openapi: '3.1.0',
    paths,
    components: {
      ...components,
      responses: change(responses) as typeof responses,
      schemas: { ...modernSchemas, ...sets },
    },
  };
}

interface Alias {
  method: (typeof DOCUMENT_METHODS)[number];
  path: string;
  of: string;
}

const asPath = (route: string) => route.split(' ')[1].replace(/:(\w+)/g, '{$1}');

/** Describes operations with several paths under the first one; the aliases follow when the description is complete. */
function takeOutAliases(document: OpenAPIObject, handlers: EndpointHandler[]): Alias[] {
  return handlers.flatMap(({ routes: [first, ...others] }) =>
    others.flatMap((route): Alias[] => {
      const path = asPath(route);
      const method = route.split(' ')[0].toLowerCase() as Alias['method'];
      const { [method]: described, ...rest } = document.paths[path] ?? {};
      if (!described) return [];
      document.paths[path] = rest;
      if (Object.keys(rest).length === 0) delete document.paths[path];
      return [{ method, path, of: asPath(first) }];
    }),
  );
}

function putInAliases(document: OpenAPIObject, aliases: Alias[]): void {
  for (const { method, path, of } of aliases) {
    const described = document.paths[of][method]!;
    const suffix = /\.(\w+)$/.exec(path)?.[1];
    if (!suffix) throw new Error(`${path} needs an operation id of its own beside that of ${of}`);
    const operationId = `${described.operationId}${suffix[0].toUpperCase()}${suffix.slice(1)}`;
    const description = `The same as \`${method.toUpperCase()} ${of}\`.`;
    document.paths[path] = { ...document.paths[path], [method]: { ...described, operationId, description } };
  }
}

function keepUsedSchemes(document: OpenAPIObject): void {
  const used = new Set(
    operationsOf(document).flatMap(({ operation }) => (operation.security ?? []).flatMap(Object.keys)),
  );
  const schemes = Object.entries(document.components?.securitySchemes ?? {}).filter(([name]) => used.has(name));
  document.components = { ...document.components, securitySchemes: Object.fromEntries(schemes) };
}

/** The tags in use, in the order and with the descriptions of the introduction. */
function tagsOf(document: OpenAPIObject) {
  const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags ?? []));
  const unknown = [...used].filter((name) => !(name in TAGS)).sort();
  return [
    ...Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    ...unknown.map((name) => ({ name })),
  ];
}

/** Sorts paths and components by name, and methods in the usual order, so that a diff shows only what changed. */
function inOrder(document: OpenAPIObject): OpenAPIObject {
  const paths = sorted(document.paths, (item) => ({
    ...(item.servers && { servers: item.servers }),
    ...Object.fromEntries(DOCUMENT_METHODS.flatMap((method) => (item[method] ? [[method, item[method]]] : []))),
  }));
  const { schemas = {}, responses = {}, ...components } = document.components ?? {};
  const { openapi, info, servers, tags, externalDocs, webhooks } = document;
  return {
    openapi,
    info,
    externalDocs,
    servers,
    tags,
    paths,
    webhooks,
    components: { ...components, responses: sorted(responses), schemas: sorted(schemas) },
  };
}

function sorted<T>(record: Record<string, T>, change: (value: T) => T = (value) => value): Record<string, T> {
  return Object.fromEntries(
    Object.keys(record)
      .sort()
      .map((name) => [name, change(record[name])]),
  );
}
