import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { ID, Unescaped } from '../../common/http/answers/responses.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { LineItemWithDelivery } from '../line-items/line-item.presenter.js';

/** A line item that targets an audience. */
export class TargetingLineItemView {
  /** The line item's id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** The line item's name. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Whether the line item can serve. */
  @ApiProperty() servable: boolean;
}

/** A campaign with line items that target an audience. */
@Noun('campaign', 'campaigns that target the audience')
export class TargetedByView {
  /** The campaign. */
  @ApiProperty(ID) @Unescaped() campaign_id: string;
  /** The campaign's name. */
  @ApiProperty() campaign_name: string;
  /** The line items of the campaign that target the audience, newest first. */
  @ApiProperty({ type: TargetingLineItemView, isArray: true }) line_items: TargetingLineItemView[];
}

/** A campaign with the line items that target an audience. */
export interface Targeting {
  campaign: Row<Campaign>;
  lineItems: LineItemWithDelivery[];
}

export const presentTargeting = ({ campaign, lineItems }: Targeting): TargetedByView => ({
  campaign_id: campaign.id,
  campaign_name: campaign.name,
  line_items: lineItems.map(({ item, delivery }) => ({
    id: item.id,
    name: item.name,
    servable: delivery.servable === true,
  })),
});
