import { Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { defineJob } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { Clock } from '../time/clock.js';
import { DAY_MS } from '../time/days.js';
import { deleteInBatches } from '../db/query/delete-in-batches.js';
import { retryOnLock } from '../db/query/locks.js';
import { Metrics } from '../metrics/metrics.js';
import {
  addPartition,
  countInDefault,
  deleteIfFew,
  deleteFromDefault,
  dropPartition,
  partitionsOf,
} from './partition.statements.js';
import {
  BY_ID,
  coveredMs,
  daySuffix,
  endAhead,
  missingPartitions,
  periodsBetween,
  type PartitionKey,
  startOfPeriod,
  type PartitionWidth,
} from './periods.js';
import { firstIdOf } from '../entity/ids.js';

/** How the table of an entity is divided. */
export interface Partitioning {
  width: PartitionWidth;
  /** The number of periods after the current one that have a partition already. */
  ahead: number;
  /** How long rows are kept, in milliseconds; absent: forever. Only for tables that are partitioned by id. */
  keptMs?: number;
  /** What divides the table; by default its id. */
  key?: PartitionKey;
}

/** What a removal of old rows did. */
export interface RemovalResult {
  partitions: number;
  /** Rows that were deleted one by one. */
  rows: number;
}

/** More old rows than this wait until their whole partition is old: dropping it costs nothing. */
const FEW = 100;
const BATCH = 1_000;
/** Larger metrics are reported as this value: counting further would cost more. */
const MAX_COUNTED = 10_000;
/** How far from now partitions are created for test clocks. */
const COVERED_MS = 2 * 366 * DAY_MS;
const COVER_PATIENCE_MS = 1_000;

/**
 * The tables that are partitioned by time: by id, or by a column with a time. Ids and partitions take the time from the same `Clock`. Every
 * process may do this work at the same time: the locks of PostgreSQL let one of them do each step.
 */
@Injectable()
export class Partitions {
  private readonly logger = new Logger('Partitions');
  private readonly tables = new Map<string, Partitioning>();
  /** The periods that `cover` has tried: of each table, those of some years. */
  private readonly tried = new Set<string>();

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gaugesBy(
      'table',
      {
        partition_strays: 'Rows in the default partition that are not old, up to 10,000',
        partition_ahead_seconds: 'Time until the last partition ends that was created ahead',
      },
      () => this.figures(),
    );
  }

  /** Declares that the table of an entity is partitioned; once for each entity. */
  register(entity: Type, partitioning: Partitioning): void {
    this.tables.set(this.tableOf(entity), partitioning);
  }

  /** Creates the missing partitions from now on; returns their names. */
  async createAhead(signal?: AbortSignal): Promise<string[]> {
    const created: string[] = [];
    for (const [table, partitioning] of this.tables)
      created.push(...(await this.create(table, partitioning, this.clock.now(), { signal })));
    return created;
  }

  /**
   * Creates the missing partitions of an entity from one time to another, at most two years from now: for rows that test
   * clocks write long before or after the time of the service. Each period is tried once; throws if one gets no lock within a second.
   */
  async cover(entity: Type, from: Date, until: Date): Promise<void> {
    const table = this.tableOf(entity);
    const partitioning = this.tables.get(table)!;
    const now = this.clock.ms();
    const near = (at: Date) => new Date(Math.min(Math.max(at.getTime(), now - COVERED_MS), now + COVERED_MS));
    for (const start of periodsBetween(near(from), near(until), partitioning.width)) {
      const period = `${table}_${daySuffix(start)}`;
      if (this.tried.has(period)) continue;
      this.tried.add(period);
      await this.create(table, { ...partitioning, ahead: 0 }, start, { patienceMs: COVER_PATIENCE_MS });
    }
  }

  private async create(
    table: string,
    partitioning: Partitioning,
    from: Date,
    { signal, patienceMs }: { signal?: AbortSignal; patienceMs?: number },
  ): Promise<string[]> {
    const created: string[] = [];
    const existing = await partitionsOf(this.db.manager, table, partitioning.key);
    for (const missing of missingPartitions(existing, from, partitioning)) {
      signal?.throwIfAborted();
      const outcome = await retryOnLock(() => addPartition(this.db.manager, table, missing), signal, patienceMs);
      if (outcome === 'created') created.push(`${table}_${missing.suffix}`);
      if (outcome === 'crowded')
        this.logger.warn(
          `${table} gets no partition ${missing.suffix}: the default partition has too many of its rows`,
        );
    }
    return created;
  }

  /** Removes the old rows of all tables that keep rows for a limited time. */
  async removeAllOld(signal?: AbortSignal): Promise<void> {
    for (const [table, { keptMs }] of this.tables) if (keptMs !== undefined) await this.removeFrom(table, signal);
  }

  /** Removes the old rows of an entity: whole partitions, then single rows where there are few. */
  removeOld(entity: Type, signal?: AbortSignal): Promise<RemovalResult> {
    return this.removeFrom(this.tableOf(entity), signal);
  }

  private async removeFrom(table: string, signal?: AbortSignal): Promise<RemovalResult> {
    const { keptMs } = this.tables.get(table)!;
    if (keptMs === undefined) return { partitions: 0, rows: 0 };
    const before = firstIdOf(new Date(this.clock.ms() - keptMs));
    const partitions = await this.dropBefore(table, before, signal);
    const old = { deleteSome: (limit: number) => deleteFromDefault(this.db.manager, table, before, limit) };
    let rows = await deleteInBatches(old, { batch: BATCH, signal });
    if (!signal?.aborted) rows += await deleteIfFew(this.db.manager, table, before, FEW);
    return { partitions, rows };
  }

  private async dropBefore(table: string, before: string, signal?: AbortSignal): Promise<number> {
    let dropped = 0;
    for (const { name, to } of await partitionsOf(this.db.manager, table)) {
      if (to > before || signal?.aborted) break;
      if (await retryOnLock(() => dropPartition(this.db.manager, table, name), signal)) dropped++;
    }
    return dropped;
  }

  private async figures() {
    const now = this.clock.now();
    const figures = [...this.tables].map(async ([table, partitioning]) => {
      const { keptMs, key = BY_ID } = partitioning;
      const since = keptMs === undefined ? key.first : key.boundOf(new Date(now.getTime() - keptMs));
      // ids have the time of the service; the times of rows may be those of test clocks, for which there is no end
      const range =
        key === BY_ID
          ? { from: since, to: key.last }
          : { from: key.boundOf(startOfPeriod(now, partitioning.width)), to: key.boundOf(endAhead(now, partitioning)) };
      const [strays, existing] = await Promise.all([
        countInDefault(this.db.manager, table, { column: key.column, ...range }, MAX_COUNTED),
        partitionsOf(this.db.manager, table, key),
      ]);
      return [
        table,
        { partition_strays: strays, partition_ahead_seconds: coveredMs(existing, now, partitioning) / 1_000 },
      ] as const;
    });
    return Object.fromEntries(await Promise.all(figures));
  }

  private tableOf(entity: Type): string {
    return this.db.getMetadata(entity).tableName;
  }
}

/** A partition that could not be created because of locks is tried again within the hour. */
const PARTITIONS = defineJob('partitions', { timeoutSeconds: 300, retries: 5, retryDelaySeconds: 60 });

/** Creates partitions ahead, and removes the old rows of partitioned tables, once an hour. */
@Injectable()
export class PartitionsJob implements OnModuleInit {
  constructor(
    private readonly partitions: Partitions,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(PARTITIONS, async (_, { signal }) => {
      await this.partitions.createAhead(signal);
      await this.partitions.removeAllOld(signal);
    });
    this.jobs.schedule(PARTITIONS, { everySeconds: 3_600 });
  }
}
