import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeWorld } from '../../bench/world.js';
import { gifs, hostile, images, longVideo, type Medium, video } from './support/media.js';
import { MemoryWatch, residentOf } from './support/memory.js';
import { freePort } from './support/ports.js';
import { Postgres } from './support/postgres.js';
import { Replica } from './support/replica.js';
import { ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted } from './support/table.js';
import { multipart, post, type Service, tally, UPLOAD } from './support/uploads.js';

const UPLOADS = 100;
/** How often each kind is uploaded before anything is measured, one after the other. */
const WARM_ROUNDS = 2;
const MAX_MIB = 150;
const LONG_BYTES = 512 * 1024 * 1024;
const SEGMENT_BYTES = 5_000_000;
/** Segments that a client sends at a time. */
const SEGMENTS_AT_ONCE = 4;
const MAX_LONG_MIB = 64;
const PROCESSED_WITHIN_MS = 60_000;

/** What uploads take of the memory of the process that they go to, at their peak. */
export const prove = (): Promise<Figure[]> =>
  withStage(async (stage) => {
    const service = await served(stage);
    const many = await manyAtOnce(service);
    // what the many have left behind is not counted for nothing
    await service.replica.end();
    await service.replica.start();
    return [...many, ...(await oneThatIsLong(service))];
  });

async function served(stage: Stage): Promise<Service> {
  const postgres = await Postgres.start(stage);
  const world = await makeWorld(postgres.url, 'marquee', 0);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const environment = {
    ...world.environment,
    BASE_URL: `http://${host}`,
    DATA_DIR: join(stage.folder, 'data'),
    // all of them are of one user at one address
    MAX_PENDING_BODIES_PER_ADDRESS: `${2 * UPLOADS}`,
    MAX_PENDING_UPLOADS_PER_USER: `${2 * UPLOADS}`,
  };
  const replica = new Replica(stage, port, environment);
  await replica.start();
  return { replica, world, host };
}

async function manyAtOnce(service: Service): Promise<Figure[]> {
  const { pid } = service.replica;
  const ordinary = [await images(), await gifs(), [10, 14, 20].map((megabytes) => video(megabytes * 1e6))];
  const bad = await hostile();
  // what runs for the first time is compiled and loaded first
  for (let round = 0; round < WARM_ROUNDS; round++)
    for (const medium of [...ordinary.flat(), ...bad]) await upload(service, medium);
  await pause(2_000);

  const turns = [0, 0, 0];
  const media = Array.from({ length: UPLOADS }, (_, i) => {
    if (i % 10 === 9) return bad[Math.floor(i / 10) % bad.length];
    // of ten there are six images, a GIF and two videos
    const kind = i % 10 < 6 ? 0 : i % 10 === 6 ? 1 : 2;
    return ordinary[kind][turns[kind]++ % ordinary[kind].length];
  });
  const before = residentOf(pid);
  const watch = new MemoryWatch(pid);
  const began = performance.now();
  const statuses = await Promise.all(media.map((medium) => upload(service, medium)));
  const seconds = (performance.now() - began) / 1_000;
  const above = watch.highest() - before;
  const otherwise = media.filter(({ status }, i) => statuses[i] !== status);
  for (const medium of otherwise) console.log(`  ${medium.name}: ${statuses[media.indexOf(medium)]}`);

  const part = `${UPLOADS} uploads at once`;
  const megabytes = media.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6;
  return [
    noted('sent, in', `${megabytes.toFixed(0)} MB, ${seconds.toFixed(1)} s`),
    noted('answers', tally(statuses)),
    atMost('5xx', statuses.filter((status) => status >= 500).length, 0),
    atMost('answered otherwise than they are alone', otherwise.length, 0),
    noted('resident before, when each kind had been uploaded twice', `${before.toFixed(0)} MiB`),
    atMost('resident at the peak, above before', Math.max(0, above), MAX_MIB, 'MiB'),
  ].map((figure) => ({ ...figure, part }));
}

async function oneThatIsLong(service: Service): Promise<Figure[]> {
  const { replica, host, world } = service;
  const size = settings.quick ? LONG_BYTES / 8 : LONG_BYTES;
  // so that the way has been gone once
  await chunked(service, longVideo(40_000_000), 40_000_000);
  await pause(2_000);
  const before = residentOf(replica.pid);
  const watch = new MemoryWatch(replica.pid);
  const bytesAt = longVideo(size);
  const began = performance.now();
  const { key, segments, refused, state } = await chunked(service, bytesAt, size);
  const seconds = (performance.now() - began) / 1_000;
  const library = `/12/accounts/${world.account.id}/media_library?media_key=${key}`;
  const added = await ask(replica.port, signed(host, world.pen, 'POST', library));
  const url = (JSON.parse(added.body) as { data?: { media_url: string } }).data?.media_url ?? `http://${host}/none`;
  const last = await fetch(url, { headers: { range: 'bytes=-1000000' } });
  const served = Buffer.from(await last.arrayBuffer());
  const same = last.status === 206 && served.equals(bytesAt(size - 1_000_000, size));
  const above = watch.highest() - before;

  const part = 'a video in segments';
  return [
    noted('sent, in', `${(size / 1024 / 1024).toFixed(0)} MiB in ${segments} segments, ${seconds.toFixed(1)} s`),
    atMost('segments refused', refused, 0),
    { name: 'state in the end', measured: state, promise: 'succeeded', ok: state === 'succeeded' },
    { name: 'its last megabyte, served again', measured: same ? 'the same' : 'another', promise: 'the same', ok: same },
    noted('resident before, when a shorter one had been uploaded', `${before.toFixed(0)} MiB`),
    atMost('resident at the peak, above before', Math.max(0, above), MAX_LONG_MIB, 'MiB'),
  ].map((figure) => ({ ...figure, part }));
}

/** Uploads a file in one request; answers its status, or 0 where there was no answer. */
function upload(service: Service, { category, bytes, manner }: Medium): Promise<number> {
  const sending = multipart({ media_category: category }, bytes);
  return post(service, sending, { manner }).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Uploads a file in segments, several at a time, and waits until it was looked at. */
async function chunked(service: Service, bytesAt: (start: number, end: number) => Buffer, size: number) {
  const command = async (params: Record<string, string>) =>
    JSON.parse((await post(service, multipart(params))).body) as { media_id_string: string; media_key: string };
  const { media_id_string: id, media_key: key } = await command({
    command: 'INIT',
    total_bytes: `${size}`,
    media_type: 'video/mp4',
    media_category: 'post_video',
  });
  const segments = Math.ceil(size / SEGMENT_BYTES);
  let next = 0;
  let refused = 0;
  const send = async () => {
    while (next < segments) {
      const index = next++;
      const bytes = bytesAt(index * SEGMENT_BYTES, Math.min(size, (index + 1) * SEGMENT_BYTES));
      const params = { command: 'APPEND', media_id: id, segment_index: `${index}` };
      if ((await post(service, multipart(params, bytes))).status !== 204) refused++;
    }
  };
  await Promise.all(Array.from({ length: SEGMENTS_AT_ONCE }, send));
  await command({ command: 'FINALIZE', media_id: id });
  return { key, segments, refused, state: await stateOf(service, id) };
}

async function stateOf({ replica, host, world }: Service, id: string): Promise<string> {
  const target = `${UPLOAD}?command=STATUS&media_id=${id}`;
  for (const deadline = performance.now() + PROCESSED_WITHIN_MS; ; await pause(200)) {
    const { status, body } = await ask(replica.port, signed(host, world.pen, 'GET', target));
    const { processing_info: info } = JSON.parse(body) as { processing_info?: { state: string } };
    if (status !== 200 || !info) return `status ${status}`;
    if (['succeeded', 'failed'].includes(info.state) || performance.now() > deadline) return info.state;
  }
}
