import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { seedDemo } from '../../../src/demo/demo.js';
import { momentsFrom, withDemoIds } from '../../../src/operations/docs/examples.js';
import { operationsOf, type Operation } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import { Api, type Answer, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';

/**
 * A client that knows nothing but openapi.json carries an example out and follows every link of its answer.
 */

useApp({ RATE_LIMITS: 'off' });

type Values = Record<string, unknown>;
type Content = Record<string, { example?: Values; 'x-unique'?: string[] }>;
interface Link {
  operationId: string;
  parameters: Record<string, string>;
  requestBody?: Record<string, string>;
  server?: { url: string };
}

/** The demo has what its example creates, and a line item has one; so it is with what a user has one of. */
const EXISTS = 'createLineItemCuratedCategory';

const SANDBOX = '/sandbox';

/** Codes of what is not there or no such id, in both families of answers, and of who may not ask. */
const UNKNOWN = ['NOT_FOUND', 'ROUTE_NOT_FOUND', 'INVALID_PARAMETER', 34, 214, 215];

const text = readFileSync('openapi.json', 'utf8');
const linksOf = ({ responses }: Operation): Link[] =>
  Object.values(responses).flatMap((answer) => Object.values((answer as { links?: Record<string, Link> }).links ?? {}));

let api: Api;
let operations: Map<string, ReturnType<typeof operationsOf>[number]>;
let round = 0;

beforeAll(async () => {
  const demo = (await seedDemo(world().app, world().config))!;
  const ids = { ...demo.examples, ...momentsFrom(world().clock.now()) };
  api = new Api({
    consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
    token: { key: demo.access_token, secret: demo.access_token_secret },
  });
  const document = JSON.parse(withDemoIds(text, ids, 'linked')) as OpenAPIObject;
  operations = new Map(operationsOf(document).map((each) => [each.operation.operationId!, each]));
}, 60_000);

const SOURCES = operationsOf(JSON.parse(text) as OpenAPIObject).filter(
  ({ path, operation: { operationId, ...operation } }) =>
    path.startsWith('/12/') &&
    linksOf(operation as Operation).length > 0 &&
    operationId !== EXISTS &&
    !operation['x-once-per-user'],
);

it('creates lead to what can be done with what they created', () => {
  const targets = linksOf(SOURCES.find(({ operation }) => operation.operationId === 'createCampaign')!.operation);
  expect(targets.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['getCampaign', 'listCampaigns', 'updateCampaign', 'deleteCampaign', 'createLineItem']),
  );
});

it.each(['openapi.json', 'openapi.x.json'])('every link of %s sends what its target takes', (file) => {
  const document = JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
  const all = operationsOf(document);
  const links = all.flatMap(({ operation }) => linksOf(operation));
  expect(links.length).toBeGreaterThan(200);
  const unknown = links.filter(({ operationId, parameters, requestBody = {} }) => {
    const { operation } = all.find((each) => each.operation.operationId === operationId)!;
    const named = documentParametersOf(operation).map(({ name }) => name);
    const body = JSON.stringify(operation.requestBody ?? {});
    const [, schema] = /"#\/components\/schemas\/(\w+)"/.exec(body) ?? [];
    const fields = Object.keys((document.components!.schemas as Record<string, Json>)[schema]?.properties ?? {});
    return !(
      Object.keys(parameters).every((name) => named.includes(name)) &&
      Object.keys(requestBody).every((name) => fields.includes(name))
    );
  });
  expect(unknown).toEqual([]);
});

it.each(SOURCES.map(({ operation }) => operation.operationId!))('%s', async (id) => {
  const { path, operation } = operations.get(id)!;
  const made = await ask(id);
  expect(made).toMatchObject({ status: expect.any(Number), body: { data: expect.anything() } });

  const wrong: unknown[] = [];
  for (const link of linksInOrder(path, operation)) {
    const sent = { ...filled(link.parameters, id, made), ...filled(link.requestBody ?? {}, id, made) };
    const answer = await ask(link.operationId, sent, link.server ? SANDBOX : undefined);
    const errors = (answer.body?.errors ?? []) as { code: string | number; parameter?: string }[];
    // what an operation does not do with this resource it says; a resource that it does not know is a wrong link
    const isMissed = errors.some(({ code, parameter }) => UNKNOWN.includes(code) && (!parameter || parameter in sent));
    if (isMissed) wrong.push({ link: link.operationId, sent, status: answer.status, errors });
  }
  expect(wrong).toEqual([]);
});

/** Reads first, and the end last; of an account only reads, because the examples are about another one. */
function linksInOrder(path: string, operation: Operation): Link[] {
  const methodOf = ({ operationId }: Link) => operations.get(operationId)!.method;
  const order = ['get', 'put', 'post', 'delete'];
  return linksOf(operation)
    .filter((link) => methodOf(link) === 'get' || path !== '/12/accounts')
    .sort((a, b) => order.indexOf(methodOf(a)) - order.indexOf(methodOf(b)));
}

/** The values of a link's expressions. */
function filled(expressions: Record<string, string>, source: string, made: Answer): Values {
  const known = parametersOf(operations.get(source)!.operation);
  return Object.fromEntries(
    Object.entries(expressions).map(([name, expression]) => {
      const [, requested] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
      if (requested) return [name, known[requested]];
      const [, pointer] = /^\$response\.body#\/(.+)$/.exec(expression)!;
      return [name, pointer.split('/').reduce<Json>((inner, key) => inner[key], made.body)];
    }),
  );
}

const parametersOf = (operation: Operation): Values =>
  Object.fromEntries(
    documentParametersOf(operation)
      .filter(({ in: place, required }) => place === 'path' || required)
      .map(({ name, example }) => [name, example as unknown]),
  );

/** Carries the example of an operation out, with other values for some of its parameters. */
async function ask(id: string, others: Values = {}, server?: string): Promise<Answer> {
  const { path, method, operation } = operations.get(id)!;
  const content = (operation.requestBody as { content?: Content } | undefined)?.content;
  const [[type, { example = {}, 'x-unique': unique = [] }] = ['', {}]] = Object.entries(content ?? {});
  const renewed = unique.filter((name) => name in example).map((name) => [name, `${String(example[name])} ${++round}`]);
  const values = { ...parametersOf(operation), ...others };
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  const rest = Object.fromEntries(
    Object.entries({ ...values, ...example, ...Object.fromEntries(renewed), ...others }).filter(
      ([name]) => !path.includes(`{${name}}`),
    ),
  );
  const as = !content ? 'query' : type === 'application/json' ? 'json' : 'form';
  const prefix = server ?? (operation['x-sandbox-only'] ? SANDBOX : '');
  return api.call(method.toUpperCase(), prefix + target, { [as]: rest as never });
}
