import type { Row } from './rows.js';
import { newId } from '../../entity/ids.js';
import type { Resource } from '../../entity/resource.entity.js';
import { nextUpdatedAt } from '../../entity/updated-at.js';

/** The common columns of a new row; `makeId` is `newId` by default. */
export function newRow(now: Date, makeId: (at: Date) => string = newId): Row<Resource> {
  const time = now.toISOString();
  return { id: makeId(now), createdAt: time, updatedAt: time, deletedAt: null };
}

/** A row after it is marked deleted. */
export function deletedRow<R extends Row<Resource>>(row: R, now: Date): R {
  const time = nextUpdatedAt(row.updatedAt, now);
  return { ...row, updatedAt: time, deletedAt: time };
}
