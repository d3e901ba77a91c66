import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hashOfSecret } from '../../src/auth/credentials/tokens.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres } from './support/creates.js';
import { cpuSeconds } from './support/cpu.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, longest, succeeded } from './support/load/log.js';
import { freePort } from './support/ports.js';
import { Replica } from './support/replica.js';
import { type Answer, ask } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

const DELAY_MS = 2_000;
/** After each write it is read at these times: at once, while its position is not known, and while replicas replay it. */
const READ_AFTER_MS = [0, 15, 40, 100, 250, 600, 1_200, 2_000, 3_000];
const READS = () => (settings.quick ? 3_000 : 20_000);
/** Each has an account of its own: the writes of others would keep its reads from the replicas. */
const WRITERS = 40;
const PATIENCE_MS = 60_000;
const LISTED = 50;
const BENCH_MS = 20_000;
const WARM_UP_MS = 2_000;

/** A campaign as its writer left it; undefined when it is deleted. */
interface Expected {
  id: string;
  name: string | undefined;
}

/** What was read. */
interface Tally {
  reads: number;
  stale: string[];
  odd: string[];
  /** How often a replica itself was asked right after a write, and did not have it: what a careless service would read. */
  behind: number;
}

/**
 * Two standbys serve reads, one of which is two seconds behind. Clients read what they have just written, again and
 * again, while Redis is emptied and a standby is killed.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, {
      campaigns: settings.quick ? 2_000 : 20_000,
      writtenAccounts: WRITERS,
      readReplicas: [[], [`recovery_min_apply_delay=${DELAY_MS}`]],
    });
    await untilServing(cluster);
    const tally = await ownWrites(cluster, await bearerFor(cluster));
    const [prompt] = cluster.readReplicas;
    const returned = await untilServing(cluster).then(
      () => true,
      () => false,
    );
    const served = await servedBy(cluster.replicas);
    return [
      ...tallied(tally, served, cluster),
      {
        name: 'the killed replica serves again by itself',
        measured: returned ? 'yes' : 'no',
        promise: 'yes',
        ok: returned,
      },
      noted('ports of the replicas', `${prompt.port}, ${cluster.readReplicas[1].port} (2 s behind)`),
      // durations of a trial are not judged
      ...(settings.quick ? [] : await relief(stage, cluster)),
    ];
  });
}

function tallied(
  { reads, stale, odd, behind }: Tally,
  served: Map<string, number>,
  { readReplicas }: Cluster,
): Figure[] {
  const onReplicas = readReplicas.map(({ port }) => served.get(`127.0.0.1:${port}`) ?? 0);
  return [
    noted('reads after own writes', worded(reads)),
    { ...atMost('stale reads after an own write', stale.length, 0), ...(stale.length > 0 && { measured: stale[0] }) },
    { ...atMost('answers other than expected', odd.length, 0), ...(odd.length > 0 && { measured: odd[0] }) },
    atLeast('writes that the delayed replica did not have when it was asked itself', behind, 1),
    atLeast('statements that the prompt replica served', onReplicas[0], reads / 20),
    atLeast('statements that the delayed replica served', onReplicas[1], 1),
    noted(
      'statements by server and by reason for the primary',
      [...served].map(([name, count]) => `${name} ${worded(count)}`).join(', '),
    ),
  ];
}

/** An access token of OAuth 2.0 of the user who signs requests. */
async function bearerFor({ world }: Cluster): Promise<string> {
  const token = randomUUID();
  await onPostgres(world.databaseUrl, (query) =>
    query(
      `WITH given AS (
        INSERT INTO oauth2_grants (id, "userId", "applicationId", scopes, generation, "createdAt", "approvedAt")
        SELECT 'grant', "userId", "applicationId", $2, 1, now(), now() FROM access_tokens WHERE "userId" = $1 LIMIT 1 RETURNING id)
      INSERT INTO oauth2_tokens (id, "grantId", generation, kind, scopes, "expiresAt")
      SELECT $3, id, 1, 'access', $2, now() + interval '1 day' FROM given`,
      [world.author, ['ads.read', 'ads.write'], hashOfSecret(token)],
    ),
  );
  return token;
}

/** Writers, each with a campaign of its own at a time, which they read through both processes. */
async function ownWrites(cluster: Cluster, bearer: string): Promise<Tally> {
  const tally: Tally = { reads: 0, stale: [], odd: [], behind: 0 };
  const delayed = new pg.Pool({ connectionString: databaseOn(cluster, cluster.readReplicas[1].port), max: 2 });
  try {
    const disasters = strike(cluster, tally);
    // a signed request reads what one with a token of OAuth 2.0 wrote
    const tokenOf = (i: number) => (i % 2 === 0 ? bearer : undefined);
    await Promise.all(
      Array.from({ length: WRITERS }, (_, i) => new Writer(cluster, tally, delayed, i, tokenOf(i)).run()),
    );
    await disasters;
  } finally {
    await delayed.end();
  }
  return tally;
}

/** Redis loses everything after a third of the reads, and the prompt replica is dead for a while after two thirds. */
async function strike({ redis, readReplicas: [prompt] }: Cluster, tally: Tally): Promise<void> {
  const after = async (share: number) => {
    while (tally.reads < share * READS()) await pause(20);
  };
  await after(1 / 3);
  await redis.flush();
  await after(2 / 3);
  await prompt.kill();
  await pause(1_000);
  await prompt.restart();
}

class Writer {
  private readonly account: { id: string; fundingId: string };

  constructor(
    private readonly cluster: Cluster,
    private readonly tally: Tally,
    private readonly delayed: pg.Pool,
    private readonly number: number,
    /** An access token of OAuth 2.0 for its writes, which are signed without one. */
    private readonly bearer?: string,
  ) {
    const { written } = cluster.world;
    this.account = written[number];
  }

  async run(): Promise<void> {
    const { tally } = this;
    // so that writes and reads of all writers mix
    await pause((this.number / WRITERS) * READ_AFTER_MS.at(-1)!);
    for (let n = 0; tally.reads < READS(); n++) {
      const name = `Writer${this.number}x${n}`;
      const created = await this.write(
        'POST',
        '',
        `?funding_instrument_id=${this.account.fundingId}&name=${name}&daily_budget_amount_local_micro=5500000`,
      );
      if (created === undefined) continue;
      const { id } = (JSON.parse(created.body) as { data: { id: string } }).data;
      await this.readOften({ id, name });
      if (await this.write('PUT', `/${id}`, `?name=${name}b`)) await this.readOften({ id, name: `${name}b` });
      if (await this.write('DELETE', `/${id}`, '')) await this.readOften({ id, name: undefined });
    }
  }

  /** The answer of a write that was stored. */
  private async write(method: string, path: string, query: string): Promise<Answer | undefined> {
    const target = `${this.base}${path}${query}`;
    const { host, port } = this.cluster;
    const headers = { host, authorization: `Bearer ${this.bearer}` };
    const answer = this.bearer ? await ask(port, { method, target, headers }) : await this.ask(method, target);
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status !== 503) this.tally.odd.push(`${method} ${answer.status}: ${answer.body.slice(0, 200)}`);
    return undefined;
  }

  private async readOften(expected: Expected): Promise<void> {
    const wroteAt = performance.now();
    void this.askDelayed(expected);
    for (const [i, after] of READ_AFTER_MS.entries()) {
      await pause(Math.max(0, wroteAt + after - performance.now()));
      await (i % 2 === 0 ? this.readOne(expected, after) : this.readList(expected, after));
      if (this.tally.reads >= READS()) return;
    }
  }

  private async readOne({ id, name }: Expected, after: number): Promise<void> {
    const answer = await this.ask('GET', `${this.base}/${id}`);
    const read = answer.status === 200 ? (JSON.parse(answer.body) as { data: { name: string } }).data.name : undefined;
    this.judge(
      answer,
      answer.status === 404 || answer.status === 200,
      read === name,
      `GET ${after} ms after: ${read}, not ${name}`,
    );
  }

  private async readList({ id, name }: Expected, after: number): Promise<void> {
    const answer = await this.ask('GET', `${this.base}?campaign_ids=${id}&with_total_count=true&with_draft=true`);
    const { data = [], total_count: total } =
      answer.status === 200 ? (JSON.parse(answer.body) as { data: { name: string }[]; total_count: number }) : {};
    const isRight = data[0]?.name === name && total === (name === undefined ? 0 : 1);
    this.judge(
      answer,
      answer.status === 200,
      isRight,
      `list ${after} ms after: ${data[0]?.name} of ${total}, not ${name}`,
    );
  }

  private judge({ status, headers, body }: Answer, isExpected: boolean, isRight: boolean, story: string): void {
    // not a read: the client is told to come again
    if (status === 503 && headers['retry-after'] !== undefined) return;
    this.tally.reads++;
    if (!isExpected) this.tally.odd.push(`${status}: ${body.slice(0, 200)}`);
    else if (!isRight) this.tally.stale.push(story);
  }

  /** Whether the delayed replica lacks what was written, so that reading from it would be noticed. */
  private async askDelayed({ id, name }: Expected): Promise<void> {
    const { rows } = await this.delayed
      .query<{ name: string }>(`SELECT name FROM campaigns WHERE id = $1 AND "deletedAt" IS NULL`, [id])
      .catch(() => ({ rows: undefined }));
    if (rows && rows[0]?.name !== name) this.tally.behind++;
  }

  private get base(): string {
    return `/12/accounts/${this.account.id}/campaigns`;
  }

  private ask(method: string, target: string): Promise<Answer> {
    return this.cluster.ask(method, target);
  }
}

/** What the replicas take from the primary: lists and single reads at a fixed rate, without and with them. */
async function relief(stage: Stage, cluster: Cluster): Promise<Figure[]> {
  const { DATABASE_REPLICA_URLS: _, ...without } = cluster.environment;
  // these two would share the processors
  await Promise.all(cluster.replicas.map((replica) => replica.end()));
  const figures: Figure[] = [];
  for (const [kind, target, perSecond] of [
    ['GET', '/0000000000001', 200],
    [`lists of ${LISTED}`, `?count=${LISTED}&with_draft=true`, 100],
  ] as const) {
    const shares: number[] = [];
    for (const environment of [without, cluster.environment]) {
      const replica = new Replica(stage, await freePort(), environment);
      await replica.start();
      if (environment !== without) await untilAllServe([replica], cluster.readReplicas.length);
      const { share, entries } = await load(stage, cluster, replica, target, perSecond);
      await replica.end();
      shares.push(share);
      const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry));
      const words = environment === without ? 'without replicas' : 'with replicas';
      figures.push(
        noted(
          `${kind} ${words}: answers, slowest, processor of the primary`,
          `${byStatus(entries)}; ${worded(longest(entries), 'ms')}; ${worded(share * 100, '%')}`,
        ),
        atMost(`${kind} ${words}: failures`, odd.length, 0),
      );
    }
    figures.push(
      atMost(`${kind}: share of the primary's processor time that is left`, (shares[1] / shares[0]) * 100, 60, '%'),
    );
  }
  return figures;
}

async function load(
  stage: Stage,
  { world, host, postgres }: Cluster,
  { port }: Replica,
  target: string,
  perSecond: number,
): Promise<{ share: number; entries: Entry[] }> {
  const requests = [{ method: 'GET', target: `/12/accounts/${world.account.id}/campaigns${target}` }];
  const running = Load.start(stage, { port, host, pen: world.pen, requests, perSecond, captures: 0 });
  await pause(WARM_UP_MS);
  const [began, before] = [performance.now(), cpuSeconds(postgres.pid)];
  await pause(BENCH_MS);
  const share = (cpuSeconds(postgres.pid) - before) / ((performance.now() - began) / 1_000);
  return { share, entries: (await running.end()).entries };
}

const untilServing = ({ replicas, readReplicas }: Cluster) => untilAllServe(replicas, readReplicas.length);

/** Waits until all read replicas serve for all processes, and writes of the time before are behind them. */
async function untilAllServe(replicas: readonly Replica[], count: number): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(100)) {
    const up = await Promise.all(replicas.map((replica) => figures(replica, 'marquee_read_replica_up')));
    if (up.every((found) => [...found.values()].filter((each) => each === 1).length === count)) return;
  }
  throw new Error('the read replicas do not serve');
}

/** How many statements each server served, and why the primary did, over all processes. */
async function servedBy(replicas: readonly Replica[]): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const replica of replicas)
    for (const metric of ['marquee_read_replica_reads_total', 'marquee_read_replica_primary_reads_total'])
      for (const [label, value] of await figures(replica, metric)) sums.set(label, (sums.get(label) ?? 0) + value);
  return sums;
}

/** The values of a metric by its only label. */
async function figures({ port }: Replica, metric: string): Promise<Map<string, number>> {
  const { body } = await ask(port, { method: 'GET', target: '/metrics', headers: {} });
  const found = body.matchAll(new RegExp(`^${metric}\\{\\w+="([^"]*)"\\} (\\S+)$`, 'gm'));
  return new Map([...found].map(([, label, value]) => [label, Number(value)]));
}

function databaseOn({ world }: Cluster, port: number): string {
  const url = new URL(world.databaseUrl);
  url.port = `${port}`;
  return url.href;
}
