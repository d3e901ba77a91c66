import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, Days, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { WEB_EVENT_TYPES, WebEventTag, type WebEventType } from '../entities/web-event-tag.entity.js';

const CLICK_DAYS = [1, 7, 14, 30];
const VIEW_DAYS = [0, ...CLICK_DAYS];

/** A view is weaker than a click, so that its window is not longer. */
export const windowsProblem = (windows: { click_window: number; view_through_window: number }): ApiError | undefined =>
  windows.view_through_window > windows.click_window
    ? invalid('view_through_window', 'view_through_window must not be greater than click_window', {
        value: windows.view_through_window,
        details: `click_window is ${windows.click_window}`,
      })
    : undefined;

export class ListWebEventTags extends ListQuery(WebEventTag) {
  /** Only the tags with these ids. */
  @Ids() web_event_tag_ids?: string[];
}

/** A new event of the website. */
@Example({
  name: 'Bought beans',
  type: 'PURCHASE',
  click_window: 30,
  view_through_window: 1,
  retargeting_enabled: false,
})
@Rule(['click_window', 'view_through_window'], windowsProblem)
export class CreateWebEventTag {
  /** The name. */
  @Text({ visible: true, max: 255, trimmed: true }) name: string;
  /** The event. */
  @OneOf(WEB_EVENT_TYPES) type: WebEventType;
  /** Days after a click in which a conversion is attributed to it. */
  @Days(CLICK_DAYS) click_window: number;
  /** Days after a view in which a conversion is attributed to it; 0 for none. At most `click_window`. */
  @Days(VIEW_DAYS) view_through_window: number;
  /** Whether the visitors of the website may become an audience. */
  @Bool({}) retargeting_enabled: boolean;
}

@Example({ click_window: 14 })
export class UpdateWebEventTag {
  /** The name. */
  @Text({ visible: true, optional: true, max: 255, trimmed: true }) name?: string;
  /** The event. */
  @OneOf(WEB_EVENT_TYPES, { optional: true }) type?: WebEventType;
  /** Days after a click in which a conversion is attributed to it. */
  @Days(CLICK_DAYS, { optional: true }) click_window?: number;
  /** Days after a view in which a conversion is attributed to it; 0 for none. At most `click_window`. */
  @Days(VIEW_DAYS, { optional: true }) view_through_window?: number;
  /** Whether the visitors of the website may become an audience. */
  @Bool() retargeting_enabled?: boolean;
}
