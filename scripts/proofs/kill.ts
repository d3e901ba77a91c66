import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.js';
import { readConfig } from '../../src/config/config.js';
import { openReadyStore } from '../../src/service.js';
import { startCluster } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import { demoOf } from './support/demo.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, type Kill, succeeded, wasCut } from './support/load/log.js';
import { freePort } from './support/ports.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const PER_SECOND = 200;
const READY_WITHIN_MS = 3_000;
/**
 * nginx leaves a replica alone for a second after it has failed, and one that has just started is slow until its code is
 * compiled; the other one may not be killed meanwhile.
 */
const LEFT_ALONE_MS = 6_000;

/**
 * `kill -9` of replicas and of PostgreSQL while campaigns are created: every one that was acknowledged is there exactly once,
 * with its record and its event, and nothing is there twice or by halves. The same on the embedded store.
 */
export async function prove(): Promise<Figure[]> {
  const server = await withStage(onServer);
  const embedded = await withStage(onEmbedded);
  return [
    ...server.map((figure) => ({ ...figure, part: 'PostgreSQL' })),
    ...embedded.map((figure) => ({ ...figure, part: 'embedded store' })),
  ];
}

const kills = () => (settings.quick ? 4 : 20);
const databaseKills = () => (settings.quick ? 2 : 5);
const moment = () => pause(500 + Math.random() * 1_000);

async function onServer(stage: Stage): Promise<Figure[]> {
  const { world, replicas, postgres, port, host } = await startCluster(stage);
  const requests = creates(world, 'Proof');
  const load = Load.start(stage, { port, host, pen: world.pen, requests, perSecond: PER_SECOND, captures: 0 });
  const done: Kill[] = [];
  const times: number[] = [];
  for (let i = 0; i < kills(); i++) {
    await moment();
    const replica = replicas[i % replicas.length];
    done.push(await replica.kill());
    await replica.start();
    times.push(replica.readyMs);
    await pause(LEFT_ALONE_MS);
  }
  const databaseTimes: number[] = [];
  for (let i = 0; i < databaseKills(); i++) {
    await moment();
    await postgres.kill();
    await postgres.restart();
    const began = performance.now();
    await Promise.all(replicas.map((replica) => replica.untilReady()));
    databaseTimes.push(performance.now() - began);
  }
  await moment();
  const { entries } = await load.end();
  return [
    ...answered(entries, done),
    ...(await onPostgres(world.databaseUrl, (query) => stored(query, 'Proof', entries))),
    noted('replica ready again, median', worded(percentile(times, 0.5), 'ms')),
    atMost(`replica ready again, slowest of ${times.length}`, Math.max(...times), READY_WITHIN_MS, 'ms'),
    atMost(
      `both ready after PostgreSQL accepted connections, slowest of ${databaseTimes.length}`,
      Math.max(...databaseTimes),
      READY_WITHIN_MS,
      'ms',
    ),
    atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
  ];
}

async function onEmbedded(stage: Stage): Promise<Figure[]> {
  const folder = join(stage.folder, 'data');
  const replica = new Replica(stage, await freePort(), { DATA_DIR: folder });
  // The first start makes the store and the demo world in it; that is not what is timed here.
  await replica.start();
  const { pen, account } = demoOf(folder);
  const { port } = replica;
  const host = `localhost:${port}`;
  const requests = creates({ written: [account] }, 'Proof');
  // PostgreSQL in WebAssembly, and no other process to go on meanwhile.
  const load = Load.start(stage, { port, host, pen, requests, perSecond: PER_SECOND / 2, captures: 0 });
  const times: number[] = [];
  const away: Kill[] = [];
  const gone: number[] = [];
  for (let i = 0; i < kills(); i++) {
    await moment();
    const [from, to] = await replica.kill();
    gone.push(to);
    await replica.start();
    away.push([from, Date.now()]);
    times.push(replica.readyMs);
  }
  await moment();
  const { entries } = await load.end();
  const crashes = replica.crashes;
  await replica.end();
  const store = await openReadyStore(readConfig({ DATA_DIR: folder, NODE_ENV: 'test' }));
  // All that came meanwhile stands in line before the question whether it is ready.
  const servedTimes = gone.map((since) => firstServed(entries, since) - since);
  try {
    const found = await stored((text, values) => store.dataSource.query(text, values), 'Proof', entries);
    // Nobody listens until it is up again, and right after a crash it is not known what was used before it.
    const wrong = odd(entries, away).filter(
      ({ sentAt, status }) => status !== 401 && !away.some(([from, to]) => from <= sentAt && sentAt < to),
    );
    return [
      noted('answers', byStatus(entries)),
      {
        ...atMost('other answers than 201, 401, 503 with retry-after while it is up', wrong.length, 0),
        measured: byStatus(wrong) || '0',
      },
      ...found,
      noted('acknowledges again, median', worded(percentile(servedTimes, 0.5), 'ms')),
      atMost(`acknowledges again, slowest of ${times.length}`, Math.max(...servedTimes), READY_WITHIN_MS, 'ms'),
      noted('says that it is ready, median', worded(percentile(times, 0.5), 'ms')),
      noted('says that it is ready, slowest', worded(Math.max(...times), 'ms')),
      atMost('times that it ended by itself', crashes, 0),
    ];
  } finally {
    await store.close();
  }
}

/** When the first answer came that acknowledged something sent after this moment, in milliseconds since the epoch. */
const firstServed = (entries: Entry[], since: number): number =>
  entries
    .filter((entry) => succeeded(entry) && entry.sentAt > since)
    .reduce((first, { sentAt, ms }) => Math.min(first, sentAt + ms), Infinity);

function answered(entries: Entry[], done: Kill[]): Figure[] {
  const wrong = odd(entries, done);
  return [
    noted('answers', byStatus(entries)),
    noted('cut off by a kill (dropped, or 502 of nginx)', String(entries.filter((each) => wasCut(each, done)).length)),
    { ...atMost('other answers than 201 and 503 with retry-after', wrong.length, 0), measured: byStatus(wrong) || '0' },
  ];
}

const odd = (entries: Entry[], done: Kill[]): Entry[] =>
  entries.filter((entry) => !succeeded(entry) && !isBusy(entry) && !wasCut(entry, done));
