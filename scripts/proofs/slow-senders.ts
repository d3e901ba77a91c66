import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { Load } from './support/load/load.js';
import { byStatus, succeeded } from './support/load/log.js';
import { ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { startSlowSenders } from './support/slow/slow.js';
import type { SlowTask } from './support/slow/task.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';
import { Watch } from './support/watch.js';

const SENDERS = 2_000;
const READS_PER_SECOND = 100;
/** What an honest client on a slow line sends. */
const HONEST_BYTES_PER_SECOND = 300_000;
const HONEST_ADDRESS = '127.0.0.9';
/** After it the service may hold no body of a sender that is gone. */
const FORGOTTEN_WITHIN_MS = 10_000;
const UPLOAD = '/1.1/media/upload.json';

const ONE = ['127.0.0.2'];
const TWENTY = Array.from({ length: 20 }, (_, i) => `127.0.1.${i + 1}`);

/** 2,000 clients whose bodies arrive byte by byte keep nobody else from being answered. */
export const prove = (): Promise<Figure[]> =>
  withStage(async (stage) => {
    const cluster = await startCluster(stage, { campaigns: 1_000 });
    const [replica] = cluster.replicas;
    const attacks: [part: string, port: number, addresses: string[], kinds: SlowTask['kinds']][] = [
      ['through nginx, uploads from one address', cluster.port, ONE, ['upload']],
      ['through nginx, uploads and forms from twenty addresses', cluster.port, TWENTY, ['upload', 'form']],
      ['straight to a replica, unsigned forms from one address', replica.port, ONE, ['form']],
      ['straight to a replica, unsigned forms from twenty addresses', replica.port, TWENTY, ['form']],
    ];
    const figures: Figure[] = [];
    for (const [part, port, addresses, kinds] of attacks.filter(([name]) => name.includes(settings.only))) {
      console.log(`  ${part}`);
      const found = await attacked(stage, cluster, { port, addresses, kinds });
      figures.push(...found.map((figure) => ({ ...figure, part })));
    }
    const crashes = cluster.replicas[0].crashes + cluster.replicas[1].crashes;
    return [...figures, atMost('replicas that ended by themselves', crashes, 0)];
  });

async function attacked(
  stage: Stage,
  cluster: Cluster,
  { port, addresses, kinds }: Pick<SlowTask, 'port' | 'addresses' | 'kinds'>,
): Promise<Figure[]> {
  const { world, host } = cluster;
  const endSenders = startSlowSenders(stage, { port, addresses, kinds, host, senders: SENDERS, pen: world.stranger });
  // until all of them are connected
  await pause(4_000);
  const account = `/12/accounts/${world.account.id}`;
  const load = Load.start(stage, {
    port,
    host,
    pen: world.pen,
    requests: [account, `${account}/campaigns?count=20`].map((target) => ({ method: 'GET', target })),
    perSecond: READS_PER_SECOND,
    captures: 0,
  });
  const watch = new Watch(cluster.replicas);
  const began = Date.now();
  const [uploaded] = await Promise.all([uploadSlowly(cluster, port), pause(settings.quick ? 8_000 : 30_000)]);
  await watch.end();
  const { entries } = await load.end();
  const { connections, mostOpen, answers } = await endSenders();
  const failed = entries.filter((entry) => !succeeded(entry));
  const ms = entries.map((entry) => entry.ms);
  return [
    atLeast('slow senders, connections that they made', connections, SENDERS),
    noted('most of them open at a time', worded(mostOpen)),
    noted('what they were answered', wordsOf(answers)),
    noted('reads of another tenant', byStatus(entries)),
    { ...atMost('reads that failed', failed.length, 0), measured: byStatus(failed) || '0' },
    noted('reads, median and p99', `${worded(percentile(ms, 0.5), 'ms')}, ${worded(percentile(ms, 0.99), 'ms')}`),
    { ...atMost('replicas that were not ready', watch.lastUnready > began ? 1 : 0, 0) },
    { name: 'an upload at 300 kB/s', measured: `${uploaded}`, promise: '204', ok: uploaded === 204 },
    { name: 'bodies awaited afterwards', ...(await forgotten(cluster)) },
  ];
}

/** Sends a segment at the rate of a slow line; answers its status, or 0 where the connection ended without one. */
async function uploadSlowly(cluster: Cluster, port: number): Promise<number> {
  const bytes = HONEST_BYTES_PER_SECOND * (settings.quick ? 6 : 12);
  const init = `${UPLOAD}?command=INIT&total_bytes=${bytes}&media_type=video%2Fmp4&media_category=post_video`;
  const begun = await ask(port, signed(cluster.host, cluster.world.pen, 'POST', init), false, '127.0.0.1');
  if (begun.status !== 202) return begun.status;
  const { media_id_string: id } = JSON.parse(begun.body) as { media_id_string: string };
  const { headers } = signed(cluster.host, cluster.world.pen, 'POST', UPLOAD);
  const field = (name: string, value: string) =>
    `--honest\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${field('command', 'APPEND')}${field('media_id', id)}${field('segment_index', '0')}--honest\r\nContent-Disposition: form-data; name="media"; filename="a"\r\n\r\n`;
  const tail = '\r\n--honest--\r\n';
  const outgoing = request({
    port,
    host: '127.0.0.1',
    localAddress: HONEST_ADDRESS,
    method: 'POST',
    path: UPLOAD,
    agent: false,
    headers: {
      ...headers,
      'content-type': 'multipart/form-data; boundary=honest',
      'content-length': head.length + bytes + tail.length,
    },
  });
  const answered = new Promise<number>((resolve) => {
    outgoing.on('response', (response) => resolve(response.resume().statusCode!)).on('error', () => resolve(0));
    outgoing.setTimeout(60_000, () => outgoing.destroy());
  });
  outgoing.write(head);
  const piece = HONEST_BYTES_PER_SECOND / 10;
  for (let sent = 0; sent < bytes && !outgoing.destroyed; sent += piece) {
    outgoing.write(randomBytes(piece));
    await pause(100);
  }
  outgoing.end(tail);
  return answered;
}

/** How many bodies the replicas still wait for a while after the senders are gone. */
async function forgotten({ replicas }: Cluster): Promise<Omit<Figure, 'name'>> {
  const pending = async () => {
    const texts = replicas.map(({ port }) => ask(port, { method: 'GET', target: '/metrics', headers: {} }, false));
    const found = (await Promise.all(texts)).map(({ body }) => /^marquee_http_bodies_pending (\d+)$/m.exec(body)?.[1]);
    return found.reduce((sum, each) => sum + Number(each), 0);
  };
  let left = await pending();
  for (const end = performance.now() + FORGOTTEN_WITHIN_MS; left > 0 && performance.now() < end; left = await pending())
    await pause(200);
  return { measured: worded(left), promise: 'none', ok: left === 0 };
}

const wordsOf = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([word, count]) => `${word}: ${count.toLocaleString('en')}`)
    .join(', ');
