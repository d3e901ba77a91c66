import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../../common/values/is-object.js';
import { operationsOf, type Operation } from './operation.js';
import { refTo, type DocumentSchema } from './schemas.js';

const SCHEMA = refTo('');
const WORKBENCH = '/workbench/';

/** The operations about one kind of resource. */
interface ResourcePaths {
  /** The parameter with its id, such as `campaign_id`. */
  parameter: string;
  /** The path of the collection, to which `/{campaign_id}` leads to one. */
  collection: string;
  /** No other collection names its resources with this parameter. */
  isAlone: boolean;
}

/** An operation that a link may lead to. */
interface Target {
  path: string;
  operation: Operation;
  inPath: string[];
  inQuery: string[];
  inBody: string[];
}

/** What a link sends, by the name of the parameter or field: where its value stands. */
type Values = Record<string, string>;

/**
 * Adds links, so that a client which knows nothing but the document goes on with what it created or found: to the operations
 * about the resource, to what can be created in it, and to the lists that it narrows. Each link is named like its target.
 */
export function addLinks(document: OpenAPIObject): OpenAPIObject {
  const targets = operationsOf(document).map(({ path, operation }) => targetOf(document, path, operation));
  for (const resource of resourcesOf(document)) {
    const { post: create, get: list } = document.paths[resource.collection];
    if (create) addLinksOf(document, resource, create, targets);
    // where a client can create one, it need not find one
    if (list && (!create || (create as Operation)['x-sandbox-only'])) addLinksOf(document, resource, list, targets);
  }
  return document;
}

function resourcesOf({ paths }: OpenAPIObject): ResourcePaths[] {
  const found = Object.keys(paths).flatMap((path) => {
    const [, collection, parameter] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
    return collection in paths ? [{ collection, parameter }] : [];
  });
  return found.map(({ collection, parameter }) => {
    const isAlone = found.filter((each) => each.parameter === parameter).length === 1;
    return { collection, parameter, isAlone };
  });
}

function addLinksOf(
  document: OpenAPIObject,
  resource: ResourcePaths,
  source: Operation,
  targets: readonly Target[],
): void {
  const { parameter, collection } = resource;
  const [status, answer] = Object.entries(source.responses).find(([each]) => each.startsWith('2')) ?? [];
  if (!status || !answer || !('content' in answer)) return;
  const id = idIn(document, answer.content?.['application/json']?.schema as DocumentSchema | undefined, parameter);
  if (!id) return;
  const ofRequest = namesIn(collection).map((name): [string, string] => [name, `$request.path.${name}`]);
  const known: Values = { ...Object.fromEntries(ofRequest), [parameter]: id };
  // what is in the sandbox is found there only
  const server = source['x-sandbox-only'] === true ? (source.servers as object[])[0] : undefined;
  const links = targets
    .filter(({ operation }) => server || !operation['x-sandbox-only'])
    .flatMap((target) => linkTo(target, resource, known))
    .map(([name, link]) => [name, { ...link, ...(server && { server }) }]);
  if (links.length > 0) answer.links = Object.fromEntries(links) as typeof answer.links;
}

/** A link to an operation that takes the id of this resource, if all else that its path needs is known. */
function linkTo(
  { path, operation, inPath, inQuery, inBody }: Target,
  { parameter, collection, isAlone }: ResourcePaths,
  known: Values,
): [string, object][] {
  if (!inPath.every((name) => name in known)) return [];
  const taken = (names: string[]): Values =>
    Object.fromEntries(
      Object.entries(known).flatMap(([name, place]) => {
        const as = [name, `${name}s`].find((each) => names.includes(each));
        return as && !inPath.includes(name) ? [[as, place]] : [];
      }),
    );
  const parameters = { ...Object.fromEntries(inPath.map((name) => [name, known[name]])), ...taken(inQuery) };
  const requestBody = taken(inBody);
  const id = known[parameter];
  if (![parameters, requestBody].some((values) => Object.values(values).includes(id))) return [];
  if (inPath.includes(parameter) && !isAlone && !path.startsWith(`${collection}/{`)) return [];
  // the workbench works on sandbox accounts, whoever they belong to
  if (path.startsWith(WORKBENCH) && !collection.startsWith(WORKBENCH)) return [];
  const { operationId } = operation;
  return [[operationId!, { operationId, parameters, ...(Object.keys(requestBody).length > 0 && { requestBody }) }]];
}

function targetOf(document: OpenAPIObject, path: string, operation: Operation): Target {
  const parameters = (operation.parameters ?? []).filter((each) => 'name' in each);
  const body = operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : {};
  const bodies = Object.values(body).map(({ schema }) => resolved(document, schema as DocumentSchema));
  return {
    path,
    operation,
    inPath: namesIn(path),
    inQuery: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    inBody: bodies.flatMap((schema) => Object.keys(schema?.properties ?? {})),
  };
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** Where the id of the resource stands in an answer, of a list in its first one; undefined if it has none. */
function idIn(document: OpenAPIObject, answer: DocumentSchema | undefined, parameter: string): string | undefined {
  const data = resolved(document, resolved(document, answer)?.properties?.data);
  const fields = resolved(document, data?.items ?? data)?.properties;
  const field = [parameter, 'id'].find((name) => fields && name in fields);
  return field && `$response.body#/data/${data?.items ? '0/' : ''}${field}`;
}

function resolved(document: OpenAPIObject, schema: DocumentSchema | undefined): DocumentSchema | undefined {
  if (!isObject(schema) || !schema.$ref?.startsWith(SCHEMA)) return schema;
  return document.components?.schemas?.[schema.$ref.slice(SCHEMA.length)] as DocumentSchema | undefined;
}
