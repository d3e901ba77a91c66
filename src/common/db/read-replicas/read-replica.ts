import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { PoolConfig, QueryConfig } from 'pg';
import { inBackground } from '../../concurrency/background.js';
import { BoundedPool, type BoundedSettings } from '../postgres/bounded-client.js';
import {
  type ConnectionsInUse,
  type Driver,
  connectionsInUse,
  type QueryResult,
  type SharedConnections,
} from '../postgres/driver.js';
import { ServerConnection } from '../postgres/own-connection.js';
import { hasReplayed, timelineOf, walPosition, type WalPosition } from '../query/freshness.js';
import { poolExecutor, type Executor } from '../query/statement.js';
import { NoAnswer } from '../../errors/unavailable.js';
import type { ReplicaCandidate } from './choose-replica.js';
import type { PrimaryPositions } from './primary-positions.js';

const INTERVAL_MS = 200;
/** Timeout of a heartbeat: a silent replica is taken out after it. */
const HEARTBEAT_LIMIT_MS = 1_000;
/** A read that takes longer is repeated on the primary, so both together must fit into the time of a request. */
const STATEMENT_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 300;

/**
 * What a standby reports. Only roles that may read all statistics see the timeline that it receives. The start time of
 * the server distinguishes it from others behind the same address.
 */
const STATEMENT = {
  text: `SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn()::text AS "lsn", r.received_tli AS "timeline",
    r.pid IS NOT NULL AS "isReceiving", pg_postmaster_start_time()::text AS "startedAt",
    (SELECT system_identifier::text FROM pg_control_system()) || '/' || current_database() AS "data"
    FROM (SELECT) one LEFT JOIN pg_stat_wal_receiver r ON true`,
};
/** The identity of the data of a server: the same on a primary and its standbys. */
const IDENTITY = {
  text: `SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' || current_database() AS "data"`,
};
/** Where a new connection leads. */
const PLACE = {
  text: 'SELECT pg_postmaster_start_time()::text AS "startedAt", pg_last_wal_replay_lsn()::text AS "lsn"',
};

interface Report {
  isStandby: boolean;
  lsn: string | null;
  timeline: number | null;
  isReceiving: boolean;
  startedAt: string;
  data: string;
}

/** Why a replica is not in use, or `ok`. */
export type ReadReplicaState =
  'unknown' | 'ok' | 'lagging' | 'away' | 'not a standby' | 'not receiving' | 'no privilege' | 'other data';

const TROUBLES: Record<Exclude<ReadReplicaState, 'ok' | 'unknown'>, string> = {
  lagging: 'lags more than DATABASE_REPLICA_MAX_LAG',
  away: 'does not answer',
  'not a standby': 'is not a standby',
  'not receiving': 'does not stream from its primary',
  'no privilege': 'hides its timeline from our role; run GRANT pg_read_all_stats TO that role on the primary',
  'other data': 'has other data than the primary, or another database',
};

/** The connections to replicas. */
export interface ReplicaOptions {
  driver: Driver;
  /** Maximum numbers of shared and of pooled connections. */
  shared: number;
  pooled: number;
  maxLagMs: number;
}

/** Identifies the data of a primary and its standbys: cluster and database. */
export async function dataIdentityOf(connection: Pick<ServerConnection, 'run'>): Promise<string> {
  const [{ data }] = await connection.run<Pick<Report, 'data'>>(IDENTITY);
  return data;
}

/** A standby that serves reads while it responds, streams from the primary, and lags at most by the limit. */
export class ReadReplica implements ReplicaCandidate {
  private readonly logger = new Logger('ReadReplicas');
  private readonly connection: ServerConnection;
  private connections: ReplicaConnections;
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private startedAt?: string;
  private readonly openedAt = performance.now();
  /** A time before which everything committed on the primary is replayed, in performance.now(). */
  private coveredSince = -Infinity;
  replayed?: WalPosition;
  state: ReadReplicaState = 'unknown';
  /** The error of the last heartbeat. */
  failure?: Error;

  constructor(
    /** The host with its port. */
    readonly name: string,
    readonly settings: BoundedSettings,
    private readonly options: ReplicaOptions,
    private readonly positions: Pick<PrimaryPositions, 'coveredSince'>,
    /** The data that it must have. */
    private readonly data: () => string | undefined,
  ) {
    this.connection = new ServerConnection(settings, HEARTBEAT_LIMIT_MS);
    this.connections = this.open();
  }

  async start(): Promise<void> {
    await this.look();
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.all([this.connection.close(), this.connections.close()]);
  }

  get isInUse(): boolean {
    return this.state === 'ok' && this.lagMs <= this.options.maxLagMs;
  }

  /** How long ago everything was committed that it has for sure, in milliseconds. */
  get lagMs(): number {
    return performance.now() - this.coveredSince;
  }

  /** The usage of its connections, by purpose. */
  get inUse(): Record<string, ConnectionsInUse> {
    return this.connections.inUse;
  }

  /** Runs a read. */
  run(config: QueryConfig, large: boolean): Promise<QueryResult> {
    return this.connections.run(config, large);
  }

  private schedule(): void {
    if (!this.stopped)
      this.timer = setTimeout(
        () =>
          inBackground(
            this.look().finally(() => this.schedule()),
            'watching a read replica',
          ),
        INTERVAL_MS,
      ).unref();
  }

  private async look(): Promise<void> {
    try {
      const [report] = await this.connection.run<Report>(STATEMENT);
      this.failure = undefined;
      if (!this.stopped) this.take(report);
    } catch (error) {
      this.failure = error as Error;
      if (!this.stopped) this.enter('away', this.failure.message);
    }
  }

  private take(report: Report): void {
    const { lsn, timeline, startedAt } = report;
    if (startedAt !== this.startedAt) {
      // the connections lead to the server before, or to another one behind the same address
      if (this.startedAt !== undefined) this.reopen();
      this.startedAt = startedAt;
    }
    const fault = this.faultOf(report);
    this.replayed = fault || lsn === null || timeline === null ? undefined : walPosition(timeline, lsn);
    const { replayed } = this;
    this.coveredSince = (replayed === undefined ? undefined : this.positions.coveredSince(replayed)) ?? -Infinity;
    this.enter(fault ?? this.stateByLag());
  }

  private stateByLag(): ReadReplicaState {
    const { maxLagMs } = this.options;
    // at the start no position of the primary is old enough
    if (this.state === 'unknown' && performance.now() - this.openedAt < maxLagMs && this.lagMs === Infinity)
      return 'unknown';
    // one that lags about as much as the limit must not come and go
    return this.lagMs > (this.state === 'lagging' ? maxLagMs / 2 : maxLagMs) ? 'lagging' : 'ok';
  }

  private faultOf({ isStandby, timeline, isReceiving, data }: Report): ReadReplicaState | undefined {
    if (data !== this.data()) return this.data() === undefined ? 'unknown' : 'other data';
    if (!isStandby) return 'not a standby';
    if (!isReceiving) return 'not receiving';
    return timeline === null ? 'no privilege' : undefined;
  }

  private enter(state: ReadReplicaState, details?: string): void {
    const before = this.state;
    this.state = state;
    if (before === state) return;
    if (state === 'away') this.reopen();
    if (state === 'ok') this.logger.log(`${this.name} serves reads`);
    else if (state !== 'unknown')
      this.logger.warn(
        `${this.name} ${TROUBLES[state]}${details ? ` (${details})` : ''}: until it recovers, other servers serve its reads`,
      );
  }

  private reopen(): void {
    const { connections } = this;
    this.replayed = undefined;
    this.connections = this.open();
    connections.close().catch(() => undefined);
  }

  private open(): ReplicaConnections {
    const settings: BoundedSettings = {
      ...this.settings,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      mayConnect: () => this.state === 'ok',
      afterConnect: (client) => this.assertSameServer(client),
    };
    return new ReplicaConnections(settings, this.options);
  }

  /**
   * A balancer may lead connections of one address to several servers, whose positions differ, and a standby that
   * recovers from a crash replays again what it had replayed before.
   */
  private async assertSameServer(client: pg.Client): Promise<void> {
    const { rows } = await client.query<Pick<Report, 'startedAt' | 'lsn'>>(PLACE);
    const [{ startedAt, lsn }] = rows;
    const { replayed } = this;
    const isAtLeastThere =
      replayed !== undefined && lsn !== null && hasReplayed(walPosition(timelineOf(replayed), lsn), replayed);
    if (startedAt !== this.startedAt || !isAtLeastThere)
      throw new NoAnswer(`A connection to ${this.name} leads to another server, or to one that recovers.`);
  }
}

/** The connections to one server: shared ones for small results, pooled ones for large results. */
class ReplicaConnections {
  private readonly pool: pg.Pool;
  private readonly shared?: SharedConnections;
  private readonly pooled: Executor;

  constructor(settings: BoundedSettings, { driver, shared, pooled }: ReplicaOptions) {
    const poolConfig: PoolConfig = { ...settings, max: pooled, idleTimeoutMillis: 60_000, Client: driver.Client };
    this.pool = new BoundedPool(poolConfig);
    this.pool.on('error', () => undefined);
    this.pooled = poolExecutor(this.pool, driver.query);
    this.shared = shared > 0 ? driver.pipelined?.(settings, shared) : undefined;
  }

  get inUse(): Record<string, ConnectionsInUse> {
    return { ...(this.shared && { shared: this.shared.inUse }), reads: connectionsInUse(this.pool) };
  }

  run(config: QueryConfig, large: boolean): Promise<QueryResult> {
    return large || !this.shared ? this.pooled(config) : this.shared.query(config);
  }

  async close(): Promise<void> {
    await Promise.all([this.shared?.close(), this.pool.end()]);
  }
}
