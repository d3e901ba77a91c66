/** `npm run bench`: the service against a bare server, and its lists at a thousand and at a million campaigns. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PgBouncer } from '../scripts/proofs/support/pgbouncer.js';
import { Stage } from '../scripts/proofs/support/stage.js';
import { roleSettings } from '../src/common/db/role-settings.js';
import { assertSameAnswers } from './agreement.js';
import { cases, creativeCases, DEPTH, listCases, type Case } from './cases.js';
import { fillCreatives } from './creatives.js';
import { measureDelivery } from './delivery.js';
import { measureJobs } from './statistics-job.js';
import { measureStatistics } from './statistics-reads.js';
import { accountsFor, fillDelivery } from './statistics-world.js';
import { makeEstimates } from './estimates.js';
import { ask } from './http.js';
import { makeInsights } from './insights.js';
import { compareCosts } from './journal.js';
import { fillCampaigns, lineItemCases } from './line-items.js';
import { Load } from './load/load.js';
import { fillPromoted, promotedCases } from './promoted-posts.js';
import { caseAtX, readCases } from './names.js';
import { Report } from './report.js';
import { compare, measure } from './rounds.js';
import { startReference, startService } from './servers.js';
import { readSettings } from './settings.js';
import { measureSizes } from './sizes.js';
import { fillTargeting, targetingCases } from './targeting.js';
import { measureStarts } from './start.js';
import { median } from './statistics.js';
import { measureConversions } from './conversions.js';
import { measureUploads } from './uploads.js';
import { measureDeliveries, startReceiver, subscribe } from './webhooks.js';
import { makeWorld, type World } from './world.js';

const settings = readSettings();
const stage = new Stage();
const report = new Report(settings);
const run = `marquee_bench_${process.pid}`;
const prefix = `${run}:`;
const service = { REDIS_URL: settings.redis, REDIS_PREFIX: prefix, ...settings.env };

/** What has to be undone, last first, however the run ends. */
const undo: (() => Promise<unknown> | void)[] = [() => stage.end()];

async function made(name: string, campaigns: number): Promise<World> {
  const world = await makeWorld(settings.postgres, `${run}_${name}`, campaigns);
  undo.push(() => world.drop());
  if (settings.pgbouncer) Object.assign(world.environment, await throughPgBouncer(world));
  return world;
}

/** Starts PgBouncer in transaction mode before the database of a world; returns what the service needs to use it. */
async function throughPgBouncer({ databaseUrl }: World): Promise<Record<string, string>> {
  await roleSettings(databaseUrl, { apply: true });
  const { url } = await PgBouncer.start(stage, databaseUrl, 'transaction', []);
  return { DATABASE_URL: url, DATABASE_DIRECT_URL: databaseUrl, DATABASE_DRIVER: 'plain' };
}

const started = async <T extends { stop(): Promise<void> }>(server: Promise<T>): Promise<T> => {
  undo.push((await server).stop);
  return server;
};

async function againstReference(load: Load): Promise<void> {
  const world = await made('world', settings.campaigns);
  const asked = (all: Case[]) => all.filter(({ name }) => name.includes(settings.only));
  const creatives = asked(creativeCases(world));
  if (creatives.length > 0) await fillCreatives(world, settings);
  const items = asked(lineItemCases(world));
  const promoted = asked(promotedCases(world));
  if (items.length > 0 || promoted.length > 0) await fillCampaigns(world);
  if (promoted.length > 0) await fillPromoted(world);
  const targeting = asked(targetingCases(world));
  if (targeting.length > 0) await fillTargeting(world);
  const ours = await started(startService(world, settings.port, service));
  const bare = await started(startReference(world, settings.port + 1, settings.port));
  report.table('Against a bare Fastify + pg server', 'ours', 'bare', 'ratio');
  for (const each of [...asked(cases(world, settings.campaigns)), ...items, ...targeting, ...promoted, ...creatives]) {
    await assertSameAnswers(each, world.pen, ours.port, bare.port);
    const side = { pen: world.pen, case: each };
    report.compared(
      await compare(load, settings, each.name, { ...side, port: ours.port }, { ...side, port: bare.port }),
    );
  }
  await ours.stop();
  await bare.stop();
}

/** Creates while a webhook that subscribes to all accounts receives every event. */
async function createsWithWebhook(load: Load): Promise<void> {
  const name = 'create, with a webhook';
  if (!name.includes(settings.only)) return;
  const world = await made('subscribed', settings.campaigns);
  const receiver = await startReceiver();
  undo.push(() => receiver.close());
  // webhooks on loopback are for development
  const environment = { ...service, NODE_ENV: 'development', DEMO: 'false' };
  const ours = await started(startService(world, settings.port + 9, environment));
  const bare = await started(startReference(world, settings.port + 10, settings.port + 9));
  await subscribe(world, receiver.url);
  const create = cases(world, settings.campaigns).find((each) => each.name === 'create')!;
  const side = { pen: world.pen, case: create };
  report.compared(await compare(load, settings, name, { ...side, port: ours.port }, { ...side, port: bare.port }));
  await ours.stop();
  await bare.stop();
}

/** The same requests to this build and to another one, on the same tables. */
async function againstBuild(load: Load, folder: string): Promise<void> {
  const world = await made('builds', settings.campaigns);
  await fillCampaigns(world);
  await fillTargeting(world);
  const ours = await started(startService(world, settings.port + 16, service));
  const other = await started(startService(world, settings.port + 17, service, join(folder, 'bin/service.mjs')));
  report.costs('Processor time of a request to this build, and to the other one, in microseconds');
  const all = [...cases(world, settings.campaigns), ...lineItemCases(world), ...targetingCases(world)];
  for (const each of all.filter(({ name }) => name.includes(settings.only))) {
    const side = { pen: world.pen, case: each };
    report.cost(
      each.name,
      await compareCosts(load, settings, [
        { ...side, ...ours },
        { ...side, ...other },
      ]),
    );
  }
  await ours.stop();
  await other.stop();
}

/** The same requests with the journal of the workbench and without it. */
async function withJournal(load: Load): Promise<void> {
  const world = await made('journal', settings.campaigns);
  const serve = (port: number, workbench: boolean) =>
    started(startService(world, port, { ...service, WORKBENCH: `${workbench}` }));
  const journal = await serve(settings.port + 11, true);
  const none = await serve(settings.port + 12, false);
  report.costs('Processor time of a request with a request journal, and without, in microseconds');
  for (const each of cases(world, settings.campaigns)) {
    const side = { pen: world.pen, case: each };
    report.cost(
      `${each.name}, journal`,
      await compareCosts(load, settings, [
        { ...side, ...journal },
        { ...side, ...none },
      ]),
    );
  }
  await journal.stop();
  await none.stop();
}

/** The same requests to a service with the names of X and to one with its own. */
async function withNames(load: Load): Promise<void> {
  const world = await made('names', settings.campaigns);
  await fillCreatives(world, settings);
  await fillCampaigns(world);
  await fillPromoted(world);
  const serve = (port: number, NAMES: string) => started(startService(world, port, { ...service, NAMES }));
  const atX = await serve(settings.port + 13, 'x');
  const own = await serve(settings.port + 14, 'marquee');
  report.costs('Processor time of a request with the names of X, and with our own, in microseconds');
  for (const each of readCases(world, settings.campaigns)) {
    const { pen } = world;
    const sides = [
      { pen, case: caseAtX(each), ...atX },
      { pen, case: each, ...own },
    ] as const;
    report.cost(`${each.name}, names of X`, await compareCosts(load, settings, [...sides]));
  }
  await atX.stop();
  await own.stop();
}

async function againstSize(load: Load): Promise<void> {
  if (!listCases('', 1, '').some(({ name }) => name.includes(settings.only))) return;
  const sides = [];
  for (const [i, campaigns] of [settings.large, settings.small].entries()) {
    const world = await made(`of_${campaigns}`, campaigns);
    const { port } = await started(startService(world, settings.port + 2 + i, service));
    const cursor = await walked(world, port, Math.floor(campaigns * DEPTH) - 200);
    sides.push({ port, world, cases: listCases(world.account.id, campaigns, cursor) });
  }
  const [large, small] = sides;
  report.table(`Lists of 200 of ${settings.large} campaigns`, 'large', 'small', 'slower by');
  for (const [i, { name }] of large.cases.entries()) {
    if (!name.includes(settings.only)) continue;
    const [one, other] = [large, small].map(({ port, world, cases }) => ({ port, pen: world.pen, case: cases[i] }));
    report.compared(await compare(load, settings, `${name}, ${settings.large}`, one, other), (ratio) => 1 / ratio);
  }
}

async function uploads(): Promise<void> {
  const world = await made('uploads', settings.campaigns);
  const server = await started(startService(world, settings.port + 4, service));
  report.uploads(await measureUploads(world, server, settings.uploads));
  await server.stop();
}

async function conversions(): Promise<void> {
  const world = await made('conversions', 0);
  const server = await started(startService(world, settings.port + 4, service));
  report.conversions(await measureConversions(world, server, settings.uploads));
  await server.stop();
}

async function sizes(): Promise<void> {
  const world = await made('sizes', 0);
  report.sizes(await measureSizes(world, settings.persons));
}

/** As a person waits for it: one request at a time, and four. */
async function estimates(load: Load): Promise<void> {
  const world = await made('estimates', 0);
  const { compared, alone } = await makeEstimates(world, settings.users);
  const ours = await started(startService(world, settings.port + 5, service));
  const bare = await started(startReference(world, settings.port + 6, settings.port + 5));
  await assertSameAnswers(compared, world.pen, ours.port, bare.port);
  report.estimates(settings.users);
  for (const connections of [1, 4]) {
    // most of the time is the database's, which has nothing to compile
    const own = { ...settings, connections, firstWarmUpMs: 2_000 };
    const side = { pen: world.pen, case: compared };
    const { one, other } = await compare(
      load,
      own,
      compared.name,
      { ...side, port: ours.port },
      { ...side, port: bare.port },
    );
    report.estimated(compared.name, connections, one);
    report.estimated('the same, bare', connections, other);
    for (const each of alone) {
      const asked = { pen: world.pen, case: each, port: ours.port };
      report.estimated(each.name, connections, await measure(load, own, asked));
    }
  }
  await ours.stop();
  await bare.stop();
}

/** As a person waits for them: one request at a time, warm. */
async function insights(load: Load): Promise<void> {
  const world = await made('insights', 0);
  const { cases, everything } = await makeInsights(world, settings.posts);
  const ours = await started(startService(world, settings.port + 8, service));
  const own = { ...settings, connections: 1, firstWarmUpMs: 5_000 };
  const reference = await timed(world.databaseUrl, everything, own.rounds);
  report.insights(settings.posts);
  for (const each of cases) {
    const asked = { pen: world.pen, case: each, port: ours.port };
    report.insight(each.name, await measure(load, own, asked), reference);
  }
  await ours.stop();
}

/** The median time of a statement in milliseconds, its first two not counted. */
async function timed(databaseUrl: string, text: string, rounds: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const times: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const begun = performance.now();
    await client.query(text);
    if (round >= 0) times.push(performance.now() - begun);
  }
  await client.end();
  return median(times);
}

/** One after the other, of random entities. */
async function statistics(): Promise<void> {
  const name = `${run}_statistics`;
  const world = await makeWorld(settings.postgres, name, 0, accountsFor(settings.rows) - 1);
  undo.push(() => world.drop());
  const begun = performance.now();
  const delivery = await fillDelivery(world, settings.rows);
  report.statistics(delivery, (performance.now() - begun) / 1_000);
  const ours = await started(startService(world, settings.port + 15, service));
  await measureStatistics(world, delivery, ours.port, settings.rounds * TURNS, (times) => report.statisticsRead(times));
  for (const times of await measureJobs(world, delivery, ours.port)) report.job(times);
  await ours.stop();
}

/** Reads of each kind in a round. */
const TURNS = 40;

async function webhooks(): Promise<void> {
  const world = await made('webhooks', 0);
  const { events, rounds } = settings;
  report.deliveries(await measureDeliveries(world, settings.port + 7, { events, rounds, env: service }));
}

async function delivery(): Promise<void> {
  const world = await made('delivery', 0);
  report.hours(await measureDelivery(world, settings.items, settings.rounds));
}

/** The cursor after so many campaigns, as a client comes by it: page after page. */
async function walked({ account, pen }: World, port: number, campaigns: number): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < campaigns;) {
    const count = Math.min(1_000, campaigns - seen);
    const target = `/12/accounts/${account.id}/campaigns?count=${count}${cursor && `&cursor=${cursor}`}`;
    cursor = (JSON.parse(await ask(port, pen, { method: 'GET', target })) as { next_cursor: string }).next_cursor;
    seen += count;
  }
  return cursor;
}

async function versions(): Promise<string> {
  const client = new pg.Client({ connectionString: settings.postgres });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  await client.end();
  const redis = new Redis(settings.redis);
  const info = await redis.info('server');
  redis.disconnect();
  return `PostgreSQL ${rows[0].server_version.split(' ')[0]}, Redis ${/redis_version:(\S+)/.exec(info)?.[1]}`;
}

async function forgetKeys(): Promise<void> {
  const redis = new Redis(settings.redis);
  for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 5_000 }) as AsyncIterable<string[]>) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
  redis.disconnect();
}

async function cleanUp(): Promise<void> {
  for (const step of undo.splice(0).reverse()) {
    await Promise.resolve(step()).catch((error: unknown) => console.error(error));
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));

/** Those that `--only` and `--skip` leave; without the name of a group, `--only` names cases of the comparisons. */
async function measureGroups(groups: Record<string, () => Promise<void>>): Promise<void> {
  const { only, skip } = settings;
  const [named] = Object.keys(groups).filter((name) => only !== '' && name.startsWith(only));
  if (named !== undefined) return groups[named]();
  if (!skip.includes('bare')) await againstReference(load);
  if (!skip.includes('bare')) await createsWithWebhook(load);
  if (!skip.includes('growth')) await againstSize(load);
  if (only !== '') return;
  for (const [name, measured] of Object.entries(groups)) if (!skip.includes(name)) await measured();
}

const load = new Load();
undo.push(forgetKeys, () => load.close());
try {
  report.machine(await versions());
  const groups: Record<string, () => Promise<void>> = {
    journal: () => withJournal(load),
    names: () => withNames(load),
    uploads,
    conversions,
    sizes,
    estimates: () => estimates(load),
    insights: () => insights(load),
    statistics,
    webhooks,
    delivery,
    start: () => measureStarts(settings.rounds, (figure) => report.started(figure)),
  };
  const { against } = settings;
  if (against !== undefined) await againstBuild(load, against);
  else await measureGroups(groups);
} finally {
  await cleanUp();
}
