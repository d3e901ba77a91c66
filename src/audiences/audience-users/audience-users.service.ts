import { Injectable, type Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/accounts/account.entity.js';
import type { Batch, Inputs } from '../../common/batch/batch.js';
import { Clock } from '../../common/clock.js';
import { dayOf } from '../../common/days.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write, type Precondition } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, invalid, requestTooComplex } from '../../common/errors/catalogue.js';
import type { CustomAudience } from '../custom-audiences/custom-audience.entity.js';
import type { Sized } from './audience-sizing.entity.js';
import { markUpload } from './audience-sizings.statements.js';
import {
  peopleOf,
  replaceIdentifiers,
  storeSingles,
  tiedAmong,
  type SingleUpdates,
} from './audience-users.statements.js';
import type { IdentifierKey } from './identifiers.js';
import { AudienceMembership, rowsOf, TooManyIdentifiers, type ValidityWindow } from './membership.rules.js';
import { singlesOf, stepsOf, type UserOperation } from './upload.js';
import { MOST_IDENTIFIERS } from './users.readers.js';

/** How long an upload waits for others that are to be counted with it. */
export const DEBOUNCE_MS = 5_000;
/** How long it waits at most, however many follow; a little less than a minute, for the job has to notice. */
const MOST_WAITING_SECONDS = 57;
/** How many identifiers are held in memory for one upload. */
const MOST_HELD = 200_000;

/** What users are uploaded to. */
export interface Holder {
  id: string;
  kind: Sized;
  /** Whose it is, which need not be the account that uploads. */
  accountId: string;
  entity: Type<Resource & Pick<CustomAudience, 'reasonsNotTargetable'>>;
  /** What is answered where it is gone. */
  unknown: () => ApiError;
  /** What an upload depends on besides it and the account. */
  required: Precondition[];
}

/** How many user objects were sent, and how many took effect: always the same, or nothing did. */
export interface UploadCounts {
  success_count: number;
  total_count: number;
}

export const countsOf = (operations: readonly UserOperation[]): UploadCounts => {
  const total = operations.reduce((sum, { people }) => sum + people.length, 0);
  return { success_count: total, total_count: total };
};

/** Takes the people of audiences and do-not-reach lists in (Part 1, 4.7; facts 6.7). */
@Injectable()
export class AudienceUsersService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Carries operations out in their order, all or none, and has the people counted afterwards. Uploads to one audience
   * follow one another.
   */
  async upload<I extends Inputs>(
    account: ActingAccount,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
  ): Promise<void> {
    const singles = singlesOf(operations);
    await inTransactionFor(this.db.manager, holder.id, async (tx) => {
      await this.mark(tx, account, holder);
      if (singles) await this.storeSingles(tx, holder, batch, operations, singles);
      else await this.storeAll(tx, holder, batch, operations);
    });
  }

  /** Queues the count, and says so of an audience that cannot be targeted yet. */
  private async mark(tx: EntityManager, account: ActingAccount, holder: Holder): Promise<void> {
    const now = this.clock.ms();
    const reasons = await markUpload(tx, holder.entity, {
      audienceId: holder.id,
      kind: holder.kind,
      accountId: holder.accountId,
      userId: account.userId,
      now: new Date(now).toISOString(),
      dueAt: new Date(now + DEBOUNCE_MS).toISOString(),
      mostSeconds: MOST_WAITING_SECONDS,
    });
    if (!reasons) throw holder.unknown();
    await write(tx, [], [exists(Account, account.id, () => accountNotFound(account.id)), ...holder.required]);
    if (reasons.length > 0 && !reasons.includes('PROCESSING'))
      await rows(tx, holder.entity)
        .is('id', holder.id)
        .update({ reasonsNotTargetable: ['PROCESSING', 'TOO_SMALL'] });
  }

  /** The common upload, in one statement; people who turn out to have other identifiers, too, are seen to afterwards. */
  private async storeSingles<I extends Inputs>(
    tx: EntityManager,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
    singles: SingleUpdates,
  ): Promise<void> {
    const stored = await storeSingles(tx, holder.id, singles, this.today());
    if (stored === singles.keys.length) return;
    const tied = await tiedAmong(tx, holder.id, singles.keys);
    const rest = operations.map(({ people, window }) => ({ window, people: people.filter(([key]) => tied.has(key)) }));
    await this.storeAll(tx, holder, batch, rest);
  }

  private async storeAll<I extends Inputs>(
    tx: EntityManager,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
  ): Promise<void> {
    const named = new Set<IdentifierKey>();
    for await (const { keys } of stepsOf(operations)) for (const key of keys) named.add(key);
    const stored = await peopleOf(tx, holder.id, [...named], MOST_HELD);
    if (!stored)
      throw requestTooComplex('The users of the request have too many identifiers', {
        parameter: 'users',
        details: `at most ${MOST_HELD} identifiers, those stored of the same people included; send fewer users at a time`,
      });
    const membership = new AudienceMembership(stored, this.today(), MOST_IDENTIFIERS);
    for await (const step of stepsOf(operations)) {
      try {
        membership.apply(step);
      } catch (error) {
        if (!(error instanceof TooManyIdentifiers)) throw error;
        const refusal = invalid('users', `A person can have at most ${MOST_IDENTIFIERS} identifiers`);
        throw batch.refusal(new Map([[step.operation, refusal]]));
      }
    }
    const changed = [...membership.changed()].flatMap(rowsOf);
    await replaceIdentifiers(tx, holder.id, changed, membership.gone());
  }

  /** In days since 1970. */
  private today(): number {
    return dayOf(this.clock.ms());
  }
}

/** For so long people stay where nobody says otherwise (Part 1, 4.7). */
export function inThirteenMonths(now: Date): Date {
  const then = new Date(now);
  then.setUTCMonth(now.getUTCMonth() + 13);
  return then;
}

/** A moment of a window as times are written. */
export const timeOf = (moment: number): string => wireTime(new Date(moment).toISOString());

/** From when to when those are in the audience who are uploaded with these times (Part 1, 4.7). */
export function windowOf(times: { effective_at?: string; expires_at?: string }, now: Date): ValidityWindow {
  const effectiveAt = times.effective_at === undefined ? now.getTime() : Date.parse(times.effective_at);
  const expiresAt = times.expires_at === undefined ? inThirteenMonths(now).getTime() : Date.parse(times.expires_at);
  return { effectiveAt, expiresAt };
}
