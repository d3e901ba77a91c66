import type { EntityManager } from 'typeorm';
import { countersOf, isLimitReached } from '../../common/db/counters/counters.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { TimedAuthor } from '../change-log/change-log.js';
import type { ResourceRow, Unique } from '../resource-definition.js';
import { rowsOfAccount } from './resource-rows.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Why items cannot be stored, by operation. */
export class StoreRefusal extends Error {
  constructor(readonly errors: Map<number, ApiError>) {
    super('the database rejected the write');
  }
}

/**
 * Translates the error of a storing statement: a full limit or a taken name becomes a `StoreRefusal`, or a
 * `ConflictRetry` if the reason has gone meanwhile. Other errors are returned unchanged. Call it after the transaction,
 * which can no longer run queries.
 */
export async function refusalOf<T extends Resource>(
  error: unknown,
  unit: UnitOfWork<T, TimedAuthor>,
  db: EntityManager,
): Promise<unknown> {
  if (isLimitReached(error)) return limitRefusal(unit, db);
  const { code, constraint } = sqlStateOf(error);
  const unique = code === '23505' && unit.definition.uniques?.find(({ index }) => index === constraint);
  return unique ? duplicateRefusal(unique, unit, db) : error;
}

async function duplicateRefusal<T extends Resource>(
  { columns, refusal, everywhere }: Unique<T>,
  unit: UnitOfWork<T, TimedAuthor>,
  db: EntityManager,
): Promise<StoreRefusal | ConflictRetry> {
  if (!refusal) return new ConflictRetry();
  const { account, definition } = unit;
  const keyOf = (row: ResourceRow<T>) => JSON.stringify(columns.map((column) => row[column]));
  const results = unit.results();
  const taken = everywhere ? rows(db, definition.entity).withDeleted() : rowsOfAccount(db, account, definition);
  for (const column of columns) taken.whereIn(column, [...new Set(results.map(({ row }) => row[column]))]);
  const own = new Set(results.map(({ row }) => row.id));
  const others = ((await taken.getMany()) as ResourceRow<T>[]).filter(({ id }) => !own.has(id));
  const keys = new Set(others.map(keyOf));
  const errors = new Map<number, ApiError>();
  for (const { operation, row } of results) {
    const key = keyOf(row);
    if (keys.has(key)) errors.set(operation, refusal(row));
    keys.add(key);
  }
  // The row that held the unique value has released it meanwhile.
  return errors.size > 0 ? new StoreRefusal(errors) : new ConflictRetry();
}

async function limitRefusal<T extends Resource>(
  unit: UnitOfWork<T, TimedAuthor>,
  db: EntityManager,
): Promise<StoreRefusal | ConflictRetry> {
  const { limits = [] } = unit.definition;
  const contributions = unit.contributions();
  const raised = unit.counted().filter(({ by }) => by > 0);
  // Before reading the counters, wait for others that lower them.
  for (const { ownerId, kind } of raised) {
    const { release } = limits.find((each) => each.kind === kind)!;
    if (await release?.(db, ownerId, unit.now)) return new ConflictRetry();
  }
  const counters = await countersOf(db, [...new Set(contributions.map(({ ownerId }) => ownerId))]);
  const errors = new Map<number, ApiError>();
  for (const { ownerId, kind, by } of raised) {
    const { refusal, limit: byDefault } = limits.find((each) => each.kind === kind)!;
    const { value, limit } = counters.find((each) => each.ownerId === ownerId && each.kind === kind) ?? {
      value: 0,
      limit: byDefault,
    };
    if (value + by <= limit) continue;
    const own = contributions.filter((each) => each.ownerId === ownerId && each.kind === kind);
    let freeSlots = limit - value - own.reduce((freed, each) => freed + Math.min(0, each.by), 0);
    for (const { operation } of own.filter((each) => each.by > 0)) {
      if (freeSlots > 0) freeSlots--;
      else errors.set(operation, refusal(limit));
    }
  }
  // The limit is no longer reached.
  return errors.size > 0 ? new StoreRefusal(errors) : new ConflictRetry();
}
