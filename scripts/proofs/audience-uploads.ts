import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const AUDIENCES = 4;
/** Uploads under way at a time. */
const AT_ONCE = 8;
const PEOPLE = 200;
/** Between two kills. */
const PAUSE_MS = 1_500;
/** The debounce, the look of a job, and what a killed one held. */
const SETTLED_WITHIN_MS = 180_000;

/**
 * Replicas are killed in turn while people are uploaded. What was acknowledged is there, whole; what was not is there whole or
 * not at all; and in the end every audience has the size that its people make.
 */
export function prove(): Promise<Figure[]> {
  const kills = settings.quick ? 3 : 10;
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, {
      // only there sizes are those that were counted
      environment: { NODE_ENV: 'development', DEMO: 'false', AUDIENCE_MATCHING: 'all', AUDIENCE_MINIMUM_SIZE: '1' },
    });
    return onPostgres(cluster.world.databaseUrl, async (query) => {
      const audiences = await makeAudiences(cluster);
      const load = new Uploads(cluster, audiences);
      const ended = load.run();
      for (let n = 0; n < kills; n++) {
        await pause(PAUSE_MS);
        await cluster.replicas[n % 2].kill();
        await cluster.replicas[n % 2].start();
      }
      load.stop();
      await ended;
      const settledMs = await untilSettled(query);
      // first what asks the service: its way to the store goes through this process
      const sizes = await sized(query, cluster, audiences);
      return [
        noted('kills', `${kills}`),
        ...(await whole(query, load)),
        ...sizes,
        atMost('all counted after the last upload', settledMs, SETTLED_WITHIN_MS, 'ms'),
      ];
    });
  });
}

async function makeAudiences({ ask, world }: Cluster): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < AUDIENCES; n++) {
    const { body } = await ask('POST', `/12/accounts/${world.account.id}/custom_audiences?name=Audience%20${n}`);
    ids.push((JSON.parse(body) as { data: { id: string } }).data.id);
  }
  return ids;
}

/** Uploads of people whom nobody else uploads, as fast as they are answered. */
class Uploads {
  sent = 0;
  readonly acknowledged = new Set<number>();
  private stopped = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly audiences: string[],
  ) {}

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.work()));
  }

  stop(): void {
    this.stopped = true;
  }

  private async work(): Promise<void> {
    const { ask, world } = this.cluster;
    while (!this.stopped) {
      const n = this.sent++;
      const target = `/12/accounts/${world.account.id}/custom_audiences/${this.audiences[n % AUDIENCES]}/users`;
      // every other person has two identifiers, and so takes the other way through the store in every other upload
      const users = Array.from({ length: PEOPLE }, (_, i) => ({
        partner_user_id: n % 2 === 0 && i % 2 === 0 ? [personOf(n, i), `${personOf(n, i)} too`] : [personOf(n, i)],
      }));
      const body = JSON.stringify([{ operation_type: 'Update', params: { users } }]);
      const answer = await ask('POST', target, body).catch(() => undefined);
      if (answer?.status === 200) this.acknowledged.add(n);
      else await pause(20);
    }
  }
}

const personOf = (upload: number, i: number) => `person ${upload}-${i}`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function whole(query: Query, { sent, acknowledged }: Uploads): Promise<Figure[]> {
  const rows = (await query(`SELECT encode(hash, 'hex') AS hash FROM audience_identifiers`, [])) as { hash: string }[];
  const held = new Set(rows.map(({ hash }) => hash));
  let lost = 0;
  let halves = 0;
  for (let n = 0; n < sent; n++) {
    const there = Array.from({ length: PEOPLE }, (_, i) => held.has(hashOf(personOf(n, i)))).filter(Boolean).length;
    if (acknowledged.has(n) && there < PEOPLE) lost++;
    if (there > 0 && there < PEOPLE) halves++;
  }
  return [
    noted('uploads sent, acknowledged', `${worded(sent)}, ${worded(acknowledged.size)}`),
    atMost('acknowledged and not wholly there', lost, 0),
    atMost('there by halves', halves, 0),
  ];
}

/** Waits until nobody is to be counted any more, and answers how long that took. */
async function untilSettled(query: Query): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < 2 * SETTLED_WITHIN_MS) {
    const [{ waiting }] = (await query(
      `SELECT count(*)::int AS waiting FROM audience_sizings WHERE "waitingSince" IS NOT NULL OR "dueAt" <= now()`,
      [],
    )) as { waiting: number }[];
    if (waiting === 0) return performance.now() - began;
    await pause(100);
  }
  return Infinity;
}

async function sized(query: Query, { ask, world }: Cluster, audiences: string[]): Promise<Figure[]> {
  const wrong: string[] = [];
  let people = 0;
  for (const id of audiences) {
    const { status, body } = await ask('GET', `/12/accounts/${world.account.id}/custom_audiences/${id}`);
    if (status !== 200) throw new Error(`an audience was answered ${status}: ${body}`);
    const { audience_size } = (JSON.parse(body) as { data: { audience_size: number | null } }).data;
    const [{ persons }] = (await query(
      `SELECT count(DISTINCT person)::int AS persons FROM audience_identifiers WHERE "audienceId" = $1`,
      [id],
    )) as { persons: number }[];
    people += persons;
    if (audience_size !== persons) wrong.push(id);
  }
  return [noted('people', worded(people)), atMost('audiences of another size than their people', wrong.length, 0)];
}
