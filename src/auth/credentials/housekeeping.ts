import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { run } from '../../common/db/query/statement.js';

const EVERY_MS = 60_000;
const BATCH = 500;
const MOST_BATCHES = 20;
const HOUR_MS = 3_600_000;

/** What is of no use any more, and for how long it is kept beyond that. */
const OUTLIVED = [
  { table: 'request_tokens', column: 'expiresAt', keptMs: HOUR_MS },
  { table: 'sessions', column: 'expiresAt', keptMs: 0 },
  { table: 'sign_in_attempts', column: 'triedAt', keptMs: 24 * HOUR_MS },
  { table: 'bearer_tokens', column: 'revokedAt', keptMs: 30 * 24 * HOUR_MS },
] as const;

/** Deletes what expired, a little at a time; replicas take turns row by row. */
@Injectable()
export class Housekeeping implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Housekeeping');
  private timer?: NodeJS.Timeout;
  private underway: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.underway = this.sweep().catch((error: Error) => this.logger.warn(error.message));
    }, EVERY_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.underway;
  }

  /** Answers how many rows were deleted. */
  async sweep(): Promise<number> {
    let deleted = 0;
    for (const { table, column, keptMs } of OUTLIVED) {
      const before = new Date(this.clock.ms() - keptMs).toISOString();
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        const gone = await run(this.db.manager, {
          text: `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE "${column}" < $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`,
          values: [before],
        });
        deleted += gone.length;
        if (gone.length < BATCH) break;
      }
    }
    return deleted;
  }
}
