import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchAccount } from '../../../bench/world.js';
import { type Asked, campaignsOf } from '../races/race.js';
import type { Cluster } from './cluster.js';
import { isLinearizable, type Operation } from './linearizability.js';
import { type Answer, ask, signed } from './requests.js';

/** Of campaigns that nobody changes. */
export const STILL_NAME = 'Still';

/** What is compared of a campaign; null after its deletion. */
type State = { name: string; status: string } | null;
type Changes = { name: string; entity_status?: string };
interface CampaignView {
  id: string;
  name: string;
  entity_status: string;
}

/** One campaign, from the answer to its creation on. */
interface History {
  id: string;
  initial: State;
  operations: Operation<State>[];
}

/** A request, when it was sent and what came back; undefined if nothing or a 503 did, which does not say what happened. */
interface Exchange {
  from: number;
  to: number | undefined;
  answer: Answer | undefined;
}

const stateOf = ({ name, entity_status }: CampaignView): State => ({ name, status: entity_status });
const isSame = (one: State, other: State) => one?.name === other?.name && one?.status === other?.status;

/** Asks for a few campaigns from several clients, and keeps what each request saw. */
export class CampaignHistories {
  requests = 0;
  lost = 0;
  /** Answers that should not occur. */
  readonly odd: Answer[] = [];
  private readonly histories: History[] = [];
  /** The campaigns that are there, or were until a moment ago. */
  private readonly current: History[] = [];
  private readonly written = { acknowledged: [] as string[], rejected: new Set<string>(), seen: new Set<string>() };
  private readonly campaigns;
  private writes = 0;

  constructor(
    private readonly cluster: Cluster,
    account: BenchAccount,
    private readonly keys: number,
  ) {
    this.campaigns = campaignsOf(account);
  }

  /** Creates campaigns that nobody changes, some of them, and as many active ones in all. */
  async fill(still: number, active: number): Promise<void> {
    const names = Array.from({ length: active }, (_, i) => (i < still ? `${STILL_NAME} ${i}` : `Other ${i}`));
    for (let i = 0; i < names.length; i += 40) {
      const operations = names.slice(i, i + 40).map((name) => this.campaigns.creation(name, 'ACTIVE'));
      const { status, body } = await this.send(this.campaigns.batch(operations), 0);
      if (status > 299) throw new Error(`${status} ${body}`);
    }
    for (let key = 0; key < this.keys; key++) await this.create(key, key);
  }

  /** One client: one request after the other, to the replicas in turn. */
  async work(worker: number, until: number): Promise<void> {
    for (let n = worker; Date.now() < until; n++) {
      const key = Math.floor(Math.random() * this.keys);
      const dice = Math.random();
      if (dice < 0.4) await this.read(key, n);
      else if (dice < 0.55) await this.list(n);
      else if (dice < 0.85) await this.update(key, n);
      else if (dice < 0.95) await this.batch(key, n);
      else await this.replace(key, n);
      if (dice < 0.05) await pause(20);
    }
  }

  /** Reads every campaign at the end, also those that were deleted. */
  async readAll(): Promise<void> {
    for (const [i, history] of this.histories.entries()) await this.readOne(history, i);
  }

  /** The ids of campaigns whose answers no order explains. */
  unexplained(): string[] {
    return this.histories
      .filter(({ operations, initial }) => !isLinearizable(operations, initial, (state) => JSON.stringify(state)))
      .map(({ id }) => id);
  }

  /** How many values were seen that a rejected write had. */
  rejectedEffects = (): number => [...this.written.rejected].filter((name) => this.written.seen.has(name)).length;

  /** The names of writes that were answered with success; each write has its own. */
  acknowledged = (): string[] => this.written.acknowledged;

  private async read(key: number, n: number): Promise<void> {
    await this.readOne(this.current[key], n);
  }

  private async readOne(history: History, n: number): Promise<void> {
    const exchange = await this.exchange({ method: 'GET', target: `${this.campaigns.path}/${history.id}` }, n);
    if (exchange.answer) this.saw(history, exchange, viewIn(exchange.answer));
  }

  /** All campaigns at once: those that are missing were deleted. */
  private async list(n: number): Promise<void> {
    const asked = [...this.current];
    const ids = asked.map(({ id }) => id).join();
    const target = `${this.campaigns.path}?count=200&campaign_ids=${encodeURIComponent(ids)}`;
    const exchange = await this.exchange({ method: 'GET', target }, n);
    if (exchange.answer?.status !== 200) return;
    const { data } = JSON.parse(exchange.answer.body) as { data: CampaignView[] };
    for (const history of asked) this.saw(history, exchange, data.find(({ id }) => id === history.id) ?? null);
  }

  private async update(key: number, n: number): Promise<void> {
    const history = this.current[key];
    const changes = this.changes();
    const exchange = await this.exchange(this.campaigns.update(history.id, { ...changes }), n);
    this.wrote([[history, changes]], exchange);
  }

  /** Two campaigns, or none of them. */
  private async batch(key: number, n: number): Promise<void> {
    const both = [...new Set([this.current[key], this.current[(key + 1) % this.keys]])];
    const written = both.map((history): [History, Changes] => [history, this.changes()]);
    const operations = written.map(([{ id }, changes]) => this.campaigns.change(id, changes));
    this.wrote(written, await this.exchange(this.campaigns.batch(operations), n));
  }

  /** Deletes one and creates another in its place. */
  private async replace(key: number, n: number): Promise<void> {
    const history = this.current[key];
    const exchange = await this.exchange(this.campaigns.delete(history.id), n);
    const { from, to, answer } = exchange;
    const isGone = answer?.status === 404;
    if (answer && !isGone && answer.status > 299) return;
    history.operations.push({
      ...{ from, to },
      apply: (found) => (answer && isGone !== (found === null) ? undefined : null),
    });
    if (this.current[key] === history && answer) await this.create(key, n);
  }

  /** With a key, by which it is sent again until it is answered. */
  private async create(key: number, n: number): Promise<void> {
    const { name, entity_status } = this.changes();
    const id = randomUUID();
    for (let attempt = 0; ; attempt++) {
      const asked = this.campaigns.create(name, entity_status ?? 'PAUSED');
      const { answer } = await this.exchange(asked, n + attempt, { 'idempotency-key': id });
      const view = answer && viewIn(answer);
      if (view) {
        const history = { id: view.id, initial: stateOf(view), operations: [] };
        this.written.acknowledged.push(name);
        this.histories.push(history);
        this.current[key] = history;
        return;
      }
      // there may be no place for an active one
      if (answer) {
        this.written.rejected.add(name);
        return this.create(key, n);
      }
      await pause(200);
    }
  }

  private changes(): Changes {
    const name = `Write ${++this.writes}`;
    const dice = Math.random();
    return dice < 0.3 ? { name } : { name, entity_status: dice < 0.65 ? 'ACTIVE' : 'PAUSED' };
  }

  private saw({ operations }: History, { from, to }: Exchange, view: CampaignView | null): void {
    const seen = view && stateOf(view);
    if (seen) this.written.seen.add(seen.name);
    operations.push({ from, to, apply: (found) => (isSame(found, seen) ? found : undefined), isRead: true });
  }

  private wrote(written: [History, Changes][], { from, to, answer }: Exchange): void {
    const isDone = answer && answer.status < 300;
    if (answer && !isDone) {
      for (const [, { name }] of written) this.written.rejected.add(name);
      // a single one that is not found was deleted; of several, one of them was
      if (answer.status === 404 && written.length === 1)
        written[0][0].operations.push({
          from,
          to,
          apply: (found) => (found === null ? found : undefined),
          isRead: true,
        });
      return;
    }
    for (const [{ operations }, { name, entity_status }] of written) {
      if (isDone) this.written.acknowledged.push(name);
      const apply = (found: State): State | undefined => {
        if (found === null) return isDone ? undefined : null;
        return { name, status: entity_status ?? found.status };
      };
      operations.push({ from, to, apply });
    }
  }

  private async exchange(asked: Asked, n: number, headers: Record<string, string> = {}): Promise<Exchange> {
    this.requests++;
    const from = performance.now();
    const answer = await this.send(asked, n, headers).catch(() => undefined);
    const to = performance.now();
    const says = answer && answer.status !== 503 && answer.status !== 409;
    if (!says) {
      this.lost++;
      await pause(50);
      return { from, to: undefined, answer: undefined };
    }
    if (![200, 201, 400, 404].includes(answer.status)) this.odd.push(answer);
    return { from, to, answer };
  }

  private send({ method, target, body }: Asked, n: number, headers: Record<string, string> = {}): Promise<Answer> {
    const { world, host, replicas } = this.cluster;
    const request = signed(host, world.pen, method, target, body && JSON.stringify(body));
    return ask(replicas[n % replicas.length].port, { ...request, headers: { ...request.headers, ...headers } });
  }
}

/** The campaign in an answer; null if it has none. */
const viewIn = ({ status, body }: Answer): CampaignView | null =>
  status < 300 ? (JSON.parse(body) as { data: CampaignView }).data : null;
