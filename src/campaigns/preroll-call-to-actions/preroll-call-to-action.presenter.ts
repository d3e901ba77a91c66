import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, presentResource, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { CALLS_TO_ACTION, type CallToAction, type PrerollCallToAction } from './preroll-call-to-action.entity.js';

export class PrerollCallToActionView extends ResourceView {
  /** The line item whose videos have it. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** Where it leads. */
  @ApiProperty({ type: String, format: 'uri' }) call_to_action_url: string;
  /** What it says. */
  @ApiProperty(enumSchema(CALLS_TO_ACTION)) @Unescaped() call_to_action: CallToAction;
}

export const presentPrerollCallToAction = (call: Row<PrerollCallToAction>): PrerollCallToActionView =>
  presentResource(call, {
    line_item_id: call.lineItemId,
    call_to_action_url: call.callToActionUrl,
    call_to_action: call.callToAction,
  });
