import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { run } from '../../common/db/query/statement.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';

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

/** Without retries: the next one comes in a minute. */
export const EXPIRED_ROWS = defineJob('expired-rows', { timeoutSeconds: 60, retries: 0 });

/** Deletes what expired, a little at a time, once a minute. */
@Injectable()
export class ExpiredRowsJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(EXPIRED_ROWS, async (_, { signal }) => void (await this.deleteExpired(signal)));
    this.jobs.schedule(EXPIRED_ROWS, { everySeconds: 60 });
  }

  /** Answers how many rows were deleted; ends early when it is told to. */
  async deleteExpired(signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (const { table, column, keptMs } of OUTLIVED) {
      const before = new Date(this.clock.ms() - keptMs).toISOString();
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        if (signal?.aborted) return deleted;
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
