import { Injectable, type Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import type { Batch, Inputs } from '../../common/batch/batch.js';
import { Clock } from '../../common/clock.js';
import { dayOf } from '../../common/days.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import { whenUnlocked } from '../../common/db/query/retry.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write, type Precondition } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, invalid, requestTooComplex, storageQuotaExceeded } from '../../common/errors/catalogue.js';
import { inSlices } from '../../common/in-slices.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import type { Sized } from '../entities/audience-sizing.entity.js';
import { markUpload } from '../audience-sizes/audience-sizings.statements.js';
import {
  peopleOf,
  replaceIdentifiers,
  storeSingles,
  tiedAmong,
  type SingleUpdates,
} from './audience-users.statements.js';
import type { IdentifierKey } from './identifiers.js';
import { AudienceMembership, rowsOf, TooManyIdentifiers, type IdentifierRow } from './membership.rules.js';
import { singlesOf, stepsOf, type UserOperation } from './upload.js';
import { UploadQueue } from './upload-queue.js';
import { MAX_IDENTIFIERS } from './users.readers.js';

/** How long an upload waits for further uploads, so that one count covers them. */
const DEBOUNCE_MS = 5_000;
/** Maximum wait, however many uploads follow; slightly under a minute, because the job needs time to notice. */
const MAX_WAIT_SECONDS = 57;
/** Maximum number of identifiers in memory for one upload. */
const MAX_HELD = 200_000;

/** The target of an upload. */
export interface Holder {
  id: string;
  kind: Sized;
  /** The owner, which may differ from the uploading account. */
  accountId: string;
  entity: Type<Resource & Pick<CustomAudience, 'reasonsNotTargetable'>>;
  /** The error if the target is deleted. */
  unknown: () => ApiError;
  /** Preconditions of an upload besides the target and its account. */
  required: Precondition[];
}

/** Stores the people of audiences and do-not-reach lists. */
@Injectable()
export class AudienceUsersService {
  private readonly queue = new UploadQueue();

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly quotas: StorageQuotas,
  ) {}

  /** Rejects an upload that would find the queue full, before its body is read. */
  assertRoom(holderId: string): void {
    this.queue.assertRoom(holderId);
  }

  /**
   * Performs all operations in order, or none, and queues a count of the people. Uploads to one audience run one after
   * another.
   */
  async upload<I extends Inputs>(
    account: ActingAccount,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
  ): Promise<void> {
    const singles = await singlesOf(operations);
    const store = () =>
      inTransactionFor(this.db.manager, holder.id, async (tx) => {
        await this.mark(tx, account, holder);
        if (singles) await this.storeSingles(tx, holder, batch, operations, singles);
        else await this.storeAll(tx, holder, batch, operations);
      });
    try {
      await this.queue.run(holder.id, () => whenUnlocked(store));
    } catch (error) {
      throw isQuotaExceeded(error) ? await this.quotaExceeded(account, holder) : error;
    }
  }

  /** The rows count in the quota of the account that owns the audience. Other accounts do not learn its usage. */
  private async quotaExceeded(account: ActingAccount, { accountId, id }: Holder): Promise<ApiError> {
    if (account.id === accountId) return this.quotas.refusal('AUDIENCE_ROWS', accountId);
    return storageQuotaExceeded(
      `The account that owns Custom Audience ${id} has reached its limit of audience rows`,
      'MAX_AUDIENCE_ROWS_PER_ACCOUNT is the limit; its owner can delete users or audiences, or ask the operator to raise it',
    );
  }

  /** Queues the count, and reports it for an audience that cannot be targeted yet. */
  private async mark(tx: EntityManager, account: ActingAccount, holder: Holder): Promise<void> {
    const now = this.clock.ms();
    const reasons = await markUpload(tx, holder.entity, {
      audienceId: holder.id,
      kind: holder.kind,
      accountId: holder.accountId,
      userId: account.userId,
      now: new Date(now).toISOString(),
      dueAt: new Date(now + DEBOUNCE_MS).toISOString(),
      mostSeconds: MAX_WAIT_SECONDS,
    });
    if (!reasons) throw holder.unknown();
    const parents = [exists(Account, account.id, () => accountNotFound(account.id)), ...holder.required];
    if (holder.accountId !== account.id) parents.push(exists(Account, holder.accountId, holder.unknown));
    await write(tx, [], parents);
    if (reasons.length > 0 && !reasons.includes('PROCESSING'))
      await rows(tx, holder.entity)
        .where('id', holder.id)
        .update({ reasonsNotTargetable: ['PROCESSING', 'TOO_SMALL'] });
  }

  /** Stores the common upload in one statement, and handles people with further identifiers afterwards. */
  private async storeSingles<I extends Inputs>(
    tx: EntityManager,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
    singles: SingleUpdates,
  ): Promise<void> {
    const stored = await storeSingles(tx, holder.id, singles, this.today(), this.quotaOf(holder));
    if (stored === singles.keys.length) return;
    const tied = await tiedAmong(tx, holder.id, singles.keys);
    const rest = operations.map(({ window }) => ({ window, people: [] as (readonly IdentifierKey[])[] }));
    await inSlices(stepsOf(operations), ({ keys, operation }) => {
      if (tied.has(keys[0])) rest[operation].people.push(keys);
    });
    await this.storeAll(tx, holder, batch, rest);
  }

  private async storeAll<I extends Inputs>(
    tx: EntityManager,
    holder: Holder,
    batch: Batch<I>,
    operations: readonly UserOperation[],
  ): Promise<void> {
    const named = new Set<IdentifierKey>();
    await inSlices(stepsOf(operations), ({ keys }) => {
      for (const key of keys) named.add(key);
    });
    const stored = await peopleOf(tx, holder.id, [...named], MAX_HELD);
    if (!stored)
      throw requestTooComplex('The users of the request have too many identifiers', {
        parameter: 'users',
        details: `at most ${MAX_HELD} identifiers, including the stored identifiers of the same people; send fewer users at a time`,
      });
    const membership = new AudienceMembership([], this.today(), MAX_IDENTIFIERS);
    await inSlices(stored, (person) => membership.know(person));
    await inSlices(stepsOf(operations), (step) => {
      try {
        membership.apply(step);
      } catch (error) {
        if (!(error instanceof TooManyIdentifiers)) throw error;
        const refusal = invalid('users', `A person can have at most ${MAX_IDENTIFIERS} identifiers`);
        throw batch.refusal(new Map([[step.operation, refusal]]));
      }
    });
    const changed: IdentifierRow[] = [];
    await inSlices(membership.changed(), (person) => void changed.push(...rowsOf(person)));
    await replaceIdentifiers(tx, holder.id, changed, membership.gone(), this.quotaOf(holder));
  }

  private quotaOf({ accountId }: Holder) {
    return this.quotas.of('AUDIENCE_ROWS', accountId);
  }

  /** In days since 1970. */
  private today(): number {
    return dayOf(this.clock.ms());
  }
}
