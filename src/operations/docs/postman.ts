import type { OpenAPIObject } from '@nestjs/swagger';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { placeholdersOf, withDemoIds } from './examples.js';
import { METHODS, operationsOf, type Operation } from './operation.js';
import { parametersOf } from './parameters.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

type Auth = { type: string } & Record<string, unknown>;

const settings = (values: Record<string, unknown>) => Object.entries(values).map(([key, value]) => ({ key, value }));

/** HMAC-SHA1 in the header, the method that clients commonly use. */
const oauth1 = (token: Record<string, string> = {}): Auth => ({
  type: 'oauth1',
  oauth1: settings({
    signatureMethod: 'HMAC-SHA1',
    version: '1.0',
    addParamsToHeader: true,
    // Parameters without a value are signed, too; but an absent token must not be sent as an empty one.
    addEmptyParamsToSign: 'token' in token,
    consumerKey: '{{consumer_key}}',
    consumerSecret: '{{consumer_secret}}',
    ...token,
  }),
});

/** By the name of the security scheme in the document. */
const AUTHS: Record<string, Auth> = {
  oauth1: oauth1({ token: '{{access_token}}', tokenSecret: '{{access_token_secret}}' }),
  bearer: { type: 'bearer', bearer: settings({ token: '{{bearer_token}}' }) },
  basic: { type: 'basic', basic: settings({ username: '{{consumer_key}}', password: '{{consumer_secret}}' }) },
};

/** The steps of a flow, by operation: Postman takes protocol parameters from here, not from the parameters. */
const FLOW: Record<string, Auth> = {
  requestToken: oauth1({ callback: 'oob' }),
  accessToken: oauth1({
    token: '{{oauth_token}}',
    tokenSecret: '{{oauth_token_secret}}',
    verifier: '{{oauth_verifier}}',
  }),
};

/** Times that examples name, set again before each request. */
const MOMENTS = [
  "const minute = (days) => new Date(Date.now() + days * 86400000).toISOString().slice(0, 16) + ':00Z';",
  "pm.variables.set('tomorrow', minute(1));",
  "pm.variables.set('five_days_ago', minute(-5));",
  "const asDigits = (hours) => new Date(Date.now() + hours * 3600000).toISOString().replace(/\\D/g, '').slice(0, 12);",
  "pm.variables.set('first_minute', asDigits(-1));",
  "pm.variables.set('last_minute', asDigits(0));",
];

/** Runs before requests with the application's bearer token: fetches it once. */
const BEARER = [
  "if (!pm.collectionVariables.get('bearer_token')) {",
  "  const pair = pm.variables.replaceIn('{{consumer_key}}:{{consumer_secret}}');",
  '  const request = {',
  "    url: pm.variables.replaceIn('{{base_url}}/oauth2/token?grant_type=client_credentials'),",
  "    method: 'POST',",
  "    header: { Authorization: 'Basic ' + btoa(pair) },",
  '  };',
  "  pm.sendRequest(request, (error, answer) => pm.collectionVariables.set('bearer_token', answer.json().access_token));",
  '}',
];

const before = (exec: string[]) => ({ listen: 'prerequest', script: { type: 'text/javascript', exec } });

/**
 * Converts the text of the document to the text of a Postman collection (format 2.1) with a folder for each tag. Values
 * that differ between installations are variables, named as in `demo-credentials.json`. `ids` are the ids of the
 * examples, by purpose.
 */
export function postmanCollection(text: string, ids: Record<string, string>): string {
  const document = JSON.parse(withDemoIds(text, {}, '{{$timestamp}}')) as OpenAPIObject;
  // A folder runs from top to bottom, so deletes come last.
  const requests = METHODS.flatMap((each) => operationsOf(document).filter(({ method }) => method === each)).map(
    ({ path, method, operation }) => ({
      tag: operation.tags?.[0],
      item: { name: operation.summary, request: requestOf(path, method, operation) },
    }),
  );
  const collection = {
    info: { name: 'Marquee', description: document.info.description, schema: SCHEMA },
    auth: AUTHS.oauth1,
    event: [before(MOMENTS)],
    item: (document.tags ?? []).map(({ name, description }) => ({
      name,
      description,
      ...folderOf(requests.filter(({ tag }) => tag === name).map(({ item }) => item)),
    })),
  };
  return placeholdersOf(ids).reduce(
    (written, [placeholder, purpose]) => written.replaceAll(placeholder, `{{${purpose}}}`),
    `${JSON.stringify(collection, null, 2)}\n`.replaceAll('http://localhost:3000/demo/', '{{base_url}}/demo/'),
  );
}

/** The requests of a folder, and the script that runs before each of them. */
const folderOf = (item: { request: Record<string, unknown> }[]) => ({
  ...(item.some(({ request }) => request.auth === AUTHS.bearer) && { event: [before(BEARER)] }),
  item,
});

function requestOf(path: string, method: string, operation: Operation): Record<string, unknown> {
  const parameters = parametersOf(operation);
  const ofPath = parameters.filter((each) => each.in === 'path');
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, example, description }) => ({
      key: name,
      value: example === undefined ? '' : textOf(example),
      ...(description !== undefined && { description }),
      ...(example === undefined && { disabled: true }),
    }));
  const host = hostOf(path, operation);
  const wirePath = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const enabled = query.filter((each) => !('disabled' in each)).map(({ key, value }) => `${key}=${value}`);
  const auth = authOf(operation);
  return {
    method: method.toUpperCase(),
    ...(operation.description && { description: operation.description }),
    ...(auth !== AUTHS.oauth1 && { auth }),
    header: [],
    url: {
      raw: `${host}${wirePath}${enabled.length > 0 ? `?${enabled.join('&')}` : ''}`,
      host: [host],
      path: wirePath.split('/').slice(1),
      ...(query.length > 0 && { query }),
      ...(ofPath.length > 0 && {
        variable: ofPath.map(({ name, example }) => ({ key: name, value: textOf(example) })),
      }),
    },
    ...bodyOf(operation),
  };
}

function authOf({ operationId = '', security = [] }: Operation): Auth {
  const [scheme] = Object.keys(security[0] ?? {});
  return FLOW[operationId] ?? (scheme === undefined ? { type: 'noauth' } : AUTHS[scheme]);
}

/** The variable of one of the three base URLs of the service. */
function hostOf(path: string, operation: Operation): string {
  if (operation['x-sandbox-only']) return '{{ads_sandbox_base_url}}';
  return familyOf(path) === 'ads' ? '{{ads_base_url}}' : '{{base_url}}';
}

function bodyOf({ requestBody, operationId = '' }: Operation): Record<string, unknown> {
  const content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const [first] = Object.entries(content);
  if (!first) return {};
  const [type, media] = first;
  const example: unknown = media.example ?? {};
  if (type === 'application/json') {
    return { body: { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } } };
  }
  const mode = type === 'multipart/form-data' ? 'formdata' : 'urlencoded';
  const fields = Object.entries(example as Record<string, unknown>)
    .filter(([key]) => !(operationId in FLOW && key.startsWith('oauth_')))
    .map(([key, value]) => ({ key, value: textOf(value), type: 'text' }));
  return { body: { mode, [mode]: fields } };
}

/** The value of a parameter in a request: lists are comma-separated. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(',') : `${value as string}`);
