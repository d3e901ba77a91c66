import type { OpenAPIObject } from '@nestjs/swagger';
import type { operationsOf } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import { signed, type Pair, type SignedParts } from '../../support/signed.js';
import type { Served } from './served.js';

/** What is asked of a service that has the demo. */
export type ServedDemo = Pick<Served, 'url' | 'port' | 'ask' | 'credentials' | 'key'>;
type DescribedOperation = ReturnType<typeof operationsOf>[number];
type Values = Record<string, string>;

const FORM = 'application/x-www-form-urlencoded';

/** Writes that need a code, which a page gives for 30 seconds, or a token that came of one. */
/** What cannot be done twice with the same entities, even under another name. */
export const ONLY_ONCE = ['createAbTest', 'createLineItemApp'];

export const NEEDS_APPROVAL = ['userToken', 'revokeUserToken'];

/** Writes that end the token they are signed with. */
export const ENDS_ITS_TOKEN = ['invalidateOAuth1', 'invalidateOAuth1Json'];

/** Sends a request as the document shows it, with the keys of the demo and no more than the page would add. */
export async function carriedOut(
  served: ServedDemo,
  { servers, security }: Pick<OpenAPIObject, 'servers' | 'security'>,
  { path, method, operation }: DescribedOperation,
  more: Values = {},
): Promise<Response> {
  const examples = documentParametersOf(operation).flatMap(({ in: place, name, example }) =>
    example === undefined ? [] : [{ place, name, text: String(example) }],
  );
  const target = examples.reduce((whole, { name, text }) => whole.replace(`{${name}}`, text), path);
  const query = new URLSearchParams(
    examples.filter(({ place }) => place === 'query').map(({ name, text }): [string, string] => [name, text]),
  );
  const [server] = operation.servers ?? servers!;
  const url = `${server.url}${target}${query.size > 0 ? `?${query.toString()}` : ''}`;
  const content =
    (operation.requestBody as { content?: Record<string, { example?: object }> } | undefined)?.content ?? {};
  const [[type, { example = {} }] = [undefined, {}]] = Object.entries(content);
  const [scheme] = Object.keys((operation.security ?? security!)[0]);
  // most requests need nothing that is half way through a flow
  const handout = scheme === 'oauth1' && !('access_token' in example) ? {} : await handedOut(served);
  const filled = Array.isArray(example) ? example : { ...example, ...inHand(example, handout) };
  const form = type === FORM ? texts(filled) : {};
  const keys = ENDS_ITS_TOKEN.includes(operation.operationId!) ? await anotherToken(served) : keysOf(served);
  const request = { method: method.toUpperCase(), url, form };
  const authorization = authorizationOf(scheme, keys, handout, request);
  return fetch(url, {
    method: request.method,
    // of several parts the boundary is said as well, by who makes it
    headers: { ...more, authorization, ...(type && type !== 'multipart/form-data' && { 'content-type': type }) },
    ...(type && { body: bodyOf(type, filled) }),
  });
}

/** What stands in an example for something that can be used once. */
const inHand = (example: object, { oauth_verifier, bearer_token }: Values): Values => ({
  ...('oauth_verifier' in example && { oauth_verifier }),
  ...('access_token' in example && { access_token: bearer_token }),
});

const texts = (values: object): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

function bodyOf(type: string, values: object): string | FormData {
  if (type === FORM) return new URLSearchParams(texts(values)).toString();
  if (type !== 'multipart/form-data') return JSON.stringify(values);
  const parts = new FormData();
  for (const [name, text] of Object.entries(texts(values))) parts.set(name, text);
  return parts;
}

/** What is half way through a flow, new each time. */
export async function handedOut(served: ServedDemo): Promise<Values> {
  const headers = { host: `localhost:${served.port}`, 'x-marquee-docs-key': served.key() };
  return JSON.parse((await served.ask('/docs/handout', headers, 'POST')).text) as Values;
}

interface Keys {
  consumer: Pair;
  token: Pair;
}

function keysOf(served: ServedDemo): Keys {
  const { consumer_key, consumer_secret, access_token, access_token_secret } = served.credentials();
  return {
    consumer: { key: consumer_key, secret: consumer_secret },
    token: { key: access_token, secret: access_token_secret },
  };
}

/** The Authorization header of a request by what the document says is needed. */
function authorizationOf(scheme: string, { consumer, token }: Keys, handout: Values, request: SignedParts): string {
  if (scheme === 'bearer') return `Bearer ${handout.bearer_token}`;
  if (scheme === 'basic') return `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`;
  if (scheme === 'oauth1') return signed(request, consumer, token);
  const requestToken = { key: handout.request_token, secret: handout.request_token_secret };
  return signed(request, consumer, 'oauth_verifier' in request.form ? requestToken : undefined);
}

/** One more access token of the demo's user, by the flow that is half way. */
async function anotherToken(served: ServedDemo): Promise<Keys> {
  const { consumer } = keysOf(served);
  const { request_token, request_token_secret, oauth_verifier } = await handedOut(served);
  const url = `${served.url}/oauth/access_token`;
  const form = { oauth_verifier };
  const token = { key: request_token, secret: request_token_secret };
  const authorization = signed({ method: 'POST', url, form }, consumer, token);
  const headers = { authorization, 'content-type': FORM };
  const answer = await fetch(url, { method: 'POST', headers, body: bodyOf(FORM, form) });
  const pair = new URLSearchParams(await answer.text());
  return { consumer, token: { key: pair.get('oauth_token')!, secret: pair.get('oauth_token_secret')! } };
}
