import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres } from './support/creates.js';
import { ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

const KEYS = () => (settings.quick ? 200 : 1_000);
const COPIES = 20;
const KILLS = () => (settings.quick ? 4 : 20);
/** Between the starts of the keys, so that they last as long as the kills. */
const KEY_EVERY_MS = 60;
/** The copies of a key are spread over this time. */
const SPREAD_MS = 3_000;
const PATIENCE_MS = 60_000;
const NAME = 'Once';

/** A key with the responses to its copies. */
interface Key {
  n: number;
  value: string;
  bodies: Set<string>;
  replayed: number;
}

/**
 * Clients send each request twenty times with one Idempotency-Key, to two replicas of which one is killed again and
 * again: each key has one effect and one response.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage);
    const { replicas, world } = cluster;
    const statuses = new Map<string, number>();
    const keys = Array.from({ length: KEYS() }, (_, n): Key => {
      return { n, value: randomUUID(), bodies: new Set(), replayed: 0 };
    });
    const sending = Promise.all(keys.map((key) => sendCopies(cluster, key, statuses)));
    // a replica that does not start ends the proof first
    sending.catch(() => undefined);
    let kills = 0;
    for (; kills < KILLS(); kills++) {
      await pause(500 + Math.random() * 1_000);
      const replica = replicas[kills % replicas.length];
      await replica.kill();
      await replica.start();
    }
    await sending;
    const stored = await onPostgres(world.databaseUrl, (query) =>
      query(`SELECT name, count(*)::int AS count FROM campaigns WHERE name LIKE $1 GROUP BY name`, [`${NAME} %`]),
    );
    const counts = (stored as { count: number }[]).map(({ count }) => count);
    return [
      noted('keys, copies of each, kills', `${keys.length}, ${COPIES}, ${kills}`),
      noted('answers', [...statuses].map(([status, count]) => `${status}: ${worded(count)}`).join(', ')),
      atLeast('keys with an effect', counts.length, keys.length),
      atMost('keys with more than one effect', counts.filter((count) => count > 1).length, 0),
      atMost('keys with different responses', keys.filter(({ bodies }) => bodies.size !== 1).length, 0),
      atLeast('repeated responses', sum(keys.map(({ replayed }) => replayed)), keys.length),
      atMost('answers other than 201, 409 and 503', odd(statuses), 0),
      atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
    ];
  });
}

/** Sends the copies of a key, then more of them until one has succeeded and another one was its repetition. */
async function sendCopies(cluster: Cluster, key: Key, statuses: Map<string, number>): Promise<void> {
  await pause(key.n * KEY_EVERY_MS);
  const copies = Array.from({ length: COPIES }, async (_, copy) => {
    await pause(copy === 0 ? 0 : Math.random() * SPREAD_MS);
    await sendCopy(cluster, key, copy, statuses);
  });
  await Promise.all(copies);
  const deadline = performance.now() + PATIENCE_MS;
  for (let copy = COPIES; key.bodies.size === 0 || key.replayed === 0; copy++) {
    if (performance.now() > deadline) throw new Error(`no request with key ${key.n} succeeded and was repeated`);
    await pause(100);
    await sendCopy(cluster, key, copy, statuses);
  }
}

async function sendCopy(
  { replicas, host, world }: Cluster,
  key: Key,
  copy: number,
  statuses: Map<string, number>,
): Promise<void> {
  const { id, fundingId } = world.written[key.n % world.written.length];
  const target = `/12/accounts/${id}/campaigns?funding_instrument_id=${fundingId}&name=${NAME}%20${key.n}&entity_status=PAUSED&daily_budget_amount_local_micro=5500000`;
  const request = signed(host, world.pen, 'POST', target);
  request.headers['idempotency-key'] = key.value;
  const answer = await ask(replicas[(key.n + copy) % replicas.length].port, request).catch(() => undefined);
  const status = String(answer?.status ?? 'dropped');
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (answer?.status !== 201) return;
  key.bodies.add(answer.body);
  if (answer.headers['idempotent-replayed'] === 'true') key.replayed++;
}

const EXPECTED = new Set(['201', '409', '503', 'dropped']);
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
const odd = (statuses: Map<string, number>): number =>
  sum([...statuses].filter(([status]) => !EXPECTED.has(status)).map(([, count]) => count));
