import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { EntityManager, QueryRunner } from 'typeorm';
import { inBackground } from '../../concurrency/background.js';
import type { Database } from '../database.js';
import { BoundedClient } from '../postgres/bounded-client.js';
import { run } from '../query/statement.js';

/** The PostgreSQL channel that carries all messages, so that one LISTEN is enough. */
const POSTGRES_CHANNEL = 'marquee';
const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 5_000;
/** Interval of checks that the connection is alive, and their timeout. */
const HEARTBEAT_MS = 1_000;
/** The channel of a check behind a pooler, and its timeout: the message may wait there for a connection. */
const ECHO_CHANNEL = 'echo';
const ECHO_LIMIT_MS = 3_000;

interface DatabaseNotification {
  channel: string;
  payload: string;
}

/**
 * Messages between the processes that share the database (LISTEN and NOTIFY), which invalidate each other's caches. A
 * payload has less than 8,000 bytes. Messages sent while the connection is interrupted are lost: subscribers that rely
 * on them must also listen for interruptions, and then clear their caches.
 */
export class DatabaseNotifications {
  private readonly logger = new Logger('Notifications');
  private readonly listeners = new Map<string, Set<(payload: string) => void>>();
  private readonly interruptionListeners = new Set<() => void>();
  /** Identifies this process's own messages, which are already delivered when PostgreSQL sends them back. */
  private readonly sender = randomBytes(6).toString('hex');
  /** Sent in transactions that are still open. */
  private readonly uncommitted = new WeakMap<QueryRunner, DatabaseNotification[]>();
  /** Called when a message that this process sent to itself arrives. */
  private heardEcho = (): void => undefined;
  private client?: BoundedClient;
  private timer?: NodeJS.Timeout;
  private started = false;
  private listening = false;
  private wasLost = false;

  constructor(private readonly store: Database) {
    store.dataSource.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => this.endTransaction(queryRunner, true),
      afterTransactionRollback: ({ queryRunner }) => this.endTransaction(queryRunner, false),
    });
  }

  /**
   * Sends a message, in the transaction of `db` if it has one. The listeners of this process are called before the
   * promise resolves, or, in a transaction, before the promise of the transaction does.
   */
  async publish(db: EntityManager, channel: string, payload: string): Promise<void> {
    const runner = db.queryRunner?.isTransactionActive ? db.queryRunner : undefined;
    if (runner) this.uncommitted.set(runner, [...(this.uncommitted.get(runner) ?? []), { channel, payload }]);
    try {
      if (!this.store.embedded) await this.send(db, { channel, payload });
    } finally {
      // the change has happened, even if the message could not be sent to other processes
      if (!runner) this.deliver({ channel, payload });
    }
  }

  private send(db: EntityManager, message: DatabaseNotification): Promise<unknown> {
    const text = JSON.stringify({ ...message, from: this.sender });
    return run(db, { text: 'SELECT pg_notify($1, $2)', values: [POSTGRES_CHANNEL, text] });
  }

  /** Calls a listener for every message on a channel. Returns a function that ends the subscription. */
  on(channel: string, listener: (payload: string) => void): () => void {
    const own = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, own.add(listener));
    return () => void own.delete(listener);
  }

  /** Calls a listener when messages may be lost: when the connection is lost, and when it is restored. */
  onInterruption(listener: () => void): () => void {
    this.interruptionListeners.add(listener);
    return () => void this.interruptionListeners.delete(listener);
  }

  /** Whether the messages of other processes arrive. An embedded store is used by one process only. */
  get connected(): boolean {
    return this.store.embedded ? this.started : this.listening;
  }

  /** Starts to listen. Resolves after the first attempt; while the server is unreachable, it retries. */
  async start(): Promise<void> {
    if (this.started) return;
    this.started = true;
    if (!this.store.embedded) await this.connect(MIN_RECONNECT_DELAY_MS);
  }

  async stop(): Promise<void> {
    this.started = false;
    this.listening = false;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** `delayMs`: how long to wait before the next attempt if this one fails. */
  private async connect(delayMs: number): Promise<void> {
    const client = new BoundedClient({ ...this.store.server, statement_timeout: HEARTBEAT_MS });
    this.client = client;
    const onLoss = () => this.reconnectAfterLoss(client, delayMs);
    client.on('error', onLoss);
    client.on('end', onLoss);
    client.on('notification', ({ payload }) => {
      const message = parseNotification(payload);
      if (message && message.from !== this.sender) this.deliver(message);
      else if (message?.channel === ECHO_CHANNEL && this.client === client) this.heardEcho();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${POSTGRES_CHANNEL}`);
      if (this.store.isPooled) await this.echo();
    } catch {
      return onLoss();
    }
    if (this.client !== client) return;
    this.listening = true;
    if (this.wasLost) this.logger.warn('messages from other replicas arrive again');
    this.wasLost = false;
    for (const listener of this.interruptionListeners) listener();
    this.scheduleHeartbeat(client);
  }

  /** Rejects unless a message to itself arrives: behind a pooler, the connection may lead to another server. */
  private async echo(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const heard = new Promise<void>((resolve, reject) => {
      this.heardEcho = resolve;
      timer = setTimeout(() => reject(new Error('no message arrives')), ECHO_LIMIT_MS);
    });
    try {
      await Promise.all([heard, this.send(this.store.dataSource.manager, { channel: ECHO_CHANNEL, payload: '' })]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A connection can be lost without an event; a statement that times out, or a lost message, shows it. */
  private scheduleHeartbeat(client: BoundedClient): void {
    this.timer = setTimeout(() => {
      const alive: Promise<unknown> = this.store.isPooled ? this.echo() : client.query('SELECT 1');
      alive.then(
        () => this.client === client && this.scheduleHeartbeat(client),
        () => this.reconnectAfterLoss(client, MIN_RECONNECT_DELAY_MS),
      );
    }, HEARTBEAT_MS);
    this.timer.unref();
  }

  private reconnectAfterLoss(client: BoundedClient, delayMs: number): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    const wait = this.listening ? MIN_RECONNECT_DELAY_MS : delayMs;
    if (this.listening) {
      this.listening = false;
      this.wasLost = true;
      this.logger.warn(
        'messages from other replicas do not arrive; until they do, this replica sees changes of the others up to half a second late',
      );
      for (const listener of this.interruptionListeners) listener();
    }
    if (!this.started) return;
    this.timer = setTimeout(
      () => inBackground(this.connect(Math.min(wait * 2, MAX_RECONNECT_DELAY_MS)), 'connecting for notifications'),
      wait,
    );
    this.timer.unref();
  }

  private deliver({ channel, payload }: DatabaseNotification): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(payload);
  }

  /** Delivers the messages of a committed transaction. Also called at the end of a savepoint, which it ignores. */
  private endTransaction(runner: QueryRunner, committed: boolean): void {
    if (runner.isTransactionActive) return;
    const notifications = this.uncommitted.get(runner) ?? [];
    this.uncommitted.delete(runner);
    if (committed) for (const message of notifications) this.deliver(message);
  }
}

/** Undefined for foreign messages: every role that may connect to the database may send on the channel. */
function parseNotification(text = ''): (DatabaseNotification & { from: string }) | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<DatabaseNotification & { from: string }> | null;
    const { channel, payload, from } = parsed ?? {};
    if (typeof channel !== 'string' || typeof payload !== 'string' || typeof from !== 'string') return undefined;
    return { channel, payload, from };
  } catch {
    return undefined;
  }
}
