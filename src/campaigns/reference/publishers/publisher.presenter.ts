import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../../common/http/answers/responses.js';
import type { Publisher } from './publisher.entity.js';

/** A publisher, with the name of the user that it is. */
export type NamedPublisher = Row<Publisher> & { username: string };

const COUNTRIES = { type: String, isArray: true, example: ['US', 'CA'] } as const;

export class PublisherView {
  /** ISO 3166-1 alpha-2: where their videos may carry ads. */
  @ApiProperty(COUNTRIES) monetizable_country_codes: string[];
  /** Where their posts may be promoted. */
  @ApiProperty(COUNTRIES) promotion_eligible_country_codes: string[];
  /** The name of the user, without the @. */
  @ApiProperty({ type: String, example: 'hoops_daily' }) username: string;
  /** The user who publishes. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** Whether their videos may carry fewer ads than others. */
  @ApiProperty() monetization_restricted: boolean;
  /** What their videos are about: ids of content categories. */
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
