import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { StoredAnswer } from '../../common/http/answers/results.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { tryLockName } from '../../common/db/query/name-lock.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { insertOrUpdate, write } from '../../common/db/query/write.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { Vault } from '../credentials/vault.js';
import type { KeyedRequest } from './idempotency-key.js';
import { IdempotentRequest } from './idempotent-request.entity.js';
import { idempotencyKeyInUse, idempotencyKeyReused } from './idempotency.errors.js';

/** The time for which a response is repeated. */
export const KEPT_MS = DAY_MS;

/**
 * Statuses of errors that a repetition with the same key returns again. After any other error the repetition is
 * performed: nothing was stored, and another attempt may succeed.
 */
const KEPT_ERRORS: ReadonlySet<number> = new Set([403, 404, 409, 410, 422]);

/** The result of a request, and the response that repeats it. */
export interface PerformedRequest<R> {
  result: R;
  status: number;
  /** The text of the body; null without one. */
  body: string | null;
}

/**
 * Performs requests with an Idempotency-Key once. All that such a request changes is stored in one transaction, together
 * with its response: a process that is killed leaves both or neither. OutsideTransaction has the exceptions.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly vault: Vault,
  ) {}

  /**
   * Returns what `work` returned, or throws a StoredAnswer if the request was performed before. Throws a 409 while another
   * request with the key is in progress, and a 422 if the key was used for a different request. `textOf`: the body of an
   * error.
   */
  async performOnce<R>(
    keyed: KeyedRequest,
    work: (tx: EntityManager) => Promise<PerformedRequest<R>>,
    textOf: (errors: ApiErrors) => string,
  ): Promise<R> {
    const attempt = async (tx: EntityManager) => {
      if (!(await tryLockName(tx, keyed.id))) throw idempotencyKeyInUse(keyed.key);
      await this.repeat(tx, keyed);
      try {
        // a savepoint: an error undoes what the request changed, and is stored
        return await tx.transaction(async () => {
          const performed = await work(tx);
          await this.store(tx, keyed, performed);
          return performed;
        });
      } catch (error) {
        const kept = keptError(error);
        if (!kept) throw error;
        await this.store(tx, keyed, { status: kept.status, body: textOf(kept) });
        return kept;
      }
    };
    const outcome = await inTransactionFor(this.db.manager, keyed.lockKey, attempt, { autosave: true });
    if (outcome instanceof ApiErrors) throw outcome;
    return outcome.result;
  }

  /**
   * Performs a request of an `OutsideTransaction` endpoint, and stores its response afterwards. Concurrent requests with
   * the same key are all performed, and errors are not stored.
   */
  async performAndStore<R>(keyed: KeyedRequest, work: () => Promise<PerformedRequest<R>>): Promise<R> {
    await this.repeat(this.db.manager, keyed);
    const performed = await work();
    await this.store(this.db.manager, keyed, performed);
    return performed.result;
  }

  /** Throws the stored response of the first request with the key, if there was one. */
  private async repeat(tx: EntityManager, { key, id, fingerprint }: KeyedRequest): Promise<void> {
    const stored = await rows(tx, IdempotentRequest).where('id', id).getOne();
    if (!stored || Date.parse(stored.createdAt) <= this.clock.ms() - KEPT_MS) return;
    if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused(key);
    const body = stored.sealedBody === null ? null : this.vault.open(stored.sealedBody);
    throw new StoredAnswer(stored.status, body, { 'idempotent-replayed': 'true' });
  }

  private store(
    tx: EntityManager,
    { id, userId, fingerprint }: KeyedRequest,
    { status, body }: Omit<PerformedRequest<unknown>, 'result'>,
  ): Promise<void> {
    const row: Row<IdempotentRequest> = {
      id,
      userId,
      createdAt: this.clock.now().toISOString(),
      fingerprint,
      status,
      sealedBody: body === null ? null : this.vault.seal(body),
    };
    return write(tx, [insertOrUpdate(IdempotentRequest, [row], ['createdAt', 'fingerprint', 'status', 'sealedBody'])]);
  }
}

/** An error that a repetition returns too. */
function keptError(thrown: unknown): ApiErrors | undefined {
  const known = thrown instanceof ApiError ? new ApiErrors([thrown]) : thrown;
  if (!(known instanceof ApiErrors) || !KEPT_ERRORS.has(known.status)) return undefined;
  return known.errors.some(({ headers }) => 'retry-after' in headers) ? undefined : known;
}
