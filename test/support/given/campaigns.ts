import { Parsed } from '../../../src/common/http/params/parsed.js';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import type { CreateCampaign } from '../../../src/campaigns/campaigns/campaigns.dto.js';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type { CreateFundingInstrument } from '../../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import type { CreateLineItem } from '../../../src/campaigns/line-items/line-items.dto.js';
import { LineItemsService } from '../../../src/campaigns/line-items/line-items.service.js';
import type { CreateTargetingCriterion } from '../../../src/campaigns/targeting-criteria/targeting-criteria.dto.js';
import { TargetingCriteriaService } from '../../../src/campaigns/targeting-criteria/targeting-criteria.service.js';
import { LineItemCuratedCategoriesService } from '../../../src/campaigns/line-item-curated-categories/line-item-curated-categories.service.js';
import { MediaCreativesService } from '../../../src/campaigns/media-creatives/media-creatives.service.js';
import { PrerollCallToActionsService } from '../../../src/campaigns/preroll-call-to-actions/preroll-call-to-actions.service.js';
import { PromotedAccountsService } from '../../../src/campaigns/promoted-accounts/promoted-accounts.service.js';
import { PromotedPostsService } from '../../../src/campaigns/promoted-posts/promoted-posts.service.js';
import { ScheduledPromotedPostsService } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-posts.service.js';
import type { CreateAbTest } from '../../../src/campaigns/ab-tests/ab-tests.dto.js';
import { AbTestsService } from '../../../src/campaigns/ab-tests/ab-tests.service.js';
import { TrackingTagsService } from '../../../src/campaigns/tracking-tags/tracking-tags.service.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import { AccountMedia, type CreativeType } from '../../../src/creatives/account-media/account-media.entity.js';
import { world } from '../app.js';
import { accounts } from './accounts.js';
import { creatives } from './creatives.js';
import { reference } from './reference.js';
import { fresh, type Some } from './fresh.js';

/** When a campaign runs: what its line items span. */
interface Flight {
  start_time?: string | null;
  end_time?: string | null;
}

/** On which line item of an account something is. */
interface OnLineItem {
  account: ActingAccount;
  lineItemId?: string;
}

/** What is advertised, and what pays for it. */
export const campaigns = {
  async fundingInstrument({ account, ...params }: Some<CreateFundingInstrument>) {
    return world()
      .get(FundingInstrumentsService)
      .create(account, { currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD', ...params });
  },

  /** An active campaign; its funding is made where none is named. */
  async campaign({ start_time = null, end_time = null, ...params }: Some<CreateCampaign> & Flight) {
    const [campaign] = await campaigns.campaigns({ count: 1, ...params });
    if (start_time === null && end_time === null) return campaign;
    const flight = `UPDATE campaigns SET "startTime" = $2, "endTime" = $3 WHERE id = $1`;
    await world().sql(flight, campaign.id, start_time, end_time);
    return { ...campaign, startTime: start_time, endTime: end_time };
  },

  /** Many campaigns that differ in their numbered names, 40 at a time. */
  async campaigns({ account, count: wanted, ...params }: Some<CreateCampaign> & { count: number }) {
    const funding_instrument_id = params.funding_instrument_id ?? (await campaigns.fundingInstrument({ account })).id;
    const service = world().get(CampaignsService);
    const operations = Array.from({ length: wanted }, () => ({
      operation_type: 'Create',
      params: {
        name: fresh('Campaign'),
        daily_budget_amount_local_micro: 5_500_000,
        ...params,
        funding_instrument_id,
      },
    }));
    const made = [];
    for (let from = 0; from < wanted; from += 40) {
      const { items } = await service.batch(account, operations.slice(from, from + 40));
      made.push(...items.map(({ campaign }) => campaign));
    }
    return made;
  },

  /** An active line item that runs; its campaign is made where none is named. */
  async lineItem({ account, ...params }: Some<CreateLineItem>) {
    const [item] = await campaigns.lineItems({ account, count: 1, ...params });
    return item;
  },

  /** Many line items, 40 at a time, a hundred to a campaign where none is named. */
  async lineItems({ account, count: wanted, ...params }: Some<CreateLineItem> & { count: number }) {
    const service = world().get(LineItemsService);
    const made = [];
    for (let from = 0; from < wanted; from += 40) {
      const campaign_id = params.campaign_id ?? (await campaigns.campaign({ account, entity_status: 'PAUSED' })).id;
      const operations = Array.from({ length: Math.min(40, wanted - from) }, () => ({
        operation_type: 'Create',
        params: {
          objective: 'ENGAGEMENTS',
          product_type: 'PROMOTED_POSTS',
          placements: ['ALL_ON_PLATFORM'],
          start_time: '2026-01-01T00:00:00Z',
          end_time: '2036-01-01T00:00:00Z',
          name: fresh('Line item'),
          ...params,
          campaign_id,
        },
      }));
      const { items } = await service.batch(account, operations);
      made.push(...items.map(({ item }) => item));
    }
    return made;
  },

  /** A criterion: a keyword unless something else is named; of a line item of its own unless one is named. */
  async targetingCriterion({ account, ...params }: Some<CreateTargetingCriterion>) {
    const line_item_id = params.line_item_id ?? (await campaigns.lineItem({ account })).id;
    const { criterion } = await world()
      .get(TargetingCriteriaService)
      .create(
        account,
        Parsed.complete({
          targeting_type: 'BROAD_KEYWORD' as const,
          targeting_value: fresh('keyword'),
          ...params,
          line_item_id,
        }),
      );
    return criterion;
  },

  /** Many keywords of a line item, 500 at a time. */
  async keywords({ account, count, line_item_id }: { account: ActingAccount; count: number; line_item_id: string }) {
    const service = world().get(TargetingCriteriaService);
    for (let from = 0; from < count; from += 500) {
      const operations = Array.from({ length: Math.min(500, count - from) }, () => ({
        operation_type: 'Create',
        params: { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value: fresh('keyword') },
      }));
      await service.batch(account, operations);
    }
  },

  /** A post of the acting user that a line item promotes; both are made where none is named. */
  async promotedPost({ account, lineItemId, postId }: OnLineItem & { postId?: string }) {
    const line_item_id = lineItemId ?? (await campaigns.lineItem({ account, entity_status: 'PAUSED' })).id;
    const post_ids = [postId ?? (await creatives.post({ account })).id];
    const { result } = await world()
      .get(PromotedPostsService)
      .create(account, Parsed.complete({ line_item_id, post_ids }));
    return result.items[0];
  },

  /** A line item that shows in-stream videos. */
  prerollLineItem: ({ account, ...params }: Some<CreateLineItem>) =>
    campaigns.lineItem({
      account,
      objective: 'PREROLL_VIEWS',
      product_type: 'MEDIA',
      categories: ['IAB3'],
      ...params,
    }),

  /** A line item for followers. */
  followersLineItem: ({ account, ...params }: Some<CreateLineItem>) =>
    campaigns.lineItem({ account, objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT', ...params }),

  /** A promotable user whom a line item promotes; both are made where none is named. */
  async promotedAccount({ account, lineItemId, userId }: OnLineItem & { userId?: string }) {
    const line_item_id = lineItemId ?? (await campaigns.followersLineItem({ account, entity_status: 'PAUSED' })).id;
    const user_id = userId ?? (await accounts.promotableUser(account)).userId;
    return (await world().get(PromotedAccountsService).create(account, Parsed.complete({ line_item_id, user_id })))
      .result;
  },

  /** A medium that can be shown by itself; an in-stream video unless said otherwise. */
  async accountMedia(account: ActingAccount, creativeType: CreativeType = 'PREROLL'): Promise<Row<AccountMedia>> {
    const { clock } = world();
    const category = creativeType.endsWith('PREROLL') ? 'AMPLIFY_VIDEO' : 'POST_IMAGE';
    const { mediaKey, file } = await creatives.libraryMedia(account, { category });
    const media = { ...newRow(clock.now()), accountId: account.id, mediaKey, creativeType, file };
    await write(world().get(DataSource).manager, [insert(AccountMedia, [media])]);
    return media;
  },

  /** An in-stream video that a line item shows; both are made where none is named. */
  async mediaCreative({ account, lineItemId }: OnLineItem) {
    const line_item_id = lineItemId ?? (await campaigns.prerollLineItem({ account, entity_status: 'PAUSED' })).id;
    const { id: account_media_id } = await campaigns.accountMedia(account);
    return (
      await world().get(MediaCreativesService).create(account, Parsed.complete({ line_item_id, account_media_id }))
    ).result;
  },

  /** A scheduled post that a line item is to promote; both are made where none is named. */
  async scheduledPromotedPost({ account, lineItemId, postId }: OnLineItem & { postId?: string }) {
    const line_item_id = lineItemId ?? (await campaigns.lineItem({ account, entity_status: 'PAUSED' })).id;
    const scheduled_post_id = postId ?? (await creatives.scheduledPost({ account })).id;
    const params = { line_item_id, scheduled_post_id };
    return (await world().get(ScheduledPromotedPostsService).create(account, Parsed.complete(params))).result;
  },

  /** The button of a line item with in-stream videos, which is made where none is named. */
  async prerollCallToAction({ account, lineItemId }: OnLineItem) {
    const line_item_id = lineItemId ?? (await campaigns.prerollLineItem({ account, entity_status: 'PAUSED' })).id;
    const params = { line_item_id, call_to_action: 'SHOP', call_to_action_url: 'https://example.com/' } as const;
    return (await world().get(PrerollCallToActionsService).create(account, Parsed.complete(params))).result;
  },

  /** A test of campaigns, each with an equal part of the users; two are made where none are named. */
  async abTest({ account, campaignIds, ...given }: Some<CreateAbTest> & { campaignIds?: string[] }) {
    const ids = campaignIds ?? [
      (await campaigns.lineItem({ account, entity_status: 'PAUSED' })).campaignId,
      (await campaigns.lineItem({ account, entity_status: 'PAUSED' })).campaignId,
    ];
    const at = (ms: number) => new Date(account.now().getTime() + ms).toISOString();
    const params = {
      start_time: at(3_600_000),
      end_time: at(3 * 86_400_000),
      entity_type: 'CAMPAIGN' as const,
      user_groups: ids.map((id) => ({ entity_ids: [id], size: String(100 / ids.length) })),
      ...given,
    };
    return (await world().get(AbTestsService).create(account, Parsed.complete(params))).test;
  },

  /** A tag that counts clicks on a line item, which is made where none is named. */
  async trackingTag({ account, lineItemId }: OnLineItem) {
    const line_item_id = lineItemId ?? (await campaigns.lineItem({ account, entity_status: 'PAUSED' })).id;
    const params = {
      line_item_id,
      tracking_tag_type: 'CLICK_TRACKER',
      tracking_tag_url: 'https://counter.example/',
    } as const;
    return world().get(TrackingTagsService).create(account, Parsed.complete(params));
  },

  /** The curated category of a line item with in-stream videos; both are made where none is named. */
  async lineItemCuratedCategory({ account, lineItemId, categoryId }: OnLineItem & { categoryId?: string }) {
    const line_item_id = lineItemId ?? (await campaigns.prerollLineItem({ account, entity_status: 'PAUSED' })).id;
    const curated_category_id = categoryId ?? (await reference.curatedCategory()).id;
    const params = { line_item_id, curated_category_id };
    return (await world().get(LineItemCuratedCategoriesService).create(account, Parsed.complete(params))).result;
  },
};
