import { appProblem } from '../../accounts/account-apps/app-identifiers.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, Days, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import {
  APP_CONVERSION_TYPES,
  APP_EVENT_OS_TYPES,
  AppEventTag,
  type AppConversionType,
  type AppEventOsType,
} from './app-event-tag.entity.js';

const ENGAGEMENT_DAYS = [1, 7, 14, 30];
const SCHEME = { pattern: /^[a-z][a-z0-9+.-]*(:\S*)?$/i, what: 'a scheme such as coffee or coffee://' };

export class ListAppEventTags extends ListQuery(AppEventTag, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Only the tags with these ids. */
  @Ids() app_event_tag_ids?: string[];
}

/** A new event of an app. */
@Example({
  app_store_identifier: 'com.example.northwind.coffee',
  os_type: 'ANDROID',
  conversion_type: 'PURCHASE',
  provider_app_event_id: 'order-paid',
  provider_app_event_name: 'Order paid',
})
@Rule(['os_type', 'app_store_identifier'], appProblem)
export class CreateAppEventTag {
  /** The package name on Android, the App Store number on iOS. */
  @Text({ max: 255 }) app_store_identifier: string;
  /** The operating system of the app. */
  @OneOf(APP_EVENT_OS_TYPES) os_type: AppEventOsType;
  /** The event. */
  @OneOf(APP_CONVERSION_TYPES) conversion_type: AppConversionType;
  /** The provider's id of the event. */
  @Text({ visible: true, max: 255 }) provider_app_event_id: string;
  /** The provider's name of the event. */
  @Text({ visible: true, max: 255 }) provider_app_event_name: string;
  /** The scheme of deep links into the app. */
  @Text({ nullable: true, max: 255, matching: SCHEME, example: 'coffee://' }) deep_link_scheme?: string | null;
  /** Days after an engagement in which an event is attributed to it. */
  @Days(ENGAGEMENT_DAYS, { optional: true, default: 30 }) post_engagement_attribution_window?: number;
  /** Days after a view in which an event is attributed to it; 0 for none. */
  @Days([0, ...ENGAGEMENT_DAYS], { optional: true, default: 1 }) post_view_attribution_window?: number;
  /** Whether the users of the app may become an audience. */
  @Bool({ optional: true, default: true }) retargeting_enabled?: boolean;
}
