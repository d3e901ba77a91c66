import { In, type EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import type { Objective } from '../../campaigns/entities/line-item.tables.js';
import { FundingInstrument } from '../../campaigns/funding-instruments/funding-instrument.entity.js';
import { MediaCreative } from '../../campaigns/media-creatives/media-creative.entity.js';
import { PromotedAccount } from '../../campaigns/promoted-accounts/promoted-account.entity.js';
import { PromotedPost } from '../../campaigns/promoted-posts/promoted-post.entity.js';
import type { StatisticsEntity } from '../account-statistics/metrics.js';

/** The label of an entity in reports. */
export interface EntityLabel {
  /** Null if it has none. */
  name: string | null;
  /** The currency of its spend; null for an account, which may have several. */
  currency: string | null;
  /** The objective of its line item; null for what has several line items. */
  objective: Objective | null;
}

export const UNLABELLED: EntityLabel = { name: null, currency: null, objective: null };

/** Labels of entities of an account by id, deleted ones included. */
export async function labelsOf(
  db: EntityManager,
  accountId: string,
  entity: StatisticsEntity,
  ids: readonly string[],
): Promise<Map<string, EntityLabel>> {
  const own = { where: { accountId, id: In(ids) }, withDeleted: true };
  switch (entity) {
    case 'ACCOUNT':
      return labelled(await db.findBy(Account, { id: accountId }), ({ name }) => ({ name }));
    case 'CAMPAIGN':
      return labelled(await db.find(Campaign, own), ({ name, currency }) => ({ name, currency }));
    case 'FUNDING_INSTRUMENT':
      return labelled(await db.find(FundingInstrument, own), ({ description: name, currency }) => ({ name, currency }));
    case 'LINE_ITEM':
      return labelled(await db.find(LineItem, own), (item) => item);
    case 'MEDIA_CREATIVE':
      return ofLineItems(db, accountId, await db.find(MediaCreative, own));
    case 'PROMOTED_ACCOUNT':
      return ofLineItems(db, accountId, await db.find(PromotedAccount, own));
    case 'PROMOTED_POST':
      return ofLineItems(db, accountId, await db.find(PromotedPost, own));
    case 'ORGANIC_POST':
      return new Map();
  }
}

const labelled = <T extends { id: string }>(found: readonly T[], labelOf: (row: T) => Partial<EntityLabel>) =>
  new Map(
    found.map((row) => {
      const { name = null, currency = null, objective = null } = labelOf(row);
      return [row.id, { name, currency, objective }] as const;
    }),
  );

/** The creatives of line items have no name; currency and objective are those of the line item. */
async function ofLineItems(
  db: EntityManager,
  accountId: string,
  shown: readonly { id: string; lineItemId: string }[],
): Promise<Map<string, EntityLabel>> {
  const itemIds = [...new Set(shown.map(({ lineItemId }) => lineItemId))];
  const items = await labelsOf(db, accountId, 'LINE_ITEM', itemIds);
  return labelled(shown, ({ lineItemId }) => ({ ...items.get(lineItemId), name: null }));
}
