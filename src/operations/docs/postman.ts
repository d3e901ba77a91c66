import type { OpenAPIObject } from '@nestjs/swagger';
import { SCOPES } from '../../auth/credentials/scopes.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { LOOPBACK_CALLBACK } from '../../demo/credentials-file.js';
import { swapJson } from '../../names/swap-json.js';
import { NAMES_HEADER, type Vocabulary } from '../../names/vocabulary.js';
import { placeholdersOf, withDemoIds } from './examples.js';
import { DOCUMENT_METHODS, operationsOf, rankOfOnce, type Operation } from './operation.js';
import { documentParametersOf } from './parameters.js';
import {
  BEARER,
  FLOW_CREDENTIALS,
  MOMENTS,
  NEEDS_TOKEN,
  RESULTS,
  STEPS,
  SUCCEEDS,
  USES,
  variableName,
} from './postman-scripts.js';

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

/**
 * The user signs in by OAuth 2.0 with PKCE: "Get New Access Token" opens the page. Postman sees the callback before it is loaded. Without
 * its window, as in newman, requests have the token of the variable.
 */
const OAUTH2: Auth = {
  type: 'oauth2',
  oauth2: settings({
    grant_type: 'authorization_code_with_pkce',
    authUrl: '{{base_url}}/i/oauth2/authorize',
    accessTokenUrl: '{{base_url}}/2/oauth2/token',
    redirect_uri: LOOPBACK_CALLBACK,
    useBrowser: false,
    clientId: '{{client_id}}',
    clientSecret: '',
    client_authentication: 'body',
    scope: SCOPES.join(' '),
    state: 'marquee',
    challengeAlgorithm: 'S256',
    tokenName: 'Marquee',
    tokenType: 'Bearer',
    addTokenTo: 'header',
    headerPrefix: 'Bearer',
    accessToken: '{{oauth2_access_token}}',
  }),
};

/** The steps of a flow, by operation: Postman takes protocol parameters from here, not from the parameters. */
const FLOW: Record<string, Auth> = {
  requestToken: oauth1({ callback: 'oob' }),
  invalidateOAuth2: AUTHS.basic,
  // The token that the flow returned, so that those of the other requests remain valid.
  invalidateOAuth1: oauth1({ token: '{{exchanged_token}}', tokenSecret: '{{exchanged_token_secret}}' }),
  accessToken: oauth1({
    token: '{{oauth_token}}',
    tokenSecret: '{{oauth_token_secret}}',
    verifier: '{{oauth_verifier}}',
  }),
};

/** A user approves in a browser before these, so a run of the collection leaves them out. */
const NEED_APPROVAL = new Set(['userToken', 'revokeUserToken']);

/** The reads that show what a token of OAuth 2.0 may do. */
const BY_OAUTH2 = new Set(['getMe', 'listAccounts', 'listCampaigns']);

const event = (listen: 'prerequest' | 'test') => (exec: string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
});
const before = event('prerequest');
const after = event('test');

/**
 * Converts the text of the document to the text of a Postman collection (format 2.1) with a folder for each tag. Values
 * that differ between installations are variables, named as in `demo-credentials.json`. `ids` are the ids of the
 * examples, by purpose. `names` is the vocabulary of the document; requests name it where it is not the service's own.
 */
export function postmanCollection(text: string, ids: Record<string, string>, names: Vocabulary): string {
  const document = JSON.parse(withDemoIds(text, {}, '{{$timestamp}}')) as OpenAPIObject;
  const requests = operationsOf(document)
    .filter(({ operation }) => !NEED_APPROVAL.has(operation.operationId!))
    .sort((one, other) => rankOf(one) - rankOf(other))
    .flatMap((described) => itemsOf(described, names).map((item) => ({ tag: described.operation.tags?.[0], item })));
  const collection = {
    info: {
      name: names === 'x' ? "Marquee with X's names" : 'Marquee',
      description: document.info.description,
      schema: SCHEMA,
    },
    auth: AUTHS.oauth1,
    event: [before(MOMENTS), after(SUCCEEDS)],
    item: [
      ...(document.tags ?? []).map(({ name, description }) => ({
        name,
        description,
        ...folderOf(requests.filter(({ tag }) => tag === name).map(({ item }) => item)),
      })),
      oauth2Folder(document, names),
    ],
  };
  return placeholdersOf(ids).reduce(
    (written, [placeholder, purpose]) => written.replaceAll(placeholder, `{{${purpose}}}`),
    `${JSON.stringify(collection, null, 2)}\n`.replaceAll('http://localhost:3000/demo/', '{{base_url}}/demo/'),
  );
}

/** Requests with an access token of OAuth 2.0. Without one, a run of the collection leaves them out. */
const oauth2Folder = (document: OpenAPIObject, names: Vocabulary) => ({
  name: 'Signed in with OAuth 2.0',
  description:
    'Choose the tab Authorization of this folder and "Get New Access Token". Or set the variable `oauth2_access_token`, for example to that of ' +
    '`marquee token issue --scope ads.read`.',
  auth: OAUTH2,
  event: [before(NEEDS_TOKEN)],
  item: operationsOf(document)
    .filter(({ operation }) => BY_OAUTH2.has(operation.operationId!))
    .map(({ path, method, operation }) => {
      const header = names === 'x' ? [{ key: NAMES_HEADER, value: names }] : [];
      const request = { ...requestOf(path, method, operation), header, auth: undefined };
      return { name: `${operation.summary}, by OAuth 2.0`, request };
    }),
});

type DescribedOperation = ReturnType<typeof operationsOf>[number];

/**
 * The place in a folder, which runs from top to bottom: requests that use a result come after those that have it,
 * deletes come last.
 */
function rankOf(described: DescribedOperation): number {
  const { method, operation } = described;
  const used = Object.values(USES[operation.operationId ?? ''] ?? {}).map(variableName);
  const isAfterPost = used.some((name) => Object.values(RESULTS).some((results) => name in results));
  const own = Math.max(DOCUMENT_METHODS.indexOf(method), isAfterPost ? DOCUMENT_METHODS.indexOf('post') + 0.5 : 0);
  return own + rankOfOnce(described);
}

/** The requests of an operation. */
function itemsOf({ path, method, operation }: DescribedOperation, names: Vocabulary) {
  const header = names === 'x' ? [{ key: NAMES_HEADER, value: names }] : [];
  const request = { ...requestOf(path, method, operation), header };
  const steps = STEPS[operation.operationId ?? ''];
  if (!steps) return [{ name: operation.summary, ...scriptsOf(operation), request }];
  return steps.map(({ name, fields }, i) => ({
    name,
    ...(i === 0 && scriptsOf(operation)),
    request: { ...request, ...bodyOf(operation, names === 'x' ? (swapJson(fields) as object) : fields) },
  }));
}

/** The scripts of one request: what it needs before, and what it keeps of the response. */
function scriptsOf({ operationId = '' }: Operation) {
  const results = Object.entries(RESULTS[operationId] ?? {});
  const events = [
    ...(operationId === 'accessToken' ? [before(FLOW_CREDENTIALS)] : []),
    ...(results.length > 0
      ? [after(results.map(([name, value]) => `pm.collectionVariables.set('${name}', ${value});`))]
      : []),
  ];
  return events.length > 0 ? { event: events } : {};
}

/** The requests of a folder, and the script that runs before each of them. */
const folderOf = (item: { request: Record<string, unknown> }[]) => ({
  ...(item.some(({ request }) => request.auth === AUTHS.bearer) && { event: [before(BEARER)] }),
  item,
});

function requestOf(path: string, method: string, operation: Operation): Record<string, unknown> {
  const uses = USES[operation.operationId ?? ''] ?? {};
  const parameters = documentParametersOf(operation).map((each) => ({
    ...each,
    example: uses[each.name] ?? (each.example as unknown),
  }));
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

function bodyOf({ requestBody, operationId = '' }: Operation, fieldsOfStep?: object): Record<string, unknown> {
  const content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const [first] = Object.entries(content);
  if (!first) return {};
  const [type, media] = first;
  const example: unknown = fieldsOfStep ?? media.example ?? {};
  if (type === 'application/json') {
    return { body: { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } } };
  }
  const mode = type === 'multipart/form-data' ? 'formdata' : 'urlencoded';
  const fields = Object.entries(example as Record<string, unknown>)
    .filter(([key]) => !(operationId in FLOW && key.startsWith('oauth_')))
    .map(([key, value]) => ({ key, value: USES[operationId]?.[key] ?? textOf(value), type: 'text' }));
  return { body: { mode, [mode]: fields } };
}

/** The value of a parameter in a request: lists are comma-separated. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(',') : `${value as string}`);
