import type { Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiErrors, refuseAny } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ChangedBy } from '../change-log/change-log.js';
import type { Write } from './define-write.js';
import type { Locking, Which } from './locking.js';
import type { ResourceRow } from './resource-definition.js';
import { whereKeyIn } from './resource-rows.js';
import type { Plan } from './resource-store.service.js';
import type { UnitOfWork } from './unit-of-work.js';

/** What the store needs to perform writes: the rows to change, the locks to hold, and the plan of the changes. */
export interface PlannedWrite<T extends Resource, R> {
  which: Which<T>;
  locking: Locking;
  plan: Plan<T, R>;
}

/** Prepares the write of one request. Throws the errors of the request if its target is not readable. */
export function planned<T extends Resource, P extends object, C, R, A extends ChangedBy>(
  account: A,
  write: Write<T, P, C, R, A>,
  request: Parsed<P>,
): PlannedWrite<T, R> {
  const target = targetOf(write, request);
  return {
    which: target === undefined ? [] : rowsWithKeys(account, write, [target]),
    locking: write.locking?.([request], account) ?? {},
    plan: async (unitOfWork, db) => {
      const creating = write.target === undefined ? [request] : [];
      const context = (await write.context?.({ account, unitOfWork, db }, [request], creating)) as C;
      return applied(unitOfWork, write, request, context);
    },
  };
}

/** Validates a request, and performs it if there are no errors. */
export function applied<T extends Resource, P extends object, C, R, A extends ChangedBy>(
  unitOfWork: UnitOfWork<T>,
  write: Write<T, P, C, R, A>,
  request: Parsed<P>,
  context: C,
): R {
  const { targetColumn, upserts, problems, refused, apply } = write;
  const target = targetOf(write, request);
  try {
    const find = (key: string) => (upserts ? unitOfWork.get(key, targetColumn) : unitOfWork.find(key, targetColumn));
    const row = (target === undefined ? undefined : find(target)) as ResourceRow<T>;
    refuseAny(problems?.(request, context, row) ?? []);
    return request.isWhole ? apply(unitOfWork, request.params, context, row, request) : (undefined as R);
  } catch (error) {
    refused?.(context);
    throw error;
  }
}

/** The rows that a write may change, of those with these keys in its target column. */
export function rowsWithKeys<T extends Resource, P extends object, C, R, A extends ChangedBy>(
  account: A,
  { narrow = (rows) => rows, targetColumn }: Write<T, P, C, R, A>,
  keys: readonly string[],
): Which<T> {
  if (keys.length === 0) return [];
  return (rows: Rows<T>) => narrow(whereKeyIn(rows, keys, targetColumn), account);
}

/**
 * The target of a request; undefined for a write without one. Throws the errors of a request whose target is not
 * readable, because the rest of it cannot be validated.
 */
function targetOf<T extends Resource, P extends object, C, R, A extends ChangedBy>(
  { target }: Write<T, P, C, R, A>,
  request: Parsed<P>,
): string | undefined {
  if (target === undefined) return undefined;
  const key = request.value(target) as string | undefined;
  if (key === undefined) throw new ApiErrors([...request.errors]);
  return key;
}
