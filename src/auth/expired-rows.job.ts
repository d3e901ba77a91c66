import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../common/time/clock.js';
import { DAY_MS } from '../common/time/days.js';
import { deleteInBatches } from '../common/db/query/delete-in-batches.js';
import { rows, type Rows } from '../common/db/query/rows.js';
import { defineJob } from '../common/jobs/job.js';
import { Jobs } from '../common/jobs/jobs.js';
import { KEPT_MS } from './idempotency/idempotency.service.js';
import { IdempotentRequest } from './idempotency/idempotent-request.entity.js';
import { AuthorizationCode, GrantToken } from './grants/grant.entity.js';
import { forgetAnswers } from './grants/grants.statements.js';
import { REPEATED_MS } from './oauth2/token-model.js';
import { RequestToken } from './oauth1/request-token.entity.js';
import { BearerToken } from './bearers/bearer-token.entity.js';
import { UserRemoval } from './user-removal/user-removal.service.js';
import { Session, SignInAttempt } from './sessions/session.entity.js';

/** The tables take turns: a large one does not keep the others waiting. */
const TURN = { batch: 1_000, max: 10 };
const HOUR_MS = 3_600_000;

/**
 * For how long a second use of a refresh token revokes the grant. A client that refreshes every two hours leaves 84 rows in this
 * time, and 2,160 in that of a token. A later one gives nothing, as an unknown token.
 */
const REUSE_SEEN_MS = 7 * DAY_MS;

interface ExpiredRows {
  /** The time for which rows are kept after the time in their column. */
  keptMs: number;
  before: (db: EntityManager, time: string) => Pick<Rows<never>, 'deleteSome'>;
}

/** The tables with expiring rows. */
const OUTLIVED: ExpiredRows[] = [
  { keptMs: HOUR_MS, before: (db, time) => rows(db, RequestToken).whereLessThan('expiresAt', time) },
  { keptMs: 0, before: (db, time) => rows(db, Session).whereLessThan('expiresAt', time) },
  { keptMs: DAY_MS, before: (db, time) => rows(db, SignInAttempt).whereLessThan('triedAt', time) },
  { keptMs: KEPT_MS, before: (db, time) => rows(db, IdempotentRequest).whereLessThan('createdAt', time) },
  // for a while they show that a code or token is used again
  { keptMs: DAY_MS, before: (db, time) => rows(db, AuthorizationCode).whereLessThan('expiresAt', time) },
  { keptMs: 0, before: (db, time) => rows(db, GrantToken).whereLessThan('expiresAt', time) },
  { keptMs: REUSE_SEEN_MS, before: (db, time) => rows(db, GrantToken).whereLessThan('usedAt', time) },
  { keptMs: 30 * DAY_MS, before: (db, time) => rows(db, BearerToken).whereLessThan('revokedAt', time) },
];

/** No retries: the next run is a minute later. */
export const EXPIRED_ROWS = defineJob('expired-rows', { timeoutSeconds: 60, retries: 0 });

/** Deletes expired rows in small batches, once a minute, and resumes removals of users. */
@Injectable()
export class ExpiredRowsJob implements OnModuleInit {
  /** When this process looked for removals of users that ended without success. */
  private resumedAt = -Infinity;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly removal: UserRemoval,
  ) {}

  onModuleInit(): void {
    this.jobs.work(EXPIRED_ROWS, async (_, { signal }) => void (await this.deleteExpired(signal)));
    this.jobs.schedule(EXPIRED_ROWS, { everySeconds: 60 });
  }

  /** Returns the number of deleted rows; stops early when `signal` aborts. */
  async deleteExpired(signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (let left = OUTLIVED; left.length > 0 && !signal?.aborted;) {
      const more: ExpiredRows[] = [];
      for (const each of left) {
        const expired = each.before(this.db.manager, new Date(this.clock.ms() - each.keptMs).toISOString());
        const gone = await deleteInBatches(expired, { ...TURN, signal });
        deleted += gone;
        if (gone === TURN.batch * TURN.max) more.push(each);
      }
      left = more;
    }
    await forgetAnswers(this.db.manager, new Date(this.clock.ms() - REPEATED_MS).toISOString());
    if (this.clock.ms() >= this.resumedAt + HOUR_MS) {
      await this.removal.resume();
      this.resumedAt = this.clock.ms();
    }
    return deleted;
  }
}
