import { defineResource } from '../../accounts/resources/resource-definition.js';
import { tooManyActiveLineItems, tooManyLineItems } from '../campaigns.errors.js';
import { LineItem } from '../entities/line-item.entity.js';
import { ACTIVE_LINE_ITEMS, LINE_ITEMS_OF_CAMPAIGN } from '../entities/line-item.limits.js';
import { snapshotOfLineItem } from './line-item.presenter.js';
import { releaseExpired } from '../statements/line-item.statements.js';

/** Deleting a line item leaves its promoted posts, targeting and other creatives unchanged. */
export const LINE_ITEMS = defineResource<LineItem>({
  entity: LineItem,
  name: 'LINE_ITEM',
  label: 'Line Item',
  parameter: 'line_item_id',
  snapshot: snapshotOfLineItem,
  limits: [
    {
      ...LINE_ITEMS_OF_CAMPAIGN,
      ownerOf: ({ campaignId }) => campaignId,
      counts: ({ deletedAt }) => deletedAt === null,
      refusal: tooManyLineItems,
    },
    {
      ...ACTIVE_LINE_ITEMS,
      ownerOf: ({ accountId }) => accountId,
      counts: ({ counted, deletedAt }) => counted && deletedAt === null,
      release: releaseExpired,
      refusal: tooManyActiveLineItems,
    },
  ],
});
