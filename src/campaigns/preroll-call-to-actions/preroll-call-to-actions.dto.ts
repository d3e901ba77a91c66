import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, OneOf, type FieldRules } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { WebUrl } from '../../creatives/web-url.js';
import { CALLS_TO_ACTION, PrerollCallToAction, type CallToAction } from './preroll-call-to-action.entity.js';

const Url = (rules: FieldRules = {}) => WebUrl({ ...rules, example: 'https://example.com/offers' });

export class ListPrerollCallToActions extends ListQuery(PrerollCallToAction, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by preroll call to action ids. */
  @Ids() preroll_call_to_action_ids?: string[];
}

@Example({
  line_item_id: '{spare_preroll_line_item_id}',
  call_to_action: 'VISIT_SITE',
  call_to_action_url: 'https://example.com/offers',
})
export class CreatePrerollCallToAction {
  /** The line item. Its objective must be PREROLL_VIEWS, and it must not have a call to action yet. */
  @Id() line_item_id: string;
  /** The label of the button. */
  @OneOf(CALLS_TO_ACTION) call_to_action: CallToAction;
  /** The URL that the button opens. */
  @Url() call_to_action_url: string;
}

@Example({ call_to_action: 'SHOP' })
export class UpdatePrerollCallToAction {
  /** The current line item of the call to action. It cannot be changed. */
  @Id({ optional: true }) line_item_id?: string;
  /** The label of the button. */
  @OneOf(CALLS_TO_ACTION, { optional: true }) call_to_action?: CallToAction;
  /** The URL that the button opens. */
  @Url({ optional: true }) call_to_action_url?: string;
}
