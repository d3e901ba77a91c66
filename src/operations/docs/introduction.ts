import type { SecuritySchemeObject, OpenAPIObject } from '@nestjs/swagger';
import { SCOPES, SCOPES_IN_WORDS } from '../../auth/credentials/scopes.js';
import { DATED_CHANGES } from '../../common/as-of/dated-changes.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { type Config, withoutSlash } from '../../config/config.js';
import { operationsOf } from './operation.js';

/** The introduction of the document. */
export const INTRODUCTION = `Marquee is an advertising platform service: ad accounts, funding, campaigns, creatives and audiences under one signed HTTP API. Amounts are in micro-units of the account's currency (5,500,000 is 5.50), times are in UTC, and ids are strings.

**Signing.** Requests have an \`Authorization\` header of OAuth 1.0a with HMAC-SHA1, computed with the keys of an application and of a user's access token. Query and form parameters are signed, JSON bodies are not. A timestamp may be five minutes off. Each nonce is valid once.

**Bearer tokens.** Instead of a signature, requests can have the access token that a user gave an application by OAuth 2.0 with PKCE, as \`Authorization: Bearer\`. Each operation names the scopes that the token needs.

**Parameters.** GET and DELETE take them in the query, POST and PUT in the query or in a form body; batches take JSON. Lists are comma-separated. Unknown parameters are ignored. PUT changes only the fields that are sent.

**Answers.** \`request.params\` repeats the parameters as the service understood them, and \`data\` contains the result. A delete keeps the item and marks it \`deleted\`; reads show it again with \`with_deleted=true\`.

**Paging.** Lists return \`count\` items and a \`next_cursor\`. Send it as \`cursor\`, with otherwise the same parameters, to get the next page. It is null on the last page. \`with_total_count=true\` adds the total, on the first page only.

**Errors.** \`errors\` contains all errors of a request, each with a \`code\`, a \`message\` and the \`parameter\`. Either all operations of a batch apply or none, and \`operation_errors\` contains the errors. Outside production mode, errors can have a \`hint\`, and the header \`x-marquee-hint\` names ignored parameters that are similar to known ones.

**Rate limits.** \`x-rate-limit-limit\`, \`-remaining\` and \`-reset\` describe the limit of a user token, \`x-account-rate-limit-*\` the limit of an account. Requests beyond a limit get 429 with \`retry-after\`.

**Names.** The header \`x-marquee-names: x\` gives a request and its response the names of X's documentation; \`x-marquee-names: marquee\` gives them those of this service. Without it the setting \`NAMES\` decides. \`/docs/openapi.json?names=x\` is this document with the names of X.

**Dates.** X changed its API without a new version of it. The header \`x-marquee-as-of: 2026-11-01\` gives a request and its response the behavior of X on that day, and the response repeats it. Without the header the setting \`AS_OF\` decides, and without both the specification of version 12. The changes:

${Object.values(DATED_CHANGES)
  .map(({ date, what, by }) => `- From ${date} on, ${what}.${by === 'setting' ? ' Here the setting decides.' : ''}`)
  .join('\n')}

**Sandbox.** The same API with separate accounts, which the API can create and delete.`;

const ESSENCE = 'OAuth 1.0a, HMAC-SHA1 (RFC 5849)';

/** The authentication schemes. OpenAPI has no scheme for OAuth 1.0a. */
export const SCHEMES: Record<string, SecuritySchemeObject> = {
  oauth1: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: `${ESSENCE}, as a user: \`OAuth oauth_consumer_key="…", oauth_nonce="…", oauth_signature="…", oauth_signature_method="HMAC-SHA1", oauth_timestamp="…", oauth_token="…", oauth_version="1.0"\``,
  },
  application: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: `${ESSENCE}, as an application: the same without \`oauth_token\`, or with that of a request token`,
  },
  basic: { type: 'http', scheme: 'basic', description: 'The consumer key and secret of an application' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The bearer token of an application' },
  oauth2: {
    type: 'oauth2',
    description: 'OAuth 2.0 with PKCE: the access token that a user gave an application',
    flows: {
      authorizationCode: {
        authorizationUrl: '/i/oauth2/authorize',
        tokenUrl: '/2/oauth2/token',
        refreshUrl: '/2/oauth2/token',
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPES_IN_WORDS[scope]])),
      },
    },
  },
  pixelToken: { type: 'apiKey', in: 'header', name: 'X-Pixel-Token', description: 'A token of the pixel' },
};

/**
 * The groups of operations, in the order a new developer needs them: accounts, payment, what is advertised and shown,
 * audiences, other resources of an account, webhooks, the workbench, testing, and sign-in of an application's users.
 */
export const TAGS: Record<string, string> = {
  Accounts: 'Ad accounts, the permissions of their users, and the history of changes.',
  'Funding instruments': 'How campaigns are paid.',
  Campaigns: 'A budget and a schedule for line items.',
  'Line items': 'The bids, placements and audiences within a campaign.',
  'Promoted posts': 'The posts that line items show.',
  'Promoted accounts': 'The users that line items promote.',
  'Media creatives': 'The images and in-stream videos that line items show.',
  'Scheduled promoted posts': 'The scheduled posts that line items promote once they are live.',
  'Preroll call to actions': 'The buttons next to in-stream videos.',
  'A/B tests': 'Campaigns or line items that separate groups of users see.',
  'Tracking tags': 'The URLs with which other services count the impressions and clicks of line items.',
  'Line item curated categories': 'The publishers in whose videos a line item shows its in-stream videos.',
  'Reference data': 'Categories, placements, bidding rules and publishers. Every account sees the same data.',
  'Curated categories': 'Lists of publishers that line items can target as a group.',
  'Targeting criteria': 'Who sees a line item, and next to which content.',
  'Targeting options': 'The values for targeting criteria: locations, interests, devices and more.',
  Statistics: 'What line items delivered, and what it cost.',
  'Media upload': 'Uploads of media files. An upload returns a media key.',
  'Media library': 'The images, GIFs and videos that an account keeps.',
  'Account media':
    'In-stream videos and images of the standard sizes. Media of these kinds become account media when they are added to the library.',
  Cards: 'Cards below the text of a post: media with a destination, conversations and polls.',
  'Lead forms': 'Forms in which people leave their contact details for the advertiser.',
  'Draft posts': 'Posts that are not published.',
  'Scheduled posts': 'Posts that go live at a scheduled time.',
  Posts: 'Promoted-only and organic posts, and their previews.',
  Audiences: 'The people whom campaigns can target or exclude.',
  'Product catalogs':
    'The products of a user, sets of them, and feeds that bring them. They belong to the user, not to an account.',
  'Audience permissions': 'The permissions of other accounts on an audience.',
  'Do-not-reach lists': 'The people whom no campaign of an account reaches.',
  Measurement: 'The events of websites whose conversions are attributed to advertisements.',
  'App measurement': 'The events of apps, who counts them, and lists of apps that line items exclude.',
  Insights: 'The volume of posts about keywords, and related keywords.',
  Settings: 'Who an account bills and taxes, and how its users are reached.',
  'Account apps': 'The apps that an account advertises.',
  Features: 'Beta and limited features of an account.',
  'Promotable users': 'The users whose posts an account may promote.',
  Webhooks:
    'URLs of an application that receive events of ad accounts. The endpoints require the bearer token of the application.',
  Workbench:
    'Tools for the tests of integrators. The owner of an application signs these requests and sees only what concerns the application. The page `/workbench` shows the same in a browser.',
  Sandbox: 'Writes that exist only in the sandbox, to prepare tests.',
  Authentication: 'Access tokens and bearer tokens: how an application gets and revokes them.',
};

/** Sets the servers of the document to the public URLs of this configuration. */
export function addServers(document: OpenAPIObject, { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config): void {
  const production = { url: withoutSlash(adsBaseUrl), description: 'Production' };
  const sandbox = {
    url: withoutSlash(adsSandboxBaseUrl),
    description: 'Sandbox, with separate accounts',
    'x-sandbox': true,
  };
  const reference = `${withoutSlash(baseUrl)}/docs`;
  document.servers = [production, sandbox];
  document.info.contact = { name: 'The operator of this service', url: reference };
  document.externalDocs = { description: 'The API reference, which can send requests', url: reference };
  const { oauth2 } = document.components?.securitySchemes ?? {};
  const flow = oauth2 && 'flows' in oauth2 ? oauth2.flows?.authorizationCode : undefined;
  if (flow) {
    const issuer = withoutSlash(baseUrl);
    flow.authorizationUrl = `${issuer}/i/oauth2/authorize`;
    flow.tokenUrl = flow.refreshUrl = `${issuer}/2/oauth2/token`;
  }
  for (const { operation } of operationsOf(document)) if (operation['x-sandbox-only']) operation.servers = [sandbox];
  // When the authentication endpoints have a base URL of their own, they exist only there.
  const isApart = withoutSlash(baseUrl) !== withoutSlash(adsBaseUrl);
  for (const [path, item] of Object.entries(document.paths)) {
    if (familyOf(path) !== 'auth') continue;
    if (isApart) item.servers = [{ url: withoutSlash(baseUrl), description: 'Authentication' }];
    else delete item.servers;
  }
}
