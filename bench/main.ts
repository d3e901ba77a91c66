/** `npm run bench`: the service against a bare server, and its lists at a thousand and at a million campaigns. */
import { Redis } from 'ioredis';
import pg from 'pg';
import { assertSameAnswers } from './agreement.js';
import { cases, creativeCases, listCases, type Case } from './cases.js';
import { fillCreatives } from './creatives.js';
import { ask } from './http.js';
import { Load } from './load/load.js';
import { Report } from './report.js';
import { compare } from './rounds.js';
import { startReference, startService } from './servers.js';
import { readSettings } from './settings.js';
import { measureSizes } from './sizes.js';
import { measureUploads } from './uploads.js';
import { makeWorld, type World } from './world.js';

const settings = readSettings();
const report = new Report(settings);
const run = `marquee_bench_${process.pid}`;
const prefix = `${run}:`;
const service = { REDIS_URL: settings.redis, REDIS_PREFIX: prefix, ...settings.env };

/** What has to be undone, last first, however the run ends. */
const undo: (() => Promise<unknown> | void)[] = [];

async function made(name: string, campaigns: number): Promise<World> {
  const world = await makeWorld(settings.postgres, `${run}_${name}`, campaigns);
  undo.push(() => world.drop());
  return world;
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
  const ours = await started(startService(world, settings.port, service));
  const bare = await started(startReference(world, settings.port + 1, settings.port));
  report.table('Against a bare Fastify + pg server', 'ours', 'bare', 'ratio');
  for (const each of [...asked(cases(world, settings.campaigns)), ...creatives]) {
    await assertSameAnswers(each, world.pen, ours.port, bare.port);
    const side = { pen: world.pen, case: each };
    report.compared(
      await compare(load, settings, each.name, { ...side, port: ours.port }, { ...side, port: bare.port }),
    );
  }
  await ours.stop();
  await bare.stop();
}

async function againstSize(load: Load): Promise<void> {
  const sides = [];
  for (const [i, campaigns] of [settings.large, settings.small].entries()) {
    const world = await made(`of_${campaigns}`, campaigns);
    const { port } = await started(startService(world, settings.port + 2 + i, service));
    sides.push({ port, world, cases: await listCases(world, campaigns, (count) => walked(world, port, count)) });
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

async function sizes(): Promise<void> {
  const world = await made('sizes', 0);
  report.sizes(await measureSizes(world, settings.persons));
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

const load = new Load();
undo.push(forgetKeys, () => load.close());
try {
  report.machine(await versions());
  if (!settings.skip.includes('bare')) await againstReference(load);
  if (!settings.skip.includes('growth')) await againstSize(load);
  if (!settings.skip.includes('uploads')) await uploads();
  if (!settings.skip.includes('sizes')) await sizes();
} finally {
  await cleanUp();
}
