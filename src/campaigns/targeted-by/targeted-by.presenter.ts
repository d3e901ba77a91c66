import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { ID, Unescaped } from '../../common/http/answers/responses.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { LineItemWithDelivery } from '../line-items/line-item.presenter.js';

/** A line item that targets an audience. */
export class TargetingLineItemView {
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** What it is called. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Whether it can serve. */
  @ApiProperty() servable: boolean;
}

/** A campaign of which line items target an audience. */
export class TargetedByView {
  /** The campaign. */
  @ApiProperty(ID) @Unescaped() campaign_id: string;
  /** What the campaign is called. */
  @ApiProperty() campaign_name: string;
  /** Its line items that target the audience, the newest first. */
  @ApiProperty({ type: TargetingLineItemView, isArray: true }) line_items: TargetingLineItemView[];
}

/** A campaign, with those of its line items that target an audience. */
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
