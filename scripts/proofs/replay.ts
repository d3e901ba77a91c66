import { attempted } from './support/attempted.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { ask, type Sendable, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

const COPIES = 20;
/** Requests signed right after the incident, which have to be accepted. */
const AFTERWARDS = 200;
/** Captured requests whose copies are underway at the same time. */
const AT_ONCE = 8;

const INCIDENTS: Record<string, (cluster: Cluster) => unknown> = {
  'nothing happens': () => undefined,
  'Redis flushed': ({ redis }) => redis.flush(),
  'Redis restarted': async ({ redis }) => {
    await redis.stop();
    await redis.restart();
  },
  'Redis stopped': ({ redis }) => redis.stop(),
};

/**
 * Captured requests, sent again and again to two replicas: each is accepted at most once, whatever happens to Redis half
 * way, and what is signed after that is accepted at once.
 */
export async function prove(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [part, incident] of Object.entries(INCIDENTS)) {
    const outcome = withStage(async (stage) => replayed(await startCluster(stage), incident));
    const found = await attempted(() => outcome);
    figures.push(...found.map((figure) => ({ ...figure, part })));
  }
  return figures;
}

async function replayed(cluster: Cluster, incident: (cluster: Cluster) => unknown): Promise<Figure[]> {
  const { world, host, replicas } = cluster;
  const make = () => signed(host, world.pen, 'GET', `/12/accounts/${world.account.id}`);
  const tally = new Tally(replicas.map(({ port }) => port));
  const captured = Array.from({ length: settings.quick ? 200 : 1_000 }, make);
  const half = captured.slice(0, captured.length / 2);
  await tally.sendAll(half, COPIES / 2);
  const before = tally.accepted();

  await incident(cluster);
  const began = performance.now();
  const fresh = Array.from({ length: AFTERWARDS }, make);
  await tally.sendAll(fresh, COPIES);
  const settledMs = performance.now() - began;
  await tally.sendAll([...half, ...captured], COPIES / 2);

  const twice = [...tally.counts.values()].filter((count) => count > 1).length;
  const served = fresh.filter((request) => tally.counts.get(request) === 1).length;
  return [
    noted('sent; accepted', `${tally.sent}; ${tally.accepted()} of ${captured.length + AFTERWARDS}`),
    atLeast(`accepted before, of ${half.length}`, before, half.length),
    atMost('accepted twice', twice, 0),
    atLeast(`accepted of ${AFTERWARDS} that were signed afterwards`, served, AFTERWARDS),
    noted('these took', `${settledMs.toFixed(0)} ms`),
    atMost(`answers other than 200 and 401 ${JSON.stringify([...tally.others])}`, tally.others.size, 0),
  ];
}

/** Sends copies to the replicas in turn and counts how often each request was accepted. */
class Tally {
  readonly counts = new Map<Sendable, number>();
  /** Answers that are neither 200 nor 401. */
  readonly others = new Map<number, number>();
  sent = 0;

  constructor(private readonly ports: number[]) {}

  accepted(): number {
    return this.counts.size;
  }

  async sendAll(requests: Sendable[], copies: number): Promise<void> {
    const queue = requests.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const request of queue) await Promise.all(Array.from({ length: copies }, () => this.send(request)));
      }),
    );
  }

  private async send(request: Sendable): Promise<void> {
    const { status } = await ask(this.ports[this.sent++ % this.ports.length], request);
    if (status === 200) this.counts.set(request, (this.counts.get(request) ?? 0) + 1);
    else if (status !== 401) this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }
}
