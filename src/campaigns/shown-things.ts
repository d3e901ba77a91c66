import { closedSet } from '../common/values/closed-set.js';
import type { EntityStatus } from './entities/campaign.entity.js';
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
