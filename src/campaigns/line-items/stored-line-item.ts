import type { ContentProblem } from '../../common/entity/snapshots.js';
import { columnOf } from '../../common/db/query/field-columns.js';
import type { Row } from '../../common/db/query/rows.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { termsOf } from './line-item.changes.js';
import { CONDITIONS } from './line-item.rules.js';
import { isLasting } from './line-item.terms.js';

const LASTING = CONDITIONS.filter(isLasting);

const asTime = (time: unknown): string => new Date(time as string).toISOString();

/** Why a row with valid columns is no line item that requests could have made; undefined if it is one. */
export function storedLineItemProblem(row: Row<LineItem>): ContentProblem | undefined {
  const terms = termsOf({ ...row, startTime: asTime(row.startTime), endTime: asTime(row.endTime) });
  for (const { problem } of LASTING) {
    const found = problem(terms);
    if (!found) continue;
    const column = columnOf(found.detail.parameter!);
    return { column, message: found.message, value: (row as unknown as Record<string, unknown>)[column] };
  }
  return undefined;
}
