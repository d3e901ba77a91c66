import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/days.js';
import { deleteInBatches } from '../common/db/query/delete-in-batches.js';
import { rows, type Rows } from '../common/db/query/rows.js';
import { defineJob } from '../common/jobs/job.js';
import { Jobs } from '../common/jobs/jobs.js';
import { RequestToken } from './oauth1/request-token.entity.js';
import { BearerToken } from './bearers/bearer-token.entity.js';
import { Session } from './sessions/session.entity.js';
import { SignInAttempt } from './sessions/sign-in-attempt.entity.js';

const BOUNDS = { batch: 500, most: 20 };
const HOUR_MS = 3_600_000;

interface Outlived {
  /** How long rows are kept beyond the time in their column. */
  keptMs: number;
  before: (db: EntityManager, time: string) => Pick<Rows<never>, 'deleteSome'>;
}

/** What is of no use any more. */
const OUTLIVED: Outlived[] = [
  { keptMs: HOUR_MS, before: (db, time) => rows(db, RequestToken).whereLessThan('expiresAt', time) },
  { keptMs: 0, before: (db, time) => rows(db, Session).whereLessThan('expiresAt', time) },
  { keptMs: DAY_MS, before: (db, time) => rows(db, SignInAttempt).whereLessThan('triedAt', time) },
  { keptMs: 30 * DAY_MS, before: (db, time) => rows(db, BearerToken).whereLessThan('revokedAt', time) },
];

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
    for (const { keptMs, before } of OUTLIVED) {
      const outlived = before(this.db.manager, new Date(this.clock.ms() - keptMs).toISOString());
      deleted += await deleteInBatches(outlived, { ...BOUNDS, signal });
    }
    return deleted;
  }
}
