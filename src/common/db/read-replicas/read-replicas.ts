import type { QueryConfig } from 'pg';
import { inBackground } from '../../concurrency/background.js';
import { hostAndPort } from '../../../config/database-url.js';
import type { BoundedSettings } from '../postgres/bounded-client.js';
import type { QueryResult } from '../postgres/driver.js';
import type { ServerConnection } from '../postgres/own-connection.js';
import type { Freshness, PrimaryReason, WalPosition } from '../query/freshness.js';
import { isOutdated, type Executor } from '../query/statement.js';
import { chooseReplica } from './choose-replica.js';
import { PrimaryPositions } from './primary-positions.js';
import { dataIdentityOf, ReadReplica, type ReplicaOptions } from './read-replica.js';

/** Time for which positions of the primary are kept beyond the maximum lag. */
const KEEP_MS = 2_000;
const DATA_RETRY_MS = 1_000;

/** The name of the primary among the servers that serve reads. */
const PRIMARY = 'primary';

/** Receives which server served a read, and why a read that may use a replica was sent to the primary. */
export interface ReadObserver {
  served(server: string): void;
  primary(reason: PrimaryReason): void;
}

/** The state of a read replica. */
export type ReplicaReport = Pick<ReadReplica, 'name' | 'state' | 'isInUse' | 'lagMs' | 'failure' | 'settings'>;

/**
 * The standbys that serve reads which opted in. A read gets a server that has replayed the last write of its account
 * and its user; the primary serves it when there is none, or when the replica fails.
 */
export class ReadReplicas {
  readonly maxLagMs: number;
  private readonly positions: PrimaryPositions;
  private readonly replicas: readonly ReadReplica[];
  private data?: string;
  private observer?: ReadObserver;
  private starting?: Promise<void>;
  private stopped = false;

  /** `primary`: a connection to the primary, only for these. Nothing is sent before `start`. */
  constructor(
    private readonly primary: ServerConnection,
    settings: readonly BoundedSettings[],
    options: ReplicaOptions,
  ) {
    this.maxLagMs = options.maxLagMs;
    this.positions = new PrimaryPositions(primary, this.maxLagMs + KEEP_MS);
    this.replicas = settings.map((each) => {
      const name = hostAndPort(new URL(each.connectionString!));
      // a pooler before it may drop the settings of the session start
      return new ReadReplica(name, { ...each, setsAfterConnect: true }, options, this.positions, () => this.data);
    });
  }

  /** Begins to use them; a process that serves no requests does not. Idempotent. */
  start(): Promise<void> {
    return (this.starting ??= (async () => {
      await this.positions.start();
      await this.learnData();
      await Promise.all(this.replicas.map((replica) => replica.start()));
    })());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.starting?.catch(() => undefined);
    await Promise.all([this.positions.stop(), ...this.replicas.map((replica) => replica.stop())]);
  }

  observe(observer: ReadObserver): void {
    this.observer = observer;
  }

  /** A position of the primary at or after everything that was committed before this call. */
  nextPosition(): Promise<WalPosition | undefined> {
    return this.positions.next();
  }

  /** The replicas, for metrics and health checks. */
  get reports(): readonly ReplicaReport[] {
    return this.replicas;
  }

  /** The usage of all their connections, by server and purpose. */
  connections() {
    return Object.fromEntries(
      this.replicas.flatMap(({ name, inUse }) =>
        Object.entries(inUse).map(([purpose, usage]) => [`${name} ${purpose}`, usage]),
      ),
    );
  }

  /** Runs a read on a replica that is fresh enough, or with `onPrimary`. */
  async run(config: QueryConfig, large: boolean, freshness: Freshness, onPrimary: Executor): Promise<QueryResult> {
    const choice = chooseReplica(this.replicas, freshness);
    if ('primaryBecause' in choice) return this.runOnPrimary(choice.primaryBecause, config, onPrimary);
    try {
      const result = await choice.replica.run(config, large);
      this.observer?.served(choice.replica.name);
      return result;
    } catch (error) {
      // it is prepared again under another name
      if (isOutdated(error)) throw error;
      // a lost connection, a timeout, a conflict with recovery, a migration that it has not replayed
      return this.runOnPrimary('failed', config, onPrimary);
    }
  }

  private runOnPrimary(reason: PrimaryReason, config: QueryConfig, onPrimary: Executor): Promise<QueryResult> {
    this.observer?.primary(reason);
    this.observer?.served(PRIMARY);
    return onPrimary(config);
  }

  /** Which data the replicas must have; while the primary does not respond, none is in use. */
  private async learnData(): Promise<void> {
    try {
      this.data = await dataIdentityOf(this.primary);
    } catch {
      setTimeout(() => this.stopped || inBackground(this.learnData(), 'identifying the data'), DATA_RETRY_MS).unref();
    }
  }
}
