import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, SerializedAs, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { UUID } from '../../common/http/params/fields.js';
import type { Lead } from '../../creatives/leads/lead.entity.js';

const EXAMPLE_ID = { ...ID, example: '2k0hx5m1q9zta' };

/** What a person submitted with a lead form. */
export class LeadView {
  /** The account of the lead form. */
  @ApiProperty(EXAMPLE_ID) @Unescaped() account_id: string;
  /** The campaign of the line item; null without one. */
  @ApiProperty({ ...EXAMPLE_ID, nullable: true }) @Unescaped() campaign_id: string | null;
  /** What the person filled in, by the key of the field. Optional fields may be missing. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { EMAIL: 'ann@example.com' } })
  @SerializedAs({ type: 'object', additionalProperties: true })
  field_values: Record<string, string>;
  /** The id of the lead. */
  @ApiProperty(EXAMPLE_ID) @Unescaped() id: string;
  /** The lead form. */
  @ApiProperty({ type: String, pattern: UUID.pattern.source, example: '019a1b2c-3d4e-7f50-8a61-b2c3d4e5f607' })
  @Unescaped()
  lead_form_id: string;
  /** The line item that promoted the post; null without one. */
  @ApiProperty({ ...EXAMPLE_ID, nullable: true }) @Unescaped() line_item_id: string | null;
  /** The post whose card led to the form; null without one. */
  @ApiProperty({ ...DECIMAL_ID, example: '1000000000000042', nullable: true }) @Unescaped() post_id: string | null;
  /** When the person submitted the form. */
  @ApiProperty({ ...TIME, example: '2026-11-26T08:00:00Z' }) @Unescaped() submitted_at: string;
}

export const presentLead = (lead: Row<Lead>): LeadView => ({
  account_id: lead.accountId,
  campaign_id: lead.campaignId,
  field_values: lead.fieldValues,
  id: lead.id,
  lead_form_id: lead.leadFormId,
  line_item_id: lead.lineItemId,
  post_id: lead.postId,
  submitted_at: wireTime(lead.submittedAt),
});
