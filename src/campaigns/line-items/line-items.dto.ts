import { IsIn } from 'class-validator';
import { invalid } from '../../common/errors/catalogue.js';
import type { ConstraintContext } from '../../common/http/params/constraints.js';
import { Example } from '../../common/http/params/dto-metadata.js';
import {
  Bool,
  DECIMAL,
  EnumList,
  Field,
  Id,
  Ids,
  Int,
  listSchema,
  Micro,
  OneOf,
  PACKAGE_NAME,
  list,
  text,
  Text,
  Timestamp,
  int,
  type Kind,
} from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { ENTITY_STATUSES, SETTABLE_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import {
  AUDIENCE_EXPANSIONS,
  CREATIVE_SOURCES,
  LineItem,
  type AudienceExpansion,
  type CreativeSource,
} from '../entities/line-item.entity.js';
import {
  BID_STRATEGIES,
  CAP_DAYS,
  GOALS,
  OBJECTIVES,
  PAY_BYS,
  PLACEMENTS,
  PRODUCT_TYPES,
  type BidStrategy,
  type Goal,
  type Objective,
  type PayBy,
  type Placement,
  type ProductType,
} from '../entities/line-item.tables.js';

/** A domain without protocol, path or port. */
const DOMAIN = {
  pattern: /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/i,
  what: 'domain without protocol',
};
const IAB_ID = { pattern: /^IAB\d{1,2}(-\d{1,2})?$/, what: 'IAB category id' };
/** More than the total number of categories. */
const MAX_CATEGORIES = 500;

const Categories = () =>
  Field(
    list(text({ min: 1, max: 100, matching: IAB_ID }), { max: MAX_CATEGORIES }),
    { nullable: true, example: ['IAB3'] },
    listSchema({ type: 'string', pattern: IAB_ID.pattern.source }, { max: MAX_CATEGORIES }),
  );

const CAP_DAYS_ONLY: ConstraintContext = {
  error: (given, place) =>
    invalid(place, `Expected a value in ${CAP_DAYS.join(', ')}, got ${Number(given)} for ${place}`, { value: given }),
};
const days = int(1, 30);
const capDays: Kind = {
  ...days,
  constraints: (each) => [...days.constraints(each), IsIn(CAP_DAYS, { context: CAP_DAYS_ONLY })],
};

export class ListLineItems extends ListQuery(LineItem, {
  sortable: ['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro'],
}) {
  /** Filters by campaign ids. */
  @Ids() campaign_ids?: string[];
  /** Filters by funding instrument ids. */
  @Ids() funding_instrument_ids?: string[];
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Whether to include drafts. */
  @Bool({ optional: true, default: false }) with_draft?: boolean;
}

/** Fields that creating and updating share. An empty value unsets a field. */
class LineItemFields {
  /** The line item's name. */
  @Text({ visible: true, nullable: true, max: 255, example: 'Coffee lovers' }) name?: string | null;
  /** The advertiser's domain. Required for the placement PUBLISHER_NETWORK. */
  @Text({ nullable: true, max: 253, matching: DOMAIN, example: 'example.com' }) advertiser_domain?: string | null;
  /** The current advertiser of the account. Accepted so that clients can send back what they read. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) advertiser_user_id?: string | null;
  /**
   * Package name of the Android app. App objectives require this or `ios_app_store_identifier`. Adds the platform
   * Android to the targeting.
   */
  @Text({ nullable: true, max: 255, matching: PACKAGE_NAME, example: 'com.example.coffee' })
  android_app_store_identifier?: string | null;
  /** Numeric part of the App Store identifier. Adds the platform iOS to the targeting. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) ios_app_store_identifier?: string | null;
  /** How far delivery may expand beyond the targeted audience. */
  @OneOf(AUDIENCE_EXPANSIONS, { nullable: true }) audience_expansion?: AudienceExpansion | null;
  /** The bid. Required if `bid_strategy` is MAX or TARGET. Ignored if it is AUTO, even if invalid. */
  @Micro({ nullable: true, ignorable: true }) bid_amount_local_micro?: number | null;
  /**
   * How bids are set. MAX is not available for REACH and FOLLOWERS. TARGET is only available for REACH, FOLLOWERS and
   * WEBSITE_CLICKS.
   */
  @OneOf(BID_STRATEGIES, { nullable: true }) bid_strategy?: BidStrategy | null;
  /**
   * Ids of IAB categories. Required for PUBLISHER_NETWORK. For PREROLL_VIEWS, the categories of one or two advertiser
   * business categories.
   */
  @Categories() categories?: string[] | null;
  /** The product catalog to advertise: that of the authenticated user. Required for DYNAMIC_PRODUCT_CREATIVE. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) catalog_id?: string | null;
  /**
   * Budget for one day. If the line items of the campaign have the budgets, it is required without
   * `total_budget_amount_local_micro`; otherwise it is not allowed.
   */
  @Micro({ nullable: true }) daily_budget_amount_local_micro?: number | null;
  /** Period of the frequency cap in days: 1, 7 or 30. */
  @Field(capDays, { nullable: true, example: 7 }, { type: 'integer', enum: [...CAP_DAYS] })
  duration_in_days?: number | null;
  /** Maximum number of impressions per person within `duration_in_days`. */
  @Int({ nullable: true, min: 1, max: 1_000_000 }) frequency_cap?: number | null;
  /** The optimization goal. Defaults to the goal of the objective. */
  @OneOf(GOALS, { nullable: true }) goal?: Goal | null;
  /** The billable event, if the goal allows a choice. */
  @OneOf(PAY_BYS, { nullable: true }) pay_by?: PayBy | null;
  /** The product set to advertise, of the catalog. Required for DYNAMIC_PRODUCT_CREATIVE. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) product_set_id?: string | null;
  /** Budget for the whole flight. */
  @Micro({ nullable: true }) total_budget_amount_local_micro?: number | null;
}

@Example({
  campaign_id: '{campaign_id}',
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: ['ALL_ON_PLATFORM'],
  start_time: '2026-10-01T00:00:00Z',
  end_time: '2036-10-31T00:00:00Z',
  name: 'Coffee lovers',
  bid_amount_local_micro: 1_500_000,
  entity_status: 'PAUSED',
})
export class CreateLineItem extends LineItemFields {
  /** The campaign of the line item. */
  @Id() campaign_id: string;
  /** Start of the flight. */
  @Timestamp() start_time: string;
  /**
   * End of the flight. Must be in the future and after `start_time`. Required before 2026-06-27, and always for a total
   * budget without a daily budget.
   */
  @Timestamp({ nullable: true }) end_time?: string | null;
  /** The objective. All line items of a campaign have the same objective. */
  @OneOf(OBJECTIVES) objective: Objective;
  /** The placements. */
  @EnumList(PLACEMENTS, { distinct: true }) placements: Placement[];
  /** The product type. All line items of a campaign have the same product type. */
  @OneOf(PRODUCT_TYPES) product_type: ProductType;
  /** The web event tag whose conversions count. Required if `goal` is WEBSITE_CONVERSIONS. */
  @Text({ nullable: true, max: 255 }) primary_web_event_tag?: string | null;
  /**
   * Who selects the creatives. DYNAMIC_PRODUCT_CREATIVE advertises the products of a product set, and requires the
   * objective WEBSITE_CLICKS and the goal WEBSITE_CONVERSIONS.
   */
  @OneOf(CREATIVE_SOURCES, { optional: true, default: 'MANUAL' }) creative_source?: CreativeSource;
  /** Whether to spread the daily budget over the day. Only allowed if the line items have the budgets. */
  @Bool({ nullable: true, default: true }) standard_delivery?: boolean | null;
  /** The line item's status. */
  @OneOf(ENTITY_STATUSES, { optional: true, default: 'ACTIVE' }) entity_status?: EntityStatus;
}

/** An update cannot change the objective or the placements. It accepts their current values. */
@Example({ bid_amount_local_micro: 1_750_000, name: 'Coffee and tea lovers' })
export class UpdateLineItem extends LineItemFields {
  /** The line item's current campaign. It cannot be changed. */
  @Id({ optional: true }) campaign_id?: string;
  /** Start of the flight. */
  @Timestamp({ optional: true }) start_time?: string;
  /** End of the flight. From 2026-06-27 on, an empty value removes it. */
  @Timestamp({ nullable: true }) end_time?: string | null;
  /** The line item's current objective. It cannot be changed. */
  @OneOf(OBJECTIVES, { optional: true }) objective?: Objective;
  /** The line item's current placements. They cannot be changed. */
  @EnumList(PLACEMENTS, { optional: true, distinct: true }) placements?: Placement[];
  /** The line item's current product type. It cannot be changed. */
  @OneOf(PRODUCT_TYPES, { optional: true }) product_type?: ProductType;
  /**
   * The line item's web event tag. It can be set while it is null, together with `goal=WEBSITE_CONVERSIONS`. It cannot
   * be changed afterwards.
   */
  @Text({ nullable: true, max: 255 }) primary_web_event_tag?: string | null;
  /** The line item's current value. It cannot be changed. */
  @OneOf(CREATIVE_SOURCES, { optional: true }) creative_source?: CreativeSource;
  /** The line item's current value. It cannot be changed. */
  @Bool({ nullable: true }) standard_delivery?: boolean | null;
  /** The new status. A draft accepts its own status and stays a draft. */
  @OneOf(SETTABLE_STATUSES, { optional: true, tolerated: ['DRAFT'] }) entity_status?: EntityStatus;
}

@Example({ line_item_id: '{line_item_id}', bid_amount_local_micro: 2_000_000 })
export class UpdateLineItemOperation extends UpdateLineItem {
  /** The line item to update. */
  @Id() line_item_id: string;
}

class DeleteLineItemOperation {
  /** The line item to delete. */
  @Id() line_item_id: string;
}

/** The operations of a batch. */
export const LINE_ITEM_OPERATIONS = {
  Create: CreateLineItem,
  Update: UpdateLineItemOperation,
  Delete: DeleteLineItemOperation,
};
