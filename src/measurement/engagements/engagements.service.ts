import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { firstIdOf, newId } from '../../common/entity/ids.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { reserveStorage } from '../../common/storage/storage-usage.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import { Engagement } from '../entities/engagement.entity.js';
import { twclidHash, visitorHash } from '../entities/engagement.rules.js';
import {
  lastEngagement,
  matchAgain,
  measured,
  usersFrom,
  type Measured,
  type SoughtEngagement,
} from './engagements.statements.js';

/** A click on what a line item shows, or a view of it. */
export interface NewEngagement extends Omit<
  Row<Engagement>,
  'id' | 'accountId' | 'twclid' | 'twclidHash' | 'visitorHash'
> {
  /** The address and the agent of the user, if they are known. */
  visitor?: { address: string; agent: string };
}

/** What users did with what line items show. Everybody who attributes conversions asks this service. */
@Injectable()
export class EngagementsService {
  constructor(
    private readonly clock: Clock,
    private readonly quotas: StorageQuotas,
  ) {}

  /**
   * Stores engagements of an account, and gives each click a click id that nobody can guess. Conversions that matched nobody and
   * happened later are matched again. The quota of the account decides: see isQuotaExceeded.
   */
  async store(
    db: EntityManager,
    account: TimeSource & { id: string },
    engagements: readonly NewEngagement[],
  ): Promise<Row<Engagement>[]> {
    const { id: accountId } = account;
    if (engagements.length === 0) return [];
    const now = this.clock.now();
    const stored = engagements.map(({ visitor, ...engagement }): Row<Engagement> => {
      const twclid = engagement.isClick ? newTwclid() : null;
      return {
        ...{ id: newId(now), accountId, twclid },
        ...{ twclidHash: twclid === null ? null : Buffer.from(twclidHash(twclid), 'hex') },
        ...{ visitorHash: visitor ? Buffer.from(visitorHash(visitor.address, visitor.agent), 'hex') : null },
        ...engagement,
      };
    });
    const [first] = engagements.map(({ at }) => at).sort();
    await write(db, [
      insert(Engagement, stored),
      matchAgain(accountId, { from: first, arrived: firstIdOf(new Date(now.getTime() - DAY_MS)), now: account.now() }),
      reserveStorage(this.quotas.amount('ENGAGEMENTS', accountId, stored.length)),
    ]);
    return stored;
  }

  /** The last click of a user in the window before a time, else the last view in the window; undefined without any. */
  last(db: EntityManager, sought: SoughtEngagement): Promise<Row<Engagement> | undefined> {
    return lastEngagement(db, sought);
  }

  /** The engagements that were stored last, the newest first. */
  latest(db: EntityManager, accountId: string, limit: number): Promise<Row<Engagement>[]> {
    return rows(db, Engagement).where('accountId', accountId).orderBy('id', 'DESC').limit(limit).getMany();
  }

  /** Whether engagements of an account are drawn, and since when nothing invents its conversions. */
  measured(db: EntityManager, accountId: string): Promise<Measured> {
    return measured(db, accountId);
  }

  /** This number of users of the directory, from a place that a draw of 32 bits decides; fewer if it has no more. */
  users(db: EntityManager, draw: number, count: number): Promise<string[]> {
    return usersFrom(db, (BigInt(draw) << 32n) - 2n ** 63n, count);
  }
}

/** A click id in the form of X: 128 random bits. */
const newTwclid = (): string => `2-${BigInt(`0x${randomBytes(16).toString('hex')}`).toString(36)}`;
