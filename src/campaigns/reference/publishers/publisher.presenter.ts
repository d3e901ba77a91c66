import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../../common/http/answers/responses.js';
import type { Publisher } from './publisher.entity.js';

/** A publisher with the username of its user. */
export type NamedPublisher = Row<Publisher> & { username: string };

const COUNTRIES = { type: String, isArray: true, example: ['US', 'CA'] } as const;

export class PublisherView {
  /** The countries where the publisher's videos may carry ads, as ISO 3166-1 alpha-2 codes. */
  @ApiProperty(COUNTRIES) monetizable_country_codes: string[];
  /** The countries where the publisher's posts may be promoted. */
  @ApiProperty(COUNTRIES) promotion_eligible_country_codes: string[];
  /** The username, without the @. */
  @ApiProperty({ type: String, example: 'hoops_daily' }) username: string;
  /** The platform user who publishes. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** Whether the publisher's videos may carry fewer ads than those of other publishers. */
  @ApiProperty() monetization_restricted: boolean;
  /** Ids of the content categories of the publisher's videos. */
  @ApiProperty({ type: String, isArray: true, example: ['se'] }) content_category_ids: string[];
}

export const presentPublisher = (publisher: NamedPublisher): PublisherView => ({
  monetizable_country_codes: publisher.monetizableCountryCodes,
  promotion_eligible_country_codes: publisher.promotionEligibleCountryCodes,
  username: publisher.username,
  user_id: publisher.userId,
  monetization_restricted: publisher.monetizationRestricted,
  content_category_ids: publisher.contentCategoryIds,
});
