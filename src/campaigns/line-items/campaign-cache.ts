import { LRUCache } from 'lru-cache';
import type { Row } from '../../common/db/query/rows.js';
import type { Campaign } from '../entities/campaign.entity.js';

type CampaignRow = Row<Campaign>;

/** Maximum number of cached campaigns. */
const MAX_CACHED_CAMPAIGNS = 10_000;

/**
 * Campaigns as new line items were last validated against them. No notification reports their changes: a statement that
 * relies on a cached campaign checks it again, and a request that the cached campaign would reject is validated again
 * against the stored one.
 */
export class CampaignCache {
  private readonly rows = new LRUCache<string, CampaignRow>({ max: MAX_CACHED_CAMPAIGNS });

  /** Copies of these campaigns of an account; undefined if one of them is not cached. */
  get(account: { id: string }, ids: readonly string[]): CampaignRow[] | undefined {
    const found: CampaignRow[] = [];
    for (const id of ids) {
      const campaign = this.rows.get(id);
      if (campaign?.accountId !== account.id) return undefined;
      found.push({ ...campaign });
    }
    return found;
  }

  keep(campaigns: readonly CampaignRow[]): void {
    for (const campaign of campaigns) this.rows.set(campaign.id, { ...campaign });
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.rows.delete(id);
  }
}
