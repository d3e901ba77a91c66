import { randomBytes } from 'node:crypto';
import pg, { type Client } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { Database } from '../database.js';
import { run } from '../query/statement.js';

/** All our channels travel on one of PostgreSQL's, so that one LISTEN is enough. */
const WIRE = 'marquee';
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const HEARTBEAT_MS = 5_000;

interface DatabaseNotification {
  channel: string;
  payload: string;
}

/**
 * Tells every process that shares the database that something changed, so that none keeps an old copy. Payloads are
 * short (8,000 bytes at most), and a notice may be lost: after a gap whoever caches has to forget everything.
 */
export class DatabaseNotifications {
  private readonly hearing = new Map<string, Set<(payload: string) => void>>();
  private readonly forgetting = new Set<() => void>();
  /** Marks what this process sent, which it has heard already when it comes back. */
  private readonly from = randomBytes(6).toString('hex');
  private readonly uncommitted = new WeakMap<QueryRunner, DatabaseNotification[]>();
  private client?: Client;
  private timer?: NodeJS.Timeout;
  private running = false;
  private listening = false;

  constructor(private readonly store: Database) {
    store.dataSource.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => this.settle(queryRunner, true),
      afterTransactionRollback: ({ queryRunner }) => this.settle(queryRunner, false),
    });
  }

  /**
   * Sends a notice, in the transaction of `db` if it has one. This process hears it at once: before the promise is
   * kept, or, in a transaction, before the promise of the transaction is.
   */
  async publish(db: EntityManager, channel: string, payload: string): Promise<void> {
    const runner = db.queryRunner?.isTransactionActive ? db.queryRunner : undefined;
    if (runner) this.uncommitted.set(runner, [...(this.uncommitted.get(runner) ?? []), { channel, payload }]);
    try {
      if (!this.store.embedded) {
        const text = JSON.stringify({ channel, payload, from: this.from });
        await run(db, { text: 'SELECT pg_notify($1, $2)', values: [WIRE, text] });
      }
    } finally {
      // what it is about has happened, whether or not the others could be told
      if (!runner) this.tell({ channel, payload });
    }
  }

  /** Calls back for every notice on a channel. Returns what ends that. */
  on(channel: string, hear: (payload: string) => void): () => void {
    const own = this.hearing.get(channel) ?? new Set();
    this.hearing.set(channel, own.add(hear));
    return () => void own.delete(hear);
  }

  /** Calls back when notifications may have been missed: the connection was lost, or is there again. */
  onGap(forget: () => void): () => void {
    this.forgetting.add(forget);
    return () => void this.forgetting.delete(forget);
  }

  /** Whether the notifications of other processes arrive. The embedded store has no other processes. */
  get connected(): boolean {
    return this.store.embedded ? this.running : this.listening;
  }

  /** Begins to listen. Where the server cannot be reached it keeps trying, and the promise is kept all the same. */
  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    if (!this.store.embedded) await this.connect(SHORTEST_PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.running = false;
    this.listening = false;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private async connect(nextPause: number): Promise<void> {
    const client = new pg.Client({ ...this.store.server, query_timeout: HEARTBEAT_MS });
    this.client = client;
    const lost = () => this.lose(client, nextPause);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => {
      const notice = read(payload);
      if (notice && notice.from !== this.from) this.tell(notice);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${WIRE}`);
    } catch {
      return lost();
    }
    if (this.client !== client) return;
    this.listening = true;
    for (const forget of this.forgetting) forget();
    this.beat(client);
  }

  /** A connection can be dead without a word; what is asked on it and not answered shows that. */
  private beat(client: Client): void {
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.client === client && this.beat(client),
        () => this.lose(client, SHORTEST_PAUSE_MS),
      );
    }, HEARTBEAT_MS);
    this.timer.unref();
  }

  private lose(client: Client, nextPause: number): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    const wait = this.listening ? SHORTEST_PAUSE_MS : nextPause;
    if (this.listening) {
      this.listening = false;
      for (const forget of this.forgetting) forget();
    }
    if (!this.running) return;
    this.timer = setTimeout(() => void this.connect(Math.min(wait * 2, LONGEST_PAUSE_MS)), wait);
    this.timer.unref();
  }

  private tell({ channel, payload }: DatabaseNotification): void {
    for (const hear of this.hearing.get(channel) ?? []) hear(payload);
  }

  /** The end of a savepoint decides nothing yet. */
  private settle(runner: QueryRunner, committed: boolean): void {
    if (runner.isTransactionActive) return;
    const notifications = this.uncommitted.get(runner) ?? [];
    this.uncommitted.delete(runner);
    if (committed) for (const notice of notifications) this.tell(notice);
  }
}

/** Anybody who may connect may notify; what is not ours is no notice. */
function read(text = ''): (DatabaseNotification & { from: string }) | undefined {
  try {
    const notice = JSON.parse(text) as Partial<DatabaseNotification & { from: string }> | null;
    const { channel, payload, from } = notice ?? {};
    if (typeof channel !== 'string' || typeof payload !== 'string' || typeof from !== 'string') return undefined;
    return { channel, payload, from };
  } catch {
    return undefined;
  }
}
