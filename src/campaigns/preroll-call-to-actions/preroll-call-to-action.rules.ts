import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { incompatibleLineItem } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';

/** Settings of in-stream videos require a line item that shows them; `what` names the setting. */
export const inStreamProblem = (
  { id, objective }: Pick<Row<LineItem>, 'id' | 'objective'>,
  what: string,
): ApiError | undefined =>
  objective === 'PREROLL_VIEWS'
    ? undefined
    : incompatibleLineItem(
        `Line Item ${id} cannot have ${what}`,
        id,
        `its objective is ${objective}; in-stream videos are shown for PREROLL_VIEWS`,
      );
