import { Example } from '../../common/http/params/example.js';
import { IsIn } from 'class-validator';
import { invalid } from '../../common/errors/catalogue.js';
import type { Said } from '../../common/http/params/constraints.js';
import {
  Bool,
  DECIMAL,
  EnumList,
  Field,
  Id,
  Ids,
  Int,
  listOf,
  Micro,
  OneOf,
  several,
  text,
  Text,
  Timestamp,
  whole,
  type Kind,
} from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PACKAGE_NAME } from '../../common/package-name.js';
import { ENTITY_STATUSES, SETTABLE_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import { AUDIENCE_EXPANSIONS, LineItem, type AudienceExpansion } from '../entities/line-item.entity.js';
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

/** Without protocol, path or port. */
const DOMAIN = {
  pattern: /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/i,
  what: 'domain without protocol',
};
const IAB_ID = { pattern: /^IAB\d{1,2}(-\d{1,2})?$/, what: 'IAB category id' };
/** More than all categories there are. */
const MAX_CATEGORIES = 500;

const Categories = () =>
  Field(
    several(text({ min: 1, max: 100, matching: IAB_ID }), { max: MAX_CATEGORIES }),
    { nullable: true, example: ['IAB3'] },
    listOf({ type: 'string', pattern: IAB_ID.pattern.source }, { max: MAX_CATEGORIES }),
  );

const CAP_DAYS_ONLY: Said = {
  error: (given, place) =>
    invalid(place, `Expected a value in ${CAP_DAYS.join(', ')}, got ${Number(given)} for ${place}`, { value: given }),
};
const days = whole(1, 30);
const capDays: Kind = {
  ...days,
  constraints: (each) => [...days.constraints(each), IsIn(CAP_DAYS, { context: CAP_DAYS_ONLY })],
};

export class ListLineItems extends ListQuery(LineItem, {
  sortable: ['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro'],
}) {
  /** Only line items of these campaigns. */
  @Ids() campaign_ids?: string[];
  /** Only line items that are paid with these funding instruments. */
  @Ids() funding_instrument_ids?: string[];
  /** Only the line items with these ids. */
  @Ids() line_item_ids?: string[];
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Whether drafts are included. */
  @Bool({ optional: true, default: false }) with_draft?: boolean;
}

/** What creating and updating have in common; an empty value unsets. */
class LineItemFields {
  /** What the line item is called. */
  @Text({ visible: true, nullable: true, max: 255, example: 'Coffee lovers' }) name?: string | null;
  /** Needed for the placement PUBLISHER_NETWORK. */
  @Text({ nullable: true, max: 253, matching: DOMAIN, example: 'example.com' }) advertiser_domain?: string | null;
  /** That of the account, for clients that send back what they read. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) advertiser_user_id?: string | null;
  /** Package name; an app objective needs this or the next. It adds the platform Android to whom it is shown. */
  @Text({ nullable: true, max: 255, matching: PACKAGE_NAME, example: 'com.example.coffee' })
  android_app_store_identifier?: string | null;
  /** The numeric part of the identifier; adds the platform iOS. */
  @Text({ nullable: true, max: 20, matching: DECIMAL }) ios_app_store_identifier?: string | null;
  /** How far beyond its audience it may reach. */
  @OneOf(AUDIENCE_EXPANSIONS, { nullable: true }) audience_expansion?: AudienceExpansion | null;
  /** Needed where `bid_strategy` is MAX or TARGET. Ignored where it is AUTO, valid or not. */
  @Micro({ nullable: true, ignorable: true }) bid_amount_local_micro?: number | null;
  /** How bids are found; MAX is not for REACH and FOLLOWERS, TARGET for them and WEBSITE_CLICKS only. */
  @OneOf(BID_STRATEGIES, { nullable: true }) bid_strategy?: BidStrategy | null;
  /** Ids of IAB categories: needed for PUBLISHER_NETWORK; for PREROLL_VIEWS those of one or two advertiser business categories. */
  @Categories() categories?: string[] | null;
  /** What may be spent in a day: where, and only where, the line items of the campaign have the budgets. */
  @Micro({ nullable: true }) daily_budget_amount_local_micro?: number | null;
  /** Over how many days the frequency cap counts: 1, 7 or 30. */
  @Field(capDays, { nullable: true, example: 7 }, { type: 'integer', enum: [...CAP_DAYS] })
  duration_in_days?: number | null;
  /** How often one person is shown it at most within `duration_in_days`. */
  @Int({ nullable: true, min: 1, max: 1_000_000 }) frequency_cap?: number | null;
  /** What is bought; that of the objective unless given. */
  @OneOf(GOALS, { nullable: true }) goal?: Goal | null;
  /** What is paid for, where the goal leaves a choice. */
  @OneOf(PAY_BYS, { nullable: true }) pay_by?: PayBy | null;
  /** What may be spent from start to end. */
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
  /** The campaign that it belongs to. */
  @Id() campaign_id: string;
  /** When it begins. */
  @Timestamp() start_time: string;
  /** When it ends; to come, and after it begins. */
  @Timestamp() end_time: string;
  /** What it is for; all line items of a campaign have the same. */
  @OneOf(OBJECTIVES) objective: Objective;
  /** Where it is shown. */
  @EnumList(PLACEMENTS, { distinct: true }) placements: Placement[];
  /** What is shown; all line items of a campaign have the same. */
  @OneOf(PRODUCT_TYPES) product_type: ProductType;
  /** The tag on your website that tells conversions; needed where `goal` is WEBSITE_CONVERSIONS. */
  @Text({ nullable: true, max: 255 }) primary_web_event_tag?: string | null;
  /** Whether a day's budget is spread over the day; only where line items have the budgets. */
  @Bool({ nullable: true, default: true }) standard_delivery?: boolean | null;
  /** Whether it serves. */
  @OneOf(ENTITY_STATUSES, { optional: true, default: 'ACTIVE' }) entity_status?: EntityStatus;
}

/** An update changes neither what it is for nor where it is shown; sending those back as they are is no change. */
@Example({ bid_amount_local_micro: 1_750_000, name: 'Coffee and tea lovers' })
export class UpdateLineItem extends LineItemFields {
  /** That of the line item, which cannot be changed. */
  @Id({ optional: true }) campaign_id?: string;
  /** When it begins. */
  @Timestamp({ optional: true }) start_time?: string;
  /** When it ends. */
  @Timestamp({ optional: true }) end_time?: string;
  /** That of the line item, which cannot be changed. */
  @OneOf(OBJECTIVES, { optional: true }) objective?: Objective;
  /** Those of the line item, which cannot be changed. */
  @EnumList(PLACEMENTS, { optional: true, distinct: true }) placements?: Placement[];
  /** That of the line item, which cannot be changed. */
  @OneOf(PRODUCT_TYPES, { optional: true }) product_type?: ProductType;
  /** That of the line item. Can be set while it is null, together with `goal=WEBSITE_CONVERSIONS`, and not changed afterwards. */
  @Text({ nullable: true, max: 255 }) primary_web_event_tag?: string | null;
  /** That of the line item, which cannot be changed. */
  @Bool({ nullable: true }) standard_delivery?: boolean | null;
  /** Whether it serves. A draft that is sent back stays one. */
  @OneOf(SETTABLE_STATUSES, { optional: true, tolerated: ['DRAFT'] }) entity_status?: EntityStatus;
}

@Example({ line_item_id: '{line_item_id}', bid_amount_local_micro: 2_000_000 })
export class UpdateLineItemOperation extends UpdateLineItem {
  /** The line item to change. */
  @Id() line_item_id: string;
}

export class DeleteLineItemOperation {
  /** The line item to delete. */
  @Id() line_item_id: string;
}

/** The operations of a batch. */
export const LINE_ITEM_OPERATIONS = {
  Create: CreateLineItem,
  Update: UpdateLineItemOperation,
  Delete: DeleteLineItemOperation,
};
