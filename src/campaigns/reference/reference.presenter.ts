import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { PLACEMENTS, PRODUCT_TYPES, type ProductType } from '../entities/line-item.tables.js';
import { CURRENCY } from '../money.js';
import type { AdvertiserBusinessCategory } from './advertiser-business-categories/advertiser-business-category.entity.js';
import type { BiddingRule } from './bidding-rules/bidding-rule.entity.js';
import type { ContentCategory } from './content-categories/content-category.entity.js';
import type { IabCategory } from './iab-categories/iab-category.entity.js';
import type { PlacementCombinations } from './placements.js';

export class AdvertiserBusinessCategoryView {
  /** The category's id. */
  @ApiProperty({ type: String, example: '1jm' }) id: string;
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Health & Pharma' }) name: string;
  /** The IAB categories of this category. A line item lists them in `categories`. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB7'] }) iab_categories: string[];
}

export const presentAdvertiserBusinessCategory = ({
  id,
  name,
  iabCategories,
}: Row<AdvertiserBusinessCategory>): AdvertiserBusinessCategoryView => ({ id, name, iab_categories: iabCategories });

const AMOUNT = { type: 'integer', format: 'int64', minimum: 1 } as const;

export class BiddingRuleView {
  /** The currency, as an ISO 4217 code. */
  @ApiProperty(CURRENCY) currency: string;
  /** Minimum bid for an engagement, in micro-units. */
  @ApiProperty(AMOUNT) minimum_cpe_bid_local_micro: number;
  /** Maximum bid for an engagement, in micro-units. */
  @ApiProperty(AMOUNT) maximum_cpe_bid_local_micro: number;
  /** Every amount must be a multiple of this value, in micro-units. */
  @ApiProperty(AMOUNT) minimum_denomination: number;
}

export const presentBiddingRule = (rule: Omit<Row<BiddingRule>, 'position'>): BiddingRuleView => ({
  currency: rule.currency,
  minimum_cpe_bid_local_micro: rule.minimumCpeBidLocalMicro,
  maximum_cpe_bid_local_micro: rule.maximumCpeBidLocalMicro,
  minimum_denomination: rule.minimumDenomination,
});

export class ContentCategoryView {
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Comedy' }) name: string;
  /** The category's id. Publishers refer to it. */
  @ApiProperty({ type: String, example: 'sk' }) id: string;
  /** The IAB categories of this category. They are the targeting values of type IAB_CATEGORY. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB1-4'] }) iab_categories: string[];
  /** Number of publishers that showed videos of this category in the last 30 days. */
  @ApiProperty({ type: 'integer' }) publishers_in_last_thirty_days: number;
  /** Number of this category's videos that carried ads in the last 30 days. */
  @ApiProperty({ type: 'integer' }) videos_monetized_in_last_thirty_days: number;
}

export const presentContentCategory = (category: Row<ContentCategory>): ContentCategoryView => ({
  name: category.name,
  id: category.id,
  iab_categories: category.iabCategories,
  publishers_in_last_thirty_days: category.publishersInLastThirtyDays,
  videos_monetized_in_last_thirty_days: category.videosMonetizedInLastThirtyDays,
});

@Noun('IAB category')
export class IabCategoryView {
  /**
   * The category's code in the content taxonomy of OpenRTB 2: `IAB1` to `IAB26`, with subcategories such as `IAB1-1`.
   */
  @ApiProperty({ type: String, example: 'IAB1-6' }) id: string;
  /** The id of the parent category. Null in the first tier. */
  @ApiProperty({ type: String, nullable: true, example: 'IAB1' }) parent_id: string | null;
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Music' }) name: string;
}

export const presentIabCategory = ({ id, parentId, name }: Row<IabCategory>): IabCategoryView => ({
  id,
  parent_id: parentId,
  name,
});

export class PlacementsView {
  /** The product type. */
  @ApiProperty(enumSchema(PRODUCT_TYPES)) product_type: ProductType;
  /** The combinations of placements that a line item of this product type can have. */
  @ApiProperty({ type: 'array', items: { type: 'array', items: enumSchema(PLACEMENTS) } })
  placements: readonly (readonly string[])[];
}

export const presentPlacements = ({ productType, placements }: PlacementCombinations): PlacementsView => ({
  product_type: productType,
  placements,
});
