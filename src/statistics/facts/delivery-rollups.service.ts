import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { retryOnLock } from '../../common/db/query/locks.js';
import { retrying } from '../../common/db/query/retry.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { firstHourOf, firstHourOfDay, lastFirstHour, localDay } from '../../common/time/time-zones.js';
import {
  firstFactHour,
  lockRollup,
  moveRollup,
  removeDays,
  rolledUpUntil,
  storeDays,
} from './delivery-rollups.statements.js';

/** Days of an account that one transaction sums. */
const DAYS_AT_ONCE = 3;

/**
 * Sums the facts of accounts by local day. A sum is a copy: statistics read the facts of all days that are not summed, so
 * a roll-up that is late makes answers slower, never wrong.
 */
@Injectable()
export class DeliveryRollups {
  private readonly logger = new Logger('Delivery');

  constructor(private readonly db: DataSource) {}

  /**
   * Sums all local days that end at or before a time and are not summed yet, a few in each transaction. Days whose hours the
   * simulation has not delivered stay as they are.
   */
  async rollUp(accountId: string, timezone: string, before: Date, signal?: AbortSignal): Promise<void> {
    const end = lastFirstHour(timezone, before.getTime());
    const until = await rolledUpUntil(this.db.manager, accountId);
    if (until && until.getTime() >= end) return;
    const work = (tx: EntityManager) => rollUpSome(tx, accountId, timezone, end);
    while (!signal?.aborted) {
      const isDone = await retryOnLock(
        () => retrying(() => inTransactionFor(this.db.manager, accountId, work)),
        signal,
      );
      if (isDone) return;
    }
  }

  /** The same; a failure is logged, and the next call continues there. */
  async tryRollUp(accountId: string, timezone: string, before: Date, signal?: AbortSignal): Promise<void> {
    await this.rollUp(accountId, timezone, before, signal).catch((error: unknown) =>
      this.logger.error(
        `The delivery of the account ${accountId} could not be summed by day: ${failureReasonOf(error)}`,
      ),
    );
  }

  /** Call it in the transaction that stores facts of an hour: if the day of the hour is summed already, the sums end before it. */
  async reopen(tx: EntityManager, accountId: string, timezone: string, hour: Date): Promise<void> {
    await removeDays(tx, accountId, new Date(firstHourOfDay(timezone, hour.getTime())));
  }
}

/** Sums the next days before a time; returns whether all of them are summed. */
async function rollUpSome(tx: EntityManager, accountId: string, timezone: string, before: number): Promise<boolean> {
  const locked = await lockRollup(tx, accountId);
  if (!locked) return true;
  const { until, position } = locked;
  const end = position ? Math.min(before, lastFirstHour(timezone, position.getTime())) : before;
  if (until && until.getTime() >= end) return true;
  const first = await firstFactHour(tx, accountId, until);
  const bounds = first ? dayBounds(timezone, first.getTime(), end) : [];
  if (bounds.length > 1) await storeDays(tx, accountId, bounds);
  const done = bounds.length > 1 ? bounds[bounds.length - 1] : new Date(end);
  await moveRollup(tx, accountId, done);
  return done.getTime() >= end;
}

/** The beginnings of a few local days from that of a time on, and the end of the last one, which is not after `end`. */
function dayBounds(timezone: string, from: number, end: number): Date[] {
  const day = localDay(timezone, from);
  const bounds = Array.from({ length: DAYS_AT_ONCE + 1 }, (_, i) => firstHourOf(timezone, day + i));
  return bounds.filter((each) => each <= end).map((each) => new Date(each));
}
