import { Example } from '../../common/http/params/example.js';
import { Id, Ids, OneOf, type FieldRules } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { WebUrl } from '../../creatives/web-url.js';
import { CALLS_TO_ACTION, PrerollCallToAction, type CallToAction } from './preroll-call-to-action.entity.js';

const Url = (rules: FieldRules = {}) => WebUrl({ ...rules, example: 'https://example.com/offers' });

export class ListPrerollCallToActions extends ListQuery(PrerollCallToAction, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Only those of these line items. */
  @Ids() line_item_ids?: string[];
  /** Only the preroll call to actions with these ids. */
  @Ids() preroll_call_to_action_ids?: string[];
}

@Example({
  line_item_id: '{spare_preroll_line_item_id}',
  call_to_action: 'VISIT_SITE',
  call_to_action_url: 'https://example.com/offers',
})
export class CreatePrerollCallToAction {
  /** The line item; its objective is PREROLL_VIEWS, and it has none yet. */
  @Id() line_item_id: string;
  /** What the button says. */
  @OneOf(CALLS_TO_ACTION) call_to_action: CallToAction;
  /** Where it leads. */
  @Url() call_to_action_url: string;
}

@Example({ call_to_action: 'SHOP' })
export class UpdatePrerollCallToAction {
  /** That of the call to action, which cannot be changed. */
  @Id({ optional: true }) line_item_id?: string;
  /** What the button says. */
  @OneOf(CALLS_TO_ACTION, { optional: true }) call_to_action?: CallToAction;
  /** Where it leads. */
  @Url({ optional: true }) call_to_action_url?: string;
}
