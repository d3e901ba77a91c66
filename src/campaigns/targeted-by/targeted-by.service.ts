import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { AudienceAccessService } from '../../audiences/audience-permissions/audience-access.service.js';
import { CUSTOM, unknownAudience } from '../../audiences/audience-permissions/audience-words.js';
import type { Rows } from '../../common/db/query/rows.js';
import { Page } from '../../common/http/answers/page.js';
import { readCursor, writeCursor } from '../../common/list/cursor.js';
import { one } from '../../common/list/one.js';
import { campaignsTargeting } from '../criterion-sets/targeting-criteria.statements.js';
import { TARGETING_CRITERIA, type TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { CAMPAIGNS } from '../entities/campaign.entity.js';
import { LINE_ITEMS_OF_CAMPAIGN } from '../entities/line-item-limits.statements.js';
import { LineItemDelivery } from '../line-items/line-item-delivery.service.js';
import type { LineItemWithDelivery } from '../line-items/line-item.presenter.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { ListTargetedBy } from './targeted-by.dto.js';
import type { Targeting } from './targeted-by.presenter.js';

const CAMPAIGNS_ON_A_PAGE = 200;

/** Finds the campaigns and line items that target an audience. */
@Injectable()
export class TargetedBy {
  constructor(
    private readonly audienceAccess: AudienceAccessService,
    private readonly lineItemDelivery: LineItemDelivery,
    private readonly parents: ParentLineItems,
    private readonly resources: Resources,
  ) {}

  /**
   * The campaigns of the account whose line items target the audience, which is its own or shared with it. The query
   * excludes what the database knows cannot serve. The rest is excluded when the page is assembled.
   */
  async list(
    account: ActingAccount,
    audienceId: string,
    { with_active: active = true, cursor }: ListTargetedBy,
  ): Promise<Page<Targeting>> {
    await one(this.audienceAccess.visibleTo(account), audienceId, unknownAudience(CUSTOM, account));
    const listing = ['targeted', account.id, audienceId, active];
    let after = cursor === undefined ? undefined : (readCursor(cursor, listing, 1)[0] as string);
    const found: Targeting[] = [];
    const limit = CAMPAIGNS_ON_A_PAGE + 1;
    const wanted = { accountId: account.id, audienceId, active, now: account.now().toISOString(), limit };
    for (let more = true; more && found.length < limit;) {
      const ids = await campaignsTargeting(account.db, { ...wanted, ...(after !== undefined && { after }) });
      more = ids.length === limit;
      after = ids.at(-1);
      if (ids.length > 0) found.push(...(await this.together(account, audienceId, ids, active)));
    }
    const items = found.slice(0, CAMPAIGNS_ON_A_PAGE);
    const last = found.length > items.length ? items.at(-1) : undefined;
    return new Page(items, last ? writeCursor([last.campaign.id], listing) : null);
  }

  /** The campaigns with these ids, in their order, with their line items that target the audience. */
  private async together(
    account: ActingAccount,
    audienceId: string,
    ids: string[],
    active: boolean,
  ): Promise<Targeting[]> {
    const naming = this.naming(account, audienceId).whereIn('campaignId', ids);
    const limit = ids.length * LINE_ITEMS_OF_CAMPAIGN.limit;
    const [campaigns, items] = await Promise.all([
      this.resources.of(account, CAMPAIGNS).whereIn('id', ids).getMany(),
      this.parents
        .shown(account)
        .whereInSmallSubquery('id', naming, 'lineItemId')
        .orderBy('id', 'DESC')
        .limit(limit)
        .getMany(),
    ]);
    const delivered = items.map(await this.lineItemDelivery.of(account, items));
    const shown = active ? delivered.filter(({ delivery }) => delivery.servable) : delivered;
    const ofCampaign = new Map(ids.map((id): [string, LineItemWithDelivery[]] => [id, []]));
    for (const each of shown) ofCampaign.get(each.item.campaignId)!.push(each);
    const campaignAt = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
    return ids.flatMap((id): Targeting[] => {
      const [campaign, lineItems] = [campaignAt.get(id), ofCampaign.get(id)!];
      return campaign && lineItems.length > 0 ? [{ campaign, lineItems }] : [];
    });
  }

  /** The criteria that target the audience, with the condition of their index. */
  private naming(account: ActingAccount, audienceId: string): Rows<TargetingCriterion> {
    return this.resources
      .of(account, TARGETING_CRITERIA)
      .where('targetingValue', audienceId)
      .whereAny(
        (criteria) => criteria.whereLiteral('targetingType', 'CUSTOM_AUDIENCE'),
        (criteria) => criteria.whereLiteral('targetingType', 'CUSTOM_AUDIENCE_EXPANDED'),
      );
  }
}
