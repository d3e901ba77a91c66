import { ApiProperty } from '@nestjs/swagger';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  CALLS_TO_ACTION,
  PREROLL_CALL_TO_ACTIONS,
  PrerollCallToAction,
  type CallToAction,
} from './preroll-call-to-action.entity.js';

@Noun('preroll call to action', 'preroll calls to action')
export class PrerollCallToActionView extends ResourceView {
  /** The line item whose in-stream videos show the button. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The URL that the button opens. */
  @ApiProperty({ type: String, format: 'uri' }) call_to_action_url: string;
  /** The label of the button. */
  @ApiProperty(enumSchema(CALLS_TO_ACTION)) @Unescaped() call_to_action: CallToAction;
}

export const presentPrerollCallToAction = (call: Row<PrerollCallToAction>): PrerollCallToActionView =>
  present(PrerollCallToActionView, call);

recordAs(PREROLL_CALL_TO_ACTIONS, PrerollCallToActionView, presentPrerollCallToAction);
