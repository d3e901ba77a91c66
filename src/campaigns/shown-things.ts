import type { Row } from '../common/db/query/rows.js';
import type { ApiError } from '../common/errors/api-error.js';
import { closedSet } from '../common/values/closed-set.js';
import { incompatibleLineItem } from './campaigns.errors.js';
import type { EntityStatus } from './entities/campaign.entity.js';
import type { LineItem } from './entities/line-item.entity.js';
import type { Objective } from './entities/line-item.tables.js';

/** Whether the creatives of a line item have been reviewed. */
export const APPROVAL_STATUSES = closedSet('ApprovalStatus', ['ACCEPTED', 'UNDER_REVIEW', 'REJECTED']);
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The kinds of creatives that can be attached to a line item. */
export type ShownThing = 'ACCOUNT' | 'MEDIA' | 'POST';

/**
 * Whether a creative counts as content of a line item. For line items for followers only accounts count, and posts are
 * shown only besides them.
 */
export const countsAsShown = (thing: ShownThing, objective: Objective): boolean =>
  (thing === 'ACCOUNT') === (objective === 'FOLLOWERS');

/** The `entity_status` for `paused` of a creative. Lists sort by it. */
export const statusOfShown = ({ paused }: { paused: boolean }): EntityStatus => (paused ? 'PAUSED' : 'ACTIVE');

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
