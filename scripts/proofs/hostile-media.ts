import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeWorld } from '../../bench/world.js';
import type { Pen } from '../../bench/load/task.js';
import { childrenOf } from './support/child.js';
import {
  hiddenSamples,
  manyBoxes,
  manyEdits,
  runsFromNowhere,
  samplesFromNowhere,
  sortedFromNowhere,
} from './support/hostile-videos.js';
import { hostile, type Medium } from './support/media.js';
import { residentOf } from './support/memory.js';
import { mutated, randomOf, webpOfChunks, wholeMedia } from './support/mutated-media.js';
import { freePort } from './support/ports.js';
import { Postgres } from './support/postgres.js';
import { probe, probedBy } from './support/probe.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted } from './support/table.js';
import { multipart, post, type Service, tally } from './support/uploads.js';

const SEED = 20_260_722;
const FILES = 2_000;
const AT_ONCE = 4;
const MAX_BLOCKED_MS = 50;
/** What blocks always is in every attempt; a pause that somebody else on the machine causes is not. */
const ATTEMPTS = 3;
const MAX_RETAINED_MIB = 50;
const MAX_DELAY_MS = 1_000;
const SETTLING_MS = 70_000;

interface Attacked extends Service {
  longestBlock: () => Promise<number>;
  /** The process that was started first. */
  pid: number;
}

/** Files that are made to end, to block or to delay whoever reads them, over HTTP to a replica. */
export const prove = (): Promise<Figure[]> =>
  withStage(async (stage) => {
    const service = await served(stage);
    const parts = [await killers(service), await fuzzed(service), await blocking(service), ...(await delays(service))];
    const { replica, pid } = service;
    return [
      ...parts.flat(),
      {
        name: 'the same process in the end',
        measured: `${replica.pid === pid}`,
        promise: 'true',
        ok: replica.pid === pid,
      },
      atMost('times it ended', replica.crashes, 0),
    ];
  });

async function served(stage: Stage): Promise<Attacked> {
  const postgres = await Postgres.start(stage);
  const world = await makeWorld(postgres.url, 'marquee', 0);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const replica = new Replica(stage, port, {
    ...world.environment,
    BASE_URL: `http://${host}`,
    DATA_DIR: join(stage.folder, 'data'),
    ...probedBy('event-loop-probe', stage.folder),
  });
  await replica.start();
  return { replica, host, world, pid: replica.pid, longestBlock: await probe(stage.folder, replica.pid) };
}

type File = Pick<Medium, 'category' | 'bytes'>;

/** The status of an upload; 0 where there was no answer. */
const upload = (service: Service, { category, bytes }: File, pen: Pen = service.world.pen): Promise<number> =>
  post(service, multipart({ media_category: category }, bytes), { pen }).then(
    ({ status }) => status,
    () => 0,
  );

async function inSegments(service: Service, { category, bytes }: File): Promise<number> {
  const command = (params: Record<string, string>, file?: Buffer) => post(service, multipart(params, file));
  const type = category === 'post_video' ? 'video/mp4' : 'image/gif';
  const begun = await command({
    command: 'INIT',
    total_bytes: `${bytes.length}`,
    media_type: type,
    media_category: category,
  });
  const { media_id_string: id } = JSON.parse(begun.body) as { media_id_string: string };
  for (let at = 0, index = 0; at < bytes.length; at += 5_000_000, index++) {
    const params = { command: 'APPEND', media_id: id, segment_index: `${index}` };
    await command(params, bytes.subarray(at, at + 5_000_000));
  }
  return (await command({ command: 'FINALIZE', media_id: id })).status;
}

async function killers(service: Attacked): Promise<Figure[]> {
  const videos = [
    samplesFromNowhere(),
    sortedFromNowhere(),
    runsFromNowhere(10_000, 2_000),
    hiddenSamples(),
    manyEdits(),
    manyBoxes(1_000_000),
  ];
  const statuses: number[] = [];
  await service.longestBlock();
  for (const bytes of videos)
    for (let i = 0; i < ATTEMPTS; i++) {
      statuses.push(await inSegments(service, { category: 'post_video', bytes }));
      statuses.push(await upload(service, { category: 'post_video', bytes }));
    }
  const part = 'files that end their reader';
  return [
    noted('answers', tally(statuses)),
    atMost('answers other than 400', statuses.filter((status) => status !== 400).length, 0),
    noted('longest block of the event loop', `${(await service.longestBlock()).toFixed(0)} ms`),
  ].map((figure) => ({ ...figure, part }));
}

async function fuzzed(service: Attacked): Promise<Figure[]> {
  const random = randomOf(SEED);
  const whole = await wholeMedia();
  const count = settings.quick ? FILES / 10 : FILES;
  const statuses: number[] = [];
  let next = 0;
  const send = async (until: number) => {
    while (next < until) {
      const { category, bytes } = whole[next++ % whole.length];
      statuses.push(await upload(service, { category, bytes: mutated(bytes, random) }));
    }
  };
  const all = (until: number) => Promise.all(Array.from({ length: AT_ONCE }, () => send(until)));
  // what runs for the first time is compiled and loaded first
  const warm = count / 10;
  await all(warm);
  await pause(2_000);
  const before = residentOf(service.pid);
  const beforeWithReaders = residentWithChildren(service.pid);
  await service.longestBlock();
  let highest = 0;
  const watching = setInterval(() => (highest = Math.max(highest, residentWithChildren(service.pid))), 500);
  await all(warm + count);
  clearInterval(watching);
  const block = await service.longestBlock();
  let left = residentOf(service.pid) - before;
  for (
    const end = performance.now() + SETTLING_MS;
    left > MAX_RETAINED_MIB && performance.now() < end;
    await pause(1_000)
  )
    left = residentOf(service.pid) - before;
  const part = `${count} files with changed bytes`;
  return [
    noted('answers', tally(statuses)),
    atMost('answers other than 200 and 400', statuses.filter((status) => ![200, 400].includes(status)).length, 0),
    atMost('longest block of the event loop', block, MAX_BLOCKED_MS, 'ms'),
    noted(
      'resident before, alone and with its readers',
      `${before.toFixed(0)} and ${beforeWithReaders.toFixed(0)} MiB`,
    ),
    noted('resident at most, with its readers', `${highest.toFixed(0)} MiB`),
    atMost('resident after, above before', Math.max(0, left), MAX_RETAINED_MIB, 'MiB'),
  ].map((figure) => ({ ...figure, part }));
}

/** Of a process and those that it has started. */
const residentWithChildren = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, each) => {
    try {
      return sum + residentOf(each);
    } catch {
      return sum;
    }
  }, 0);

async function blocking(service: Attacked): Promise<Figure[]> {
  const chunks = webpOfChunks(650_000);
  let blocked = Infinity;
  let status = 0;
  for (let i = 0; i < ATTEMPTS; i++) {
    await service.longestBlock();
    status = await upload(service, { category: 'post_image', bytes: chunks });
    blocked = Math.min(blocked, await service.longestBlock());
  }
  const part = 'a WEBP of 650,000 chunks';
  return [noted('answer', `${status}`), atMost('longest block of the event loop', blocked, MAX_BLOCKED_MS, 'ms')].map(
    (figure) => ({ ...figure, part }),
  );
}

async function delays(service: Attacked): Promise<Figure[][]> {
  const gif = (await hostile()).find(({ category }) => category === 'post_gif')!;
  const whole = await wholeMedia();
  const video = whole.find(({ category }) => category === 'post_video')!;
  const jpeg = whole.find(({ name }) => name === 'JPEG')!;
  const edits: File = { category: 'post_video', bytes: manyEdits() };
  const costly: File = { category: 'post_video', bytes: hiddenSamples() };
  const times = (file: File, count: number) => Array<File>(count).fill(file);
  return [
    await delayed(service, 'four videos of 900,000 edits, then a video of another user', times(edits, 4), video),
    await delayed(service, 'sixty GIFs of 300 megapixels, then a JPEG of another user', times(gif, 60), jpeg),
    await delayed(
      service,
      'forty videos that end their reader, then a video of another user',
      times(costly, 40),
      video,
    ),
  ];
}

/** One user sends files at once; another one sends small files meanwhile. */
async function delayed(service: Attacked, part: string, attack: File[], small: File): Promise<Figure[]> {
  const { stranger } = service.world;
  await upload(service, small, stranger);
  let goesOn = true;
  const attacking = Promise.all(attack.map((file) => upload(service, file))).finally(() => (goesOn = false));
  const took: number[] = [];
  const statuses: number[] = [];
  for (let i = 0; i < 3 || (goesOn && i < 50); i++) {
    const began = performance.now();
    statuses.push(await upload(service, small, stranger));
    took.push(performance.now() - began);
    await pause(100);
  }
  const began = performance.now();
  const answers = await attacking;
  took.sort((a, b) => a - b);
  return [
    noted('answers to the attack', tally(answers)),
    noted('the attack went on after the last small file for', `${((performance.now() - began) / 1_000).toFixed(1)} s`),
    atMost('small files not taken', statuses.filter((status) => status !== 200).length, 0),
    noted(`median of ${took.length} small files`, `${took[Math.floor(took.length / 2)].toFixed(0)} ms`),
    atMost('slowest small file', took.at(-1)!, MAX_DELAY_MS, 'ms'),
  ].map((figure) => ({ ...figure, part }));
}
