import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { docCommentsOf } from '../../common/http/doc-comments.js';
import { familyOf } from '../../common/http/public-urls.js';
import { Config, withoutSlash } from '../../config.js';
import { VERSION } from '../version.js';
import { addErrorSchemas, describeErrors } from './error-schemas.js';
import { handlersOf, type Handler } from './handlers.js';
import { INTRODUCTION, SCHEMES, TAGS } from './introduction.js';
import { METHODS, operationsOf, type Operation } from './operation.js';
import { operationIdOf } from './operation-id.js';
import { describePages } from './pages.js';
import { describeForm, describeParameters, describeTotal } from './parameters.js';

/** The OpenAPI document of the application: what its decorators say, completed by what holds for whole families. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const servers = serversOf(app.get(Config));
  const document = SwaggerModule.createDocument(app, frame(), {
    operationIdFactory: operationIdOf,
    autoTagControllers: false,
  });
  document.servers = [servers.production, servers.sandbox];
  const handlers = handlersOf(app);
  const aliases = takeOutAliases(document, handlers);
  describeHandlers(document, handlers, servers.sandbox);
  for (const { path, method, operation } of operationsOf(document)) {
    describeParameters(operation);
    describeForm(method, operation);
    describeTotal(operation);
    describeErrors(path, operation, (document.components ??= {}));
  }
  describePages(document, handlers);
  putInAliases(document, aliases);
  if (servers.authentication) placeAuthentication(document, servers.authentication);
  addErrorSchemas(document);
  keepUsedSchemes(document);
  document.tags = tagsOf(document);
  return inOrder(document);
}

const frame = () => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.0.3')
    .setTitle('Marquee')
    .setDescription(INTRODUCTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
  for (const [name, scheme] of Object.entries(SCHEMES)) builder.addSecurity(name, scheme);
  return builder.build();
};

interface Alias {
  method: (typeof METHODS)[number];
  path: string;
  of: string;
}

const asPath = (route: string) => route.split(' ')[1].replace(/:(\w+)/g, '{$1}');

/** What answers under several paths is described under the first; the others follow when it is complete. */
function takeOutAliases(document: OpenAPIObject, handlers: Handler[]): Alias[] {
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

/** What the handlers themselves say: the comment above each, and whether it answers in the sandbox only. */
function describeHandlers(document: OpenAPIObject, handlers: Handler[], sandbox: Server): void {
  const operations = new Map<string, Operation>();
  for (const { operation, path } of operationsOf(document)) {
    const id = operation.operationId!;
    if (operations.has(id)) throw new Error(`two operations are called ${id}, one of them at ${path}`);
    operations.set(id, operation);
  }
  for (const { controller, name, rules } of handlers) {
    const operation = operations.get(operationIdOf(controller.name, name));
    if (!operation) continue;
    operation.summary ||= summaryOf(docCommentsOf(controller).get(name));
    if (rules.sandboxOnly) {
      operation['x-sandbox-only'] = true;
      operation.servers = [sandbox];
      operation.description = [operation.description, ONLY_THERE].filter(Boolean).join('\n\n');
    }
  }
}

const ONLY_THERE = 'Exists in the sandbox only; elsewhere the answer is 404 `ROUTE_NOT_FOUND`.';

/** The place in the specification is for those who read the source. */
const summaryOf = (comment?: string) =>
  comment?.replace(/\s*\((see )?(Part|facts|decisions)\b[^)]*\)/g, '').replace(/\.$/, '');

interface Server {
  url: string;
  description: string;
}

/** The bases of the API: paths where all of them are one origin, so that the document holds under whatever name it is read. */
function serversOf({ baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config) {
  const isOneOrigin = new Set([baseUrl, adsBaseUrl, adsSandboxBaseUrl].map(({ origin }) => origin)).size === 1;
  const urlOf = (url: URL) => (isOneOrigin ? url.pathname.replace(/(.)\/+$/, '$1') : withoutSlash(url));
  const isApart = withoutSlash(baseUrl) !== withoutSlash(adsBaseUrl);
  return {
    production: { url: urlOf(adsBaseUrl), description: 'Production' },
    sandbox: { url: urlOf(adsSandboxBaseUrl), description: 'Sandbox, with accounts of its own' },
    ...(isApart && { authentication: { url: urlOf(baseUrl), description: 'Authentication' } }),
  };
}

/** Where the authentication endpoints have a base of their own, they are nowhere else. */
function placeAuthentication(document: OpenAPIObject, server: Server): void {
  for (const [path, item] of Object.entries(document.paths)) if (familyOf(path) === 'auth') item.servers = [server];
}

function keepUsedSchemes(document: OpenAPIObject): void {
  const used = new Set(
    operationsOf(document).flatMap(({ operation }) => (operation.security ?? []).flatMap(Object.keys)),
  );
  const schemes = Object.entries(document.components?.securitySchemes ?? {}).filter(([name]) => used.has(name));
  document.components = { ...document.components, securitySchemes: Object.fromEntries(schemes) };
}

/** The tags that are used, in the order and the words of the introduction. */
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

/** Paths and components by name, methods in the usual order, so that a diff shows what changed and nothing else. */
function inOrder(document: OpenAPIObject): OpenAPIObject {
  const paths = sorted(document.paths, (item) => ({
    ...(item.servers && { servers: item.servers }),
    ...Object.fromEntries(METHODS.flatMap((method) => (item[method] ? [[method, item[method]]] : []))),
  }));
  const { schemas = {}, responses = {}, ...components } = document.components ?? {};
  const { openapi, info, servers, tags } = document;
  return {
    openapi,
    info,
    servers,
    tags,
    paths,
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
