import type { Type } from '@nestjs/common';
import { AudiencePermission } from '../../audiences/audience-permissions/audience-permission.entity.js';
import { AudienceIdentifier } from '../../audiences/entities/audience-identifier.entity.js';
import { AudienceSizing } from '../../audiences/entities/audience-sizing.entity.js';
import { CustomAudience } from '../../audiences/entities/custom-audience.entity.js';
import { DoNotReachList } from '../../audiences/entities/do-not-reach-list.entity.js';
import { TargetingCriterion, TargetingSet } from '../../campaigns/criterion-sets/targeting-criterion.entity.js';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { FundingInstrument } from '../../campaigns/funding-instruments/funding-instrument.entity.js';
import { LineItemCuratedCategory } from '../../campaigns/line-item-curated-categories/line-item-curated-category.entity.js';
import { MediaCreative } from '../../campaigns/media-creatives/media-creative.entity.js';
import { PrerollCallToAction } from '../../campaigns/preroll-call-to-actions/preroll-call-to-action.entity.js';
import { PromotedAccount } from '../../campaigns/promoted-accounts/promoted-account.entity.js';
import { PromotedPost } from '../../campaigns/promoted-posts/promoted-post.entity.js';
import { ScheduledPromotedPost } from '../../campaigns/scheduled-promoted-posts/scheduled-promoted-post.entity.js';
import { AccountMedia } from '../../creatives/account-media/account-media.entity.js';
import { Card } from '../../creatives/entities/card.entity.js';
import { DraftPost } from '../../creatives/entities/draft-post.entity.js';
import { LibraryMedia } from '../../creatives/entities/library-media.entity.js';
import { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import { PostName } from '../../creatives/posts/post-name.entity.js';
import { usersByTypes } from '../../statistics/delivery/delivery.tables.js';
import { DeliveryAudience, type AudienceCriterion } from '../../statistics/facts/delivery-audience.entity.js';
import { DeliveryDay } from '../../statistics/facts/delivery-day.entity.js';
import { DeliveryFact } from '../../statistics/facts/delivery-fact.entity.js';
import { DeliveryRollup } from '../../statistics/facts/delivery-rollup.entity.js';
import type { SavedRow } from './snapshot-file.rules.js';

/** A table whose rows belong to accounts. */
export interface SnapshotTable {
  entity: Type;
  /** Which column names the owner: the account itself, or one of its audiences and do-not-reach lists. */
  owner: 'accountId' | 'audienceId';
  /**
   * Columns that a restore sets to an SQL expression over the saved row `n`. A revision continues after the saved one: a
   * request that read the state before the restore must not find the revision that it read.
   */
  restored?: Record<string, string>;
  /**
   * Columns that no file has, because they say who is in the directory or how many users were estimated there, and the
   * value that each has after an import, for a row of the file: everybody is matched, counted and estimated again.
   */
  withheld?: Record<string, (row: SavedRow) => unknown>;
}

/** Before all times: due by every clock, and older than every estimate. */
const LONG_AGO = new Date(0).toISOString();
const nothing = () => null;
const longAgo = () => LONG_AGO;

const NEXT = (column: string) => ({ [column]: `n."${column}" + 1` });

/** The number of types of targeting that include users. */
const includedTypes = (criteria: readonly AudienceCriterion[]): number =>
  new Set(criteria.flatMap(([type, , operator]) => (operator === 'NE' ? [] : [type]))).size;

/** The tables of a snapshot, which a reset empties. There are no foreign keys, so any order is right. */
export const SNAPSHOT_TABLES: readonly SnapshotTable[] = [
  { entity: FundingInstrument, owner: 'accountId' },
  { entity: Campaign, owner: 'accountId' },
  { entity: LineItem, owner: 'accountId' },
  { entity: TargetingSet, owner: 'accountId', restored: NEXT('revision') },
  { entity: TargetingCriterion, owner: 'accountId' },
  { entity: LineItemCuratedCategory, owner: 'accountId' },
  { entity: MediaCreative, owner: 'accountId' },
  { entity: PrerollCallToAction, owner: 'accountId' },
  { entity: PromotedAccount, owner: 'accountId' },
  { entity: PromotedPost, owner: 'accountId' },
  { entity: ScheduledPromotedPost, owner: 'accountId' },
  {
    entity: DeliveryAudience,
    owner: 'accountId',
    withheld: {
      users: ({ criteria }) => usersByTypes(includedTypes(criteria as AudienceCriterion[])),
      estimatedAt: longAgo,
    },
  },
  { entity: DeliveryFact, owner: 'accountId' },
  { entity: DeliveryDay, owner: 'accountId' },
  { entity: DeliveryRollup, owner: 'accountId' },
  { entity: LibraryMedia, owner: 'accountId' },
  { entity: AccountMedia, owner: 'accountId' },
  { entity: Card, owner: 'accountId' },
  { entity: DraftPost, owner: 'accountId' },
  { entity: ScheduledPost, owner: 'accountId' },
  { entity: PostName, owner: 'accountId' },
  { entity: CustomAudience, owner: 'accountId' },
  { entity: DoNotReachList, owner: 'accountId' },
  { entity: AudiencePermission, owner: 'accountId' },
  // its index is by audience; nobody counts the restored people yet
  {
    entity: AudienceSizing,
    owner: 'audienceId',
    restored: { ...NEXT('generation'), countedUntil: 'NULL' },
    // the time of the next count is that at which a matched person joins or leaves
    withheld: { matchedTo: nothing, dueAt: longAgo, waitingSince: nothing, countedUntil: nothing },
  },
  { entity: AudienceIdentifier, owner: 'audienceId', withheld: { users: nothing } },
];

/** Entities with an account that snapshots do not have, by name, and why. */
export const NOT_IN_SNAPSHOTS: Readonly<Record<string, string>> = {
  AccountApp: 'operators manage the apps of an account',
  AccountChange: 'the history stays, and so do the events in it',
  DeliveryPosition: 'the simulated delivery does not repeat hours',
  Fault: 'faults belong to applications',
  JournaledRequest: 'the journal belongs to applications',
  Namespace: 'namespaces belong to applications',
  Membership: 'members keep their access',
  OutgoingEvent: 'events are on their way to webhooks',
  Post: 'posts belong to their authors, and other accounts may promote them',
  PreviewNotification: 'notifications belong to users; a reset deletes those about the account',
  PromotableUser: 'operators manage whose posts an account may promote',
  SnapshotPart: 'a snapshot does not contain snapshots',
  StatisticsJob: 'jobs and their files stay until they expire; those of removed entities fail',
  WebhookSubscription: 'subscriptions belong to webhooks',
};
