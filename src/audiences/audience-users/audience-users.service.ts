import { Injectable, type Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { dayOf } from '../../common/time/days.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import { whenUnlocked } from '../../common/db/query/retry.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write, type Precondition } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, storageQuotaExceeded } from '../../common/errors/catalogue.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { markUpload } from '../audience-sizes/audience-sizings.statements.js';
import type { Sized } from '../entities/audience-sizing.entity.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { UploadQueue } from './upload-queue.js';
import type { Upload } from './upload.js';

/** How long an upload waits for further uploads, so that one count covers them. */
const DEBOUNCE_MS = 5_000;
/** Maximum wait, however many uploads follow; slightly under a minute, because the job needs time to notice. */
const MAX_WAIT_SECONDS = 57;

/** The target of an upload. */
export interface Holder {
  id: string;
  kind: Sized;
  /** The owner, which may differ from the uploading account. */
  accountId: string;
  entity: Type<Resource & Pick<CustomAudience, 'accountId' | 'reasonsNotTargetable'>>;
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
    private readonly quotas: StorageQuotas,
    private readonly times: AccountTimes,
  ) {}

  /** Rejects an upload that would find the queue full, before its body is read. */
  assertRoom(holderId: string): void {
    this.queue.assertRoom(holderId);
  }

  /**
   * Performs all operations in order, or none, and queues a count of the people. Uploads to one audience run one after
   * another.
   */
  async upload(account: ActingAccount, holder: Holder, upload: Upload): Promise<void> {
    const quota = this.quotas.of('AUDIENCE_ROWS', holder.accountId);
    const owner = account.id === holder.accountId ? account : await this.times.of(holder.accountId, account.db);
    const now = owner.now().getTime();
    const store = () =>
      inTransactionFor(account.db, holder.id, async (tx) => {
        await this.mark(tx, account, holder, now);
        await upload.store(tx, { holderId: holder.id, today: dayOf(now), quota });
      });
    try {
      await this.queue.run(holder.id, () => whenUnlocked(store));
    } catch (error) {
      throw isQuotaExceeded(error) ? await this.quotaExceeded(account, holder) : error;
    }
  }

  /** The rows count in the quota of the account that owns the audience. Other accounts do not learn its usage. */
  private async quotaExceeded(account: ActingAccount, { accountId, id }: Holder): Promise<ApiError> {
    if (account.id === accountId) return this.quotas.refusal('AUDIENCE_ROWS', accountId, undefined, account.db);
    return storageQuotaExceeded(
      `The account that owns Custom Audience ${id} has reached its limit of audience rows`,
      'MAX_AUDIENCE_ROWS_PER_ACCOUNT is the limit; its owner can delete users or audiences, or ask the operator to raise it',
    );
  }

  /** Queues the count, and reports it for an audience that cannot be targeted yet. */
  private async mark(tx: EntityManager, account: ActingAccount, holder: Holder, now: number): Promise<void> {
    const mark = {
      audienceId: holder.id,
      kind: holder.kind,
      accountId: holder.accountId,
      userId: account.userId,
      now: new Date(now).toISOString(),
      dueAt: new Date(now + DEBOUNCE_MS).toISOString(),
      mostSeconds: MAX_WAIT_SECONDS,
    };
    // a restore of a snapshot replaces the audience: a statement that waits for it finds neither the old nor the new one
    const reasons = (await markUpload(tx, holder.entity, mark)) ?? (await markUpload(tx, holder.entity, mark));
    if (!reasons) throw holder.unknown();
    const parents = [exists(Account, account, () => accountNotFound(account.id)), ...holder.required];
    if (holder.accountId !== account.id) parents.push(exists(Account, { id: holder.accountId }, holder.unknown));
    await write(tx, [], parents);
    if (reasons.length > 0 && !reasons.includes('PROCESSING'))
      await rows(tx, holder.entity)
        .where('accountId', holder.accountId)
        .where('id', holder.id)
        .update({ reasonsNotTargetable: ['PROCESSING', 'TOO_SMALL'] });
  }
}
