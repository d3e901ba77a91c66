import { closedSet } from '../common/closed-set.js';
import type { EntityStatus } from './entities/campaign.entity.js';
import type { Objective } from './entities/line-item.tables.js';

/** What line items show has been looked at by somebody, or not yet. */
export const APPROVAL_STATUSES = closedSet('ApprovalStatus', ['ACCEPTED', 'UNDER_REVIEW', 'REJECTED']);
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** What can be attached to a line item in order to be shown. */
export type ShownThing = 'ACCOUNT' | 'MEDIA' | 'POST';

/** Whether a thing gives a line item something to show: one for followers shows accounts, and posts only beside them. */
export const countsAsShown = (thing: ShownThing, objective: Objective): boolean =>
  (thing === 'ACCOUNT') === (objective === 'FOLLOWERS');

/** `paused` of what is attached, in the word of the specification; lists sort by it. */
export const statusOfShown = ({ paused }: { paused: boolean }): EntityStatus => (paused ? 'PAUSED' : 'ACTIVE');
