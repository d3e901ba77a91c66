import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES, type Role } from '../../../src/accounts/access/roles.js';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import type { Api, Json } from '../../support/api.js';
import { useApp } from '../../support/app.js';
import { given } from '../../support/given.js';

/**
 * Who may do what: every operation under an account, by every role, with and without POST_COMPOSER,
 * and by an application that may only read. What is named by an id is not there, so that whoever may ask changes nothing.
 */

useApp({ RATE_LIMITS: 'off' });

const everybody = [...ROLES];
const viewers: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST'];
const estimators: Role[] = [...viewers, 'ANALYST'];
const creatives: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];
const managers: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
const admins: Role[] = ['ACCOUNT_ADMIN'];

const ACCOUNT = /^(features|authenticated_user_access|promotable_users|account_apps|curated_categories)?$/;
const statistics: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CAMPAIGN_ANALYST'];
const CREATIVES =
  /^(account_media|cards|cards\/.*|draft_posts|draft_posts\/preview|dynamic_product_cards|lead_forms|media_library|post|posts|posts\/name|scheduled_posts|scheduled_posts\/preview)$/;
const AUDIENCES =
  /^(custom_audiences|custom_audiences\/.*|tailored_audiences\/permissions|do_not_reach_lists|do_not_reach_lists\/users)$/;
const CAMPAIGNS =
  /^(ab_tests|app_event_provider_configurations|app_event_tags|app_lists|campaigns|campaigns\/activate|funding_instruments|line_items|line_items\/activate|line_item_apps|line_item_curated_categories|media_creatives|preroll_call_to_actions|promoted_accounts|promoted_posts|scheduled_promoted_posts|targeting_criteria|targeting_suggestions|tracking_tags|web_event_tags)$/;

/** The table: the first row that an operation is of says who may. */
const MATRIX: [method: RegExp, what: RegExp, allowed: Role[]][] = [
  [/./, /^ad-export\//, admins],
  [/get/, /^account_history$/, managers],
  [/get/, /^tax_settings$/, managers],
  [/put/, /^tax_settings$/, admins],
  // of other users, whom these requests name
  [/get/, /^user_settings$/, admins],
  [/put/, /^user_settings$/, []],
  [/post/, /^audience_estimate$/, estimators],
  // analysts only of organic posts, which these requests do not ask for
  [/get/, /^stats(\/active_entities|\/reach\/.*)?$/, statistics],
  [/post/, /^stats\/jobs$/, statistics],
  [/get|delete/, /^stats\/jobs$/, [...statistics, 'ANALYST']],
  [/get/, ACCOUNT, everybody],
  [/post|put|delete/, /^lead_forms$/, managers],
  [/get/, CREATIVES, viewers],
  [/get/, /^post_previews$/, viewers],
  [/get/, AUDIENCES, viewers],
  [/get/, CAMPAIGNS, viewers],
  [/post|put|delete/, CREATIVES, creatives],
  [/post|put|delete/, AUDIENCES, managers],
  // the sandbox makes and deletes accounts, funding and features
  [/post|delete/, /^(features|funding_instruments)?$/, admins],
  [/put/, /^$/, admins],
  [/post|put|delete/, CAMPAIGNS, managers],
];
/** What is written in the name of a user: POST_COMPOSER, unless that user asks. */
const COMPOSING = /^(post|scheduled_posts)$/;

interface Operation {
  name: string;
  method: string;
  path: string;
  /** What it is about: its path below the account, without ids. */
  what: string;
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const OPERATIONS: Operation[] = operationsOf(document)
  .filter(({ path }) => /^\/\d+\/.*\/?accounts\/\{account_id\}/.test(path))
  .map(({ path, method }) => ({
    name: `${method.toUpperCase()} ${path}`,
    method,
    path,
    what: path
      .replace(/^\/12\/(stats(?:\/jobs)?)\/accounts\/\{account_id\}/, '/12/accounts/{account_id}/$1')
      .split('/accounts/{account_id}')[1]
      .split('/')
      .filter((part) => part && !part.startsWith('{'))
      .join('/'),
  }))
  // an account that was deleted answers nothing any more
  .sort(
    (one, other) =>
      Number(one.name === 'DELETE /12/accounts/{account_id}') -
      Number(other.name === 'DELETE /12/accounts/{account_id}'),
  );

const allowedFor = ({ method, what }: Operation) =>
  MATRIX.find(([methods, whats]) => methods.test(method) && whats.test(what))?.[2];

/** Reads and estimates change nothing. */
const reads = ({ method, what }: Operation) => method === 'get' || what === 'audience_estimate';

const ask = (api: Api, accountId: string, { method, path }: Operation) => {
  const target = path
    .replace('{account_id}', accountId)
    .replace(/\{(\w+)\}/g, (_, name: string) => (/post_id|card_id|user_id$/.test(name) ? '9' : '0zzzzzzzzzzzz'));
  const json = path.includes('/batch/') || /users$|audience_estimate$/.test(path) ? { json: [] } : {};
  return api.call(method.toUpperCase(), target, json);
};

it('says of every operation who may', () => {
  expect(OPERATIONS.filter((each) => !allowedFor(each)).map(({ name }) => name)).toEqual([]);
  expect(OPERATIONS.length).toBeGreaterThan(60);
});

describe.each(ROLES)('%s', (role) => {
  it.each([true, false])('may do what the table says, with POST_COMPOSER: %s', async (postComposer) => {
    const { account, api } = await given.advertiser({ role, environment: 'sandbox', postComposer });
    const wrong: Json[] = [];
    for (const operation of OPERATIONS) {
      const may = allowedFor(operation)!.includes(role);
      const { status, body } = await ask(api, account.id, operation);
      const code = body?.errors?.[0]?.code;
      const right = may
        ? status < 500 && status !== 401 && (status !== 403 || COMPOSING.test(operation.what))
        : status === 403 && code === 'ACTION_NOT_ALLOWED';
      if (!right) wrong.push({ operation: operation.name, may, status, code });
    }
    expect(wrong).toEqual([]);
  });
});

it.each([
  ['a token', async () => ({ accessLevel: 'read' as const })],
  ['an application', async () => ({ application: await given.application('read') })],
])('lets %s that may only read do nothing else', async (_, limited) => {
  const { account, api } = await given.advertiser({ environment: 'sandbox', ...(await limited()) });
  const wrong: Json[] = [];
  for (const operation of OPERATIONS) {
    const { status, body } = await ask(api, account.id, operation);
    const refused = status === 403 && body.errors[0].code === 'READONLY_CLIENT_APPLICATION';
    if (refused === reads(operation)) wrong.push({ operation: operation.name, status, errors: body.errors });
  }
  expect(wrong).toEqual([]);
});

it('takes a role of the account asked for, not of another one', async () => {
  const admin = await given.advertiser();
  const foreign = await given.advertiser();
  const { api } = await given.member(foreign.account, 'ANALYST');
  expect((await api.get(`/12/accounts/${foreign.account.id}/campaigns`)).status).toBe(403);
  expect((await api.get(`/12/accounts/${admin.account.id}/campaigns`)).status).toBe(404);
});
