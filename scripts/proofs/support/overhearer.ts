import type { Captured } from './load/task.js';
import { ask } from './requests.js';
import type { Cluster } from './cluster.js';

const PER_SECOND = 100;

/** Somebody who has overheard requests and sends them again, to each replica in turn. */
export class Overhearer {
  /** By what was signed: the request, and how often it was accepted. */
  private readonly heard = new Map<string, { request: Captured; accepted: number }>();
  private readonly statuses = new Map<string, number>();
  private readonly underway = new Set<Promise<void>>();
  sent = 0;

  constructor(private readonly cluster: Pick<Cluster, 'replicas' | 'host'>) {}

  get size(): number {
    return this.heard.size;
  }

  /** Remembers requests; those whose answer is not known are left out, for they may have been accepted. */
  hear(requests: Captured[]): void {
    for (const request of requests) {
      if (request.status === undefined || request.status <= 0 || request.status === 502) continue;
      if (this.heard.has(request.authorization)) continue;
      const accepted = request.status >= 200 && request.status < 300 ? 1 : 0;
      this.heard.set(request.authorization, { request, accepted });
    }
  }

  /** Sends all that was heard so far to both replicas, slowly enough not to be load itself; not waited for. */
  replay(): void {
    const all = [...this.heard.values()];
    const { replicas } = this.cluster;
    all.forEach((each, i) => {
      const sending = new Promise<void>((resolve) => setTimeout(resolve, (i * 1_000) / PER_SECOND)).then(() =>
        Promise.all(replicas.map(({ port }) => this.send(port, each))),
      );
      const tracked = sending.then(() => void this.underway.delete(tracked));
      this.underway.add(tracked);
    });
  }

  async done(): Promise<void> {
    await Promise.all(this.underway);
  }

  /** Requests that were accepted more than once, whoever sent them. */
  twice(): number {
    return [...this.heard.values()].filter(({ accepted }) => accepted > 1).length;
  }

  answers(): string {
    return [...this.statuses].map(([status, count]) => `${status}: ${count.toLocaleString('en')}`).join(', ');
  }

  private async send(port: number, heard: { request: Captured; accepted: number }): Promise<void> {
    const { method, target, authorization } = heard.request;
    this.sent++;
    const headers = { host: this.cluster.host, authorization };
    const status = await ask(port, { method, target, headers }).then(
      (answer) => answer.status,
      () => 'dropped' as const,
    );
    if (typeof status === 'number' && status >= 200 && status < 300) heard.accepted++;
    this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1);
  }
}
