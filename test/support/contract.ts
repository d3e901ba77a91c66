import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenAPIObject } from '@nestjs/swagger';
import { mapInnerSchemas, type DocumentSchema } from '../../src/operations/docs/schemas.js';
import { familyOf } from '../../src/common/http/urls/public-urls.js';
import { collect } from './collect.js';

interface Described {
  operationId: string;
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: DocumentSchema }> }>;
}

interface Route {
  method: string;
  path: string;
  pattern: RegExp;
  operation: Described;
}

/** The document, and what was made of it so far. */
interface Contract {
  document: OpenAPIObject;
  routes: Route[];
  ajv: Ajv2020;
  judges: Map<string, ValidateFunction | undefined>;
}

/** Every spec file of a process has the same package, and with it the schemas that others have compiled. */
const shared = Ajv2020 as typeof Ajv2020 & { contractOfTests?: Contract };
const known = shared.contractOfTests;
const document = known?.document ?? (JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject);
const { schemas = {} } = document.components!;

/** A schema for a referee: what is not in it is not allowed, unless it says that anything is. */
export const closed = (schema: DocumentSchema): DocumentSchema => {
  const inside = mapInnerSchemas(merged(schema), closed);
  return inside.properties ? { additionalProperties: false, ...inside } : inside;
};

/** Objects that are put together of several: each alone would not allow what the others have. */
function merged({ allOf, ...schema }: DocumentSchema): DocumentSchema {
  const parts = allOf as DocumentSchema[] | undefined;
  if (!parts || parts.length < 2) return { ...schema, ...(parts && { allOf: parts }) };
  const named = ({ $ref, ...own }: DocumentSchema): DocumentSchema =>
    $ref ? (schemas[$ref.split('/').pop()!] as DocumentSchema) : own;
  return {
    ...schema,
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => named(part).properties)) as DocumentSchema['properties'],
    required: parts.flatMap((part) => named(part).required ?? []),
  };
}

/** Schemas are compiled when they are asked for first, those of the components once for all. */
function referee(): Ajv2020 {
  // a third of the time to compile: these are judged a few times each
  const made = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  (formats as unknown as (ajv: Ajv2020) => void)(made);
  return made.addSchema({
    $id: 'document',
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, each]) => [name, closed(each as DocumentSchema)]),
      ),
    },
  });
}

/** A function that judges by a schema of the document. */
export const compile = (schema: DocumentSchema): ValidateFunction =>
  ajv.compile(
    JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/')) as object,
  );

/** Fixed names go before parameters, as in the router. */
const described = (): Route[] =>
  Object.entries(document.paths)
    .flatMap(([path, item]) =>
      (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
        const operation = item[method] as Described | undefined;
        const prefix = familyOf(path) === 'ads' ? '(?:/sandbox)?' : '';
        const pattern = new RegExp(`^${prefix}${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
        return operation ? [{ method: method.toUpperCase(), path, pattern, operation }] : [];
      }),
    )
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length);

const { ajv, routes, judges } = (shared.contractOfTests ??= {
  document,
  routes: described(),
  ajv: referee(),
  judges: new Map(),
});

/** The folder for the statuses of all operations that tests see (scripts/check-answers.mjs), if they are collected. */
const ANSWERS = process.env.TEST_ANSWERS;
const seen = new Set<string>();

/**
 * What an answer has that the document does not say of it, or the other way round; nothing of an operation that the document
 * does not know. Only JSON is looked at. `isInjected`: a fault replaced the answer.
 */
export function unlikeDocument(
  method: string,
  target: string,
  status: number,
  body: unknown,
  isInjected = false,
): string | undefined {
  const path = target.split('?', 1)[0];
  const route = routes.find((each) => each.method === method && each.pattern.test(path));
  if (!route) return undefined;
  const { operationId } = route.operation;
  if (!isInjected && !isNotServed(status, body)) collect(ANSWERS, seen, `${operationId} ${status}`);
  if (body === undefined) return undefined;
  const judge = judgeOf(route.operation, status);
  if (!judge) return `${operationId} says nothing of JSON with ${status}`;
  if (judge(body)) return undefined;
  const faults = judge.errors!.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return `${operationId} ${status} is not as in openapi.json: ${faults.slice(0, 5).join('; ')}\n${JSON.stringify(body).slice(0, 500)}`;
}

/** Whether the service has no such endpoint, as one without a workbench has none of it. */
const isNotServed = (status: number, body: unknown): boolean => {
  const { errors } = Object(body) as { errors?: { code: unknown }[] };
  return status === 404 && ['ROUTE_NOT_FOUND', 34].includes(errors?.[0]?.code as string);
};

function judgeOf({ operationId, responses }: Described, status: number): ValidateFunction | undefined {
  const key = `${operationId} ${status}`;
  if (judges.has(key)) return judges.get(key);
  const said = responses[status] ?? responses.default;
  const shared = said?.$ref && document.components!.responses![said.$ref.split('/').pop()!];
  const { content } = (shared || said || {}) as Described['responses'][string];
  const schema = content?.['application/json']?.schema;
  const judge = schema && compile(schema);
  judges.set(key, judge);
  return judge;
}
