import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import type { DocumentSchema } from '../../../src/operations/docs/schemas.js';
import { Api, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { carriedOut, ENDS_ITS_TOKEN, ONLY_ONCE, type ServedDemo } from '../docs/carried-out.js';
import { demoService } from './demo-service.js';
import { foreignWords, type Names } from './foreign-words.js';

/**
 * Every operation of the document in both vocabularies, with the request that it shows and with a wrong one: no answer has a
 * word of the other vocabulary.
 */

useApp({ RATE_LIMITS: 'off', NAMES: 'x' }, 1);

type Described = ReturnType<typeof operationsOf>[number];
type Content = Record<string, { schema?: DocumentSchema; example?: Json }>;

let service: ServedDemo;
let api: Api;
beforeAll(async () => {
  service = await demoService();
  const { consumer_key, consumer_secret, access_token, access_token_secret } = service.credentials();
  api = new Api({
    consumer: { key: consumer_key, secret: consumer_secret },
    token: { key: access_token, secret: access_token_secret },
  });
}, 60_000);

/** The document in a vocabulary with the ids of the demo; new each time, since names of its examples are. */
async function documentNow(names: Names): Promise<OpenAPIObject> {
  const { text } = await service.ask(`/docs/openapi.json?names=${names}`, { host: `localhost:${service.port}` });
  return JSON.parse(text.replaceAll('http://localhost:3000', service.url)) as OpenAPIObject;
}

const contentOf = ({ operation }: Described): Content =>
  (operation.requestBody as { content?: Content } | undefined)?.content ?? {};

/** Pages and the state of the service have no names, and those of the workbench are its own. */
const hasNames = ({ path, operation }: Described) =>
  /^\/(12|5|2|1\.1|oauth2?)\//.test(path) &&
  operation.security?.length !== 0 &&
  !operation['x-once-per-user'] &&
  !isFile(path);
/** A file has the names of the request that asked for it. */
const isFile = (path: string) => path.endsWith('/exports/{export_id}/download');
/** What an example deletes or finishes cannot be shown twice. */
const isSpare = ({ operation }: Described) =>
  documentParametersOf(operation).some((parameter) => 'x-spare' in parameter) ||
  // an account has one provider, which the first turn deletes
  operation.operationId === 'getProviderConfiguration' ||
  ONLY_ONCE.includes(operation.operationId!);
const deletesLast = (one: Described, other: Described) =>
  Number(one.method === 'delete') - Number(other.method === 'delete');

it('of X belong into no answer of this service, and those of this service into no answer with the names of X', async () => {
  const wrong = [];
  const seen = { marquee: new Set<string>(), x: new Set<string>() };
  for (const names of ['marquee', 'x'] as const) {
    const document = await documentNow(names);
    const operations = operationsOf(document).filter(hasNames);
    expect(operations.map(({ operation }) => operation.operationId)).toEqual(expect.arrayContaining(ENDS_ITS_TOKEN));
    for (const each of operations.sort(deletesLast)) {
      const headers = names === 'x' ? undefined : { 'x-marquee-names': names };
      const answer = await carriedOut(service, document, each, headers);
      const text = await answer.text();
      const body = /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : {};
      const foreign = foreignWords(names, body);
      // what is not of accounts needs what this file does not serve, such as the demo's webhook
      const mayFail = !each.path.startsWith('/12/') || (names === 'x' && isSpare(each));
      const isAnswered = answer.ok || (mayFail && answer.status < 500);
      if (foreign.length > 0 || !isAnswered)
        wrong.push({
          names,
          id: each.operation.operationId,
          status: answer.status,
          foreign,
          ...(!isAnswered && { text }),
        });
      for (const word of text.match(/"[\w-]+"/g) ?? []) seen[names].add(word.slice(1, -1));
    }
  }
  expect(wrong).toEqual([]);
  // what the test is about has come in both
  const both = {
    post_id: 'tweet_id',
    posted: 'tweeted',
    PROMOTED_POSTS: 'PROMOTED_TWEETS',
    ALL_ON_PLATFORM: 'ALL_ON_TWITTER',
  };
  expect(Object.keys(both).filter((word) => !seen.marquee.has(word))).toEqual([]);
  expect(Object.values(both).filter((word) => !seen.x.has(word))).toEqual([]);
}, 120_000);

it.each(['marquee', 'x'] as const)(
  'stand in no error of the other vocabulary: %s',
  async (names) => {
    const document = await documentNow(names);
    const schemas = (document.components?.schemas ?? {}) as Record<string, DocumentSchema>;
    const resolved = (schema: DocumentSchema): DocumentSchema =>
      schema.$ref ? schemas[schema.$ref.split('/').pop()!] : schema;
    const wrong = [];
    let told = 0;
    for (const each of operationsOf(document).filter(({ path }) => path.startsWith('/12/') && !isFile(path))) {
      const { path, method, operation } = each;
      const [[type, media] = []] = Object.entries(contentOf(each));
      const fields = media?.schema ? Object.keys(resolved(media.schema).properties ?? {}) : [];
      const queried = documentParametersOf(operation).filter((parameter) => parameter.in === 'query');
      const target = documentParametersOf(operation).reduce(
        (whole, { name, example }) => whole.replace(`{${name}}`, String(example)),
        path,
      );
      const values = Object.fromEntries([...fields, ...queried.map(({ name }) => name)].map((name) => [name, 'wrong']));
      const json = type === 'application/json' && media ? wrongIn(media.example) : undefined;
      const sendings = json !== undefined ? [{ json }] : [{}, !type ? { query: values } : { form: values }];
      for (const sending of method === 'delete' ? [] : sendings) {
        const headers = { 'x-marquee-names': names };
        const answer = await api.call(method.toUpperCase(), target, { ...sending, headers });
        const foreign = foreignWords(names, answer.body);
        if (answer.status === 400) told++;
        if (foreign.length > 0 || answer.status >= 500)
          wrong.push({ id: operation.operationId, status: answer.status, foreign });
      }
      world().clock.advance(30_000);
    }
    expect(wrong).toEqual([]);
    expect(told).toBeGreaterThan(75);
  },
  120_000,
);

/** The same JSON with values that are wrong everywhere. */
function wrongIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(wrongIn);
  if (typeof value !== 'object' || value === null) return 'wrong';
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => [key, key === 'operation_type' ? own : wrongIn(own)]),
  );
}
