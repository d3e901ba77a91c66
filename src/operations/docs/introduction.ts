import type { SecuritySchemeObject } from '@nestjs/swagger';
import { ACCOUNTS_TAGS } from '../../accounts/accounts.tags.js';
import { AUDIENCES_TAGS } from '../../audiences/audiences.tags.js';
import { AUTH_TAGS } from '../../auth/auth.tags.js';
import { CAMPAIGNS_TAGS } from '../../campaigns/campaigns.tags.js';
import { CREATIVES_TAGS } from '../../creatives/creatives.tags.js';
import { SANDBOX_TAGS } from '../../sandbox/sandbox.tags.js';
import { STATISTICS_TAGS } from '../../statistics/statistics.tags.js';
import { WEBHOOKS_TAGS } from '../../webhooks/webhooks.tags.js';
import { WORKBENCH_TAGS } from '../../workbench/workbench.tags.js';

/** The introduction of the document. */
export const INTRODUCTION = `Marquee is an advertising platform service: ad accounts, funding, campaigns, creatives and audiences under one signed HTTP API. Amounts are in micro-units of the account's currency (5,500,000 is 5.50), times are in UTC, and ids are strings.

**Signing.** Requests have an \`Authorization\` header of OAuth 1.0a with HMAC-SHA1, computed with the keys of an application and of a user's access token. Query and form parameters are signed, JSON bodies are not. A timestamp may be five minutes off. Each nonce is valid once.

**Parameters.** GET and DELETE take them in the query, POST and PUT in the query or in a form body; batches take JSON. Lists are comma-separated. Unknown parameters are ignored. PUT changes only the fields that are sent.

**Answers.** \`request.params\` repeats the parameters as the service understood them, and \`data\` contains the result. A delete keeps the item and marks it \`deleted\`; reads show it again with \`with_deleted=true\`.

**Paging.** Lists return \`count\` items and a \`next_cursor\`. Send it as \`cursor\`, with otherwise the same parameters, to get the next page. It is null on the last page. \`with_total_count=true\` adds the total, on the first page only.

**Errors.** \`errors\` contains all errors of a request, each with a \`code\`, a \`message\` and the \`parameter\`. Either all operations of a batch apply or none, and \`operation_errors\` contains the errors. Outside production mode, errors can have a \`hint\`, and the header \`x-marquee-hint\` names ignored parameters that are similar to known ones.

**Rate limits.** \`x-rate-limit-limit\`, \`-remaining\` and \`-reset\` describe the limit of a user token, \`x-account-rate-limit-*\` the limit of an account. Requests beyond a limit get 429 with \`retry-after\`.

**Names.** The header \`x-marquee-names: x\` gives a request and its response the names of X's documentation; \`x-marquee-names: marquee\` gives them those of this service. Without it the setting \`NAMES\` decides. \`/docs/openapi.json?names=x\` is this document with the names of X.

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
};

/**
 * The groups of operations, in the order a new developer needs them: accounts, payment, what is advertised and shown,
 * audiences, other resources of an account, webhooks, the workbench, testing, and sign-in of an application's users. Each domain
 * describes its own.
 */
export const TAGS: Record<string, string> = {
  Accounts: ACCOUNTS_TAGS.Accounts,
  ...CAMPAIGNS_TAGS,
  ...STATISTICS_TAGS,
  ...CREATIVES_TAGS,
  ...AUDIENCES_TAGS,
  ...ACCOUNTS_TAGS,
  ...WEBHOOKS_TAGS,
  ...WORKBENCH_TAGS,
  ...SANDBOX_TAGS,
  ...AUTH_TAGS,
};
