import type { Row } from '../db/query/rows.js';
import { newId } from './ids.js';
import type { Resource } from './resource.entity.js';
import { nextUpdatedAt } from './updated-at.js';

/** What every new row has besides its own columns; `makeId` is `newId` unless given. */
export function newRow(now: Date, makeId: (at: Date) => string = newId): Row<Resource> {
  const time = now.toISOString();
  return { id: makeId(now), createdAt: time, updatedAt: time, deletedAt: null };
}

/** A row as it is once it is marked deleted. */
export function deletedRow<R extends Row<Resource>>(row: R, now: Date): R {
  const time = nextUpdatedAt(row.updatedAt, now);
  return { ...row, updatedAt: time, deletedAt: time };
}
