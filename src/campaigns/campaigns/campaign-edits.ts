import { created, removed, updated, type Change } from '../../accounts/change-log/change-log.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, replace, type Precondition, type Write } from '../../common/db/query/write.js';
import { Campaign } from './campaign.entity.js';
import { snapshotOfCampaign } from './campaign.presenter.js';
import { isActive } from './campaign.rules.js';

type CampaignRow = Row<Campaign>;

/** What a request does to campaigns, gathered in memory so that one statement can store it; later steps see earlier ones. */
export class CampaignEdits {
  readonly changes: Change[] = [];
  private readonly current: Map<string, CampaignRow>;

  /** `stored`: the campaigns it may change, read under a lock. */
  constructor(private readonly stored: ReadonlyMap<string, CampaignRow> = new Map()) {
    this.current = new Map(stored);
  }

  /** The campaign as it is after the steps so far; undefined when it is not there, or no more. */
  find(id: string): CampaignRow | undefined {
    const campaign = this.current.get(id);
    return campaign?.deletedAt === null ? campaign : undefined;
  }

  add(campaign: CampaignRow): CampaignRow {
    this.changes.push(created('CAMPAIGN', campaign.id, snapshotOfCampaign(campaign)));
    this.current.set(campaign.id, campaign);
    return campaign;
  }

  /** Takes the place of what `find` gave. Where nothing differs nothing is recorded. */
  replace(before: CampaignRow, after: CampaignRow): CampaignRow {
    const { updatedAt: _, ...rest } = after;
    if (Object.entries(rest).every(([name, value]) => before[name as keyof CampaignRow] === value)) return before;
    const [was, is] = [snapshotOfCampaign(before), snapshotOfCampaign(after)];
    this.changes.push(
      after.deletedAt === null ? updated('CAMPAIGN', after.id, was, is) : removed('CAMPAIGN', after.id, is),
    );
    this.current.set(after.id, after);
    return after;
  }

  parts(): Write[] {
    const rows = [...this.current.values()];
    const isNew = (row: CampaignRow) => !this.stored.has(row.id);
    return [
      insert(Campaign, rows.filter(isNew)),
      replace(
        Campaign,
        rows.filter((row) => !isNew(row) && row !== this.stored.get(row.id)),
      ),
    ];
  }

  /** By how many the active campaigns become more, or with a minus fewer. */
  activated(): number {
    let more = 0;
    for (const [id, row] of this.current) more += Number(isActive(row)) - Number(isActive(this.stored.get(id)));
    return more;
  }
}

/** Part 3, 8: raises the account's counter below its limit; lowering it is always possible. */
export const countActiveCampaigns = (accountId: string, more: number): Precondition => ({
  sql: (bind, when) => {
    const by = `${bind(more)}::int`;
    return `UPDATE account_counts SET "activeCampaigns" = "activeCampaigns" + ${by}
      WHERE "accountId" = ${bind(accountId)} AND (${by} <= 0 OR "activeCampaigns" + ${by} <= "activeCampaignLimit") AND ${when} RETURNING 1`;
  },
});
