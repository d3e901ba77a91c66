import { LRUCache } from 'lru-cache';
import type { Row } from '../../common/db/query/rows.js';
import type { Campaign } from '../entities/campaign.entity.js';

type CampaignRow = Row<Campaign>;

/** How many there are at most. */
const MAX_CACHED_CAMPAIGNS = 10_000;

/**
 * Campaigns as new line items of them were judged last. Nobody says when they change: what is stored on their word checks
 * them again in the same statement, and what would be refused is judged again on what is stored.
 */
export class CampaignCache {
  private readonly rows = new LRUCache<string, CampaignRow>({ max: MAX_CACHED_CAMPAIGNS });

  /** Copies of these campaigns of an account; undefined where one of them is not remembered. */
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
