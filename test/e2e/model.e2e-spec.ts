import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { CampaignLimitService } from '../../src/campaigns/campaigns/campaign-limit.service.js';
import { BusinessesService } from '../../src/accounts/accounts/businesses.service.js';
import { MembershipsService } from '../../src/accounts/access/memberships.service.js';
import { DAILY } from '../model/campaigns.js';
import { commands, type Command } from '../model/commands.js';
import { struck } from '../support/disasters.js';
import { balance, economies } from '../model/money.js';
import { Beside, type Sent } from '../model/service.js';
import { plans, together } from '../model/together.js';
import { UPLOADS, type Uploaded } from '../model/uploads.js';
import { Webhooks } from '../model/webhooks.js';
import { ModelAccount, type Caller } from '../model/world.js';
import type { Api } from '../support/api.js';
import { useApp, world } from '../support/app.js';
import { given } from '../support/given.js';
import { closeReceivers, receiver } from '../support/receiver.js';

useApp();

/**
 * The same sequences in every run. With MODEL_SECONDS as many as fit in that time, and others each time; MODEL_SEED repeats
 * those of a run.
 */
const SECONDS = process.env.MODEL_SECONDS === undefined ? undefined : Number(process.env.MODEL_SECONDS);
const SEED = Number(process.env.MODEL_SEED ?? (SECONDS === undefined ? 4711 : Date.now() % 2 ** 31));
/** A new account costs as much as many commands, and what is rare needs many before it. */
const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 250);

/**
 * What is wrong with one of so many cases, or of as many as fit into that share of the time. The last one is carried out to its end, so
 * that there is always one.
 */
async function check<D>(drawing: fc.Arbitrary<D>, numRuns: number, share: number, run: (draw: D) => Promise<void>) {
  let running: Promise<void> | undefined;
  const details = await fc.check(
    fc.asyncProperty(drawing, (draw) => (running = run(draw))),
    {
      // small numbers would choose what there is not
      ...{ seed: SEED, numRuns: SECONDS === undefined ? numRuns : 100_000, unbiased: true },
      ...(SECONDS !== undefined && { interruptAfterTimeLimit: SECONDS * share * 1_000 }),
    },
  );
  if (details.counterexample !== null) return details;
  await running?.catch((error: unknown) => {
    throw new Error(`the last case of MODEL_SEED=${SEED}`, { cause: error });
  });
  return undefined;
}

describe('eight workers at once', () => {
  it(
    'see what one order of their requests explains, within all limits',
    async () => {
      const until = Date.now() + (SECONDS ?? 0) * 250;
      let count = 0;
      const drawn = fc.sample(plans, { seed: SEED, numRuns: SECONDS === undefined ? 2 : 1_000 });
      for (const [index, plan] of drawn.entries()) {
        if (SECONDS !== undefined && Date.now() > until) break;
        count += await together(plan).catch((error: unknown) => {
          throw new Error(`plan ${index} of MODEL_SEED=${SEED}`, { cause: error });
        });
      }
      process.stdout.write(`workers at once: seed ${SEED}, ${count} requests\n`);
    },
    ((SECONDS ?? 0) + 600) * 1_000,
  );
});

/** Three accounts, the last one in the sandbox, and those who call: an administrator of all, two with roles that change, and a reader's token. */
async function begin(): Promise<Beside> {
  // whoever owns the application may save and restore
  const { application, ownerId, api } = await given.applicationOwner();
  // of one business, so that they may share audiences
  const { id: businessId } = await world().get(BusinessesService).create('Business');
  const owner = { user: { id: ownerId }, api, account: await given.account({ userId: ownerId, businessId }) };
  const target = await receiver(application.consumer.secret);
  const webhook = await given.webhook(application, target.url, null);
  const second = await given.account({ userId: ownerId, businessId });
  const sandbox = await given.account({ userId: ownerId, environment: 'sandbox' });
  const others = [
    await given.member(owner.account, 'AD_MANAGER'),
    await given.member(owner.account, 'CAMPAIGN_ANALYST'),
  ];
  const readOnly = await given.client({ accessLevel: 'read' });
  await world().get(MembershipsService).grant(owner.account.id, readOnly.user.id, 'ACCOUNT_ADMIN');
  const callers = [caller(owner), caller(others[0]), caller(others[1]), { ...caller(readOnly), mayWrite: false }];
  const spare = await given.account({ userId: ownerId });
  const uploads: Uploaded[] = [];
  for (const upload of UPLOADS)
    uploads.push({ ...upload, media_key: (await given.libraryMedia(spare, upload)).mediaKey });
  const accounts: ModelAccount[] = [];
  for (const account of [owner.account, second, sandbox]) {
    const ids = [];
    for (const text of ['See https://example.com/shoes', 'Shoes', 'More shoes'])
      ids.push((await given.post({ account, text: `${text} ${accounts.length}` })).id);
    const model = new ModelAccount(account.id, ownerId, ids, account.environment, uploads);
    model.roles.set(callers[0], 'ACCOUNT_ADMIN');
    model.campaignLimit = 4;
    await world().get(CampaignLimitService).set(account.id, 4);
    accounts.push(model);
  }
  accounts[0].partners.push(accounts[1]);
  accounts[1].partners.push(accounts[0]);
  accounts[0].roles.set(callers[1], 'AD_MANAGER').set(callers[2], 'CAMPAIGN_ANALYST').set(callers[3], 'ACCOUNT_ADMIN');
  await world().caughtUp();
  const { body } = await owner.api.get('/12/bidding_rules', { query: { currency: 'USD' } });
  const [rule] = body.data;
  const bounds = { least: rule.minimum_cpe_bid_local_micro, most: rule.maximum_cpe_bid_local_micro };
  const integrator = await given.integrator(application);
  const webhooks = new Webhooks(accounts, integrator.api, target, webhook);
  const beside = new Beside(accounts, callers, bounds, webhooks);
  for (const account of accounts) {
    await beside.funding(account);
    const owning = { caller: callers[0], account };
    const params = { name: 'First', funding_instrument_id: account.resources[0].id, [DAILY]: 20_000_000 };
    for (const budget_optimization of ['CAMPAIGN', 'LINE_ITEM'])
      await beside.create({ ...owning, kind: 'CAMPAIGN' }, { ...params, budget_optimization });
    await beside.create({ ...owning, kind: 'CUSTOM_AUDIENCE' }, { name: 'First' });
    const [first, second] = account.all('CAMPAIGN');
    const flight = { start_time: '2026-01-01T00:00:00Z', end_time: '2036-01-01T00:00:00Z' };
    const item = { ...flight, placements: 'ALL_ON_PLATFORM' };
    const items = [
      { ...item, campaign_id: first.id, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
      { ...item, campaign_id: second.id, objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT', [DAILY]: 5_000_000 },
    ];
    for (const params of items) await beside.create({ ...owning, kind: 'LINE_ITEM' }, params);
    for (const { media_key } of [uploads[0], uploads[1], uploads[4]])
      await beside.create({ ...owning, kind: 'LIBRARY_MEDIA' }, { media_key });
  }
  const [{ id: custom_audience_id }] = accounts[0].all('CUSTOM_AUDIENCE');
  const sharing = { caller: callers[0], account: accounts[0], kind: 'AUDIENCE_PERMISSION' } as const;
  const granted = { granted_account_id: accounts[1].id, permission_level: 'READ_ONLY' };
  await beside.create(sharing, { custom_audience_id, ...granted });
  return beside;
}

const caller = ({ user, api }: { user: { id: string }; api: Api }): Caller => ({
  userId: user.id,
  api,
  mayWrite: true,
});

describe('money', () => {
  useApp({ DELIVERY: 'simulated' });

  it(
    'is spent within budgets and funding, and hours, days, segments and line items add up',
    async () => {
      const failed = await check(economies, 2, 1 / 4, balance);
      if (failed) throw new Error(`${String(failed.errorInstance)}\n${fc.defaultReportMessage(failed)}`);
    },
    ((SECONDS ?? 0) + 600) * 1_000,
  );
});

describe('the service beside a model of it', () => {
  it(
    'answers sequences of requests as the model says',
    async () => {
      let [count, last] = [0, undefined as Beside | undefined];
      const failed = await check(commands(COMMANDS), 12, 1, async (sequence: Iterable<Command>) => {
        last = await begin();
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: last! }), sequence);
          await last.webhooks.events();
        } finally {
          await closeReceivers();
          count += last.sent.length;
        }
      });
      process.stdout.write(
        `model: seed ${SEED}, ${count} requests, ${struck.KILL} kills, ${struck.FAILOVER} failovers\n`,
      );
      if (!failed) return;
      const { counterexample, errorInstance } = failed;
      if (!last) throw errorInstance;
      const file = join(tmpdir(), `model-${SEED}.json`);
      writeFileSync(file, fixtureOf(last.accounts[0].id, last.sent));
      const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
      throw new Error(`${cause}\n\nAfter ${fc.stringify(counterexample)}\nMODEL_SEED=${SEED}, as fixtures in ${file}`);
    },
    ((SECONDS ?? 0) + 600) * 1_000,
  );
});

/**
 * The requests of a failing sequence as a file that `marquee fixtures` replays on an account of its own. Ids of what the
 * requests created are references. Posts and other accounts stay as they are, since no request of the sequence made them.
 */
function fixtureOf(accountId: string, sent: readonly Sent[]): string {
  const references = new Map([[accountId, '${.env:MARQUEE_ACCOUNT_ID}']]);
  const replaced = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? {}).replaceAll(/[0-9a-z]{11,19}/g, (id) => references.get(id) ?? id));
  const fixtures = sent.map(({ method, path, params, json, status, made }, index) => {
    const name = `request${index + 1}`;
    const fixture = { name, method: method.toLowerCase(), path, params: json ?? params, expected_status: status };
    const written = replaced(fixture);
    const isList =
      path.includes('/batch/') || made.length > 1 || (method === 'POST' && path.endsWith('/promoted_posts'));
    if (method === 'POST')
      made.forEach((id, at) => references.set(id, isList ? `\${${name}:${at}.id}` : `\${${name}:id}`));
    return written;
  });
  return JSON.stringify({ _meta: { template_version: 0 }, fixtures }, null, 2);
}
