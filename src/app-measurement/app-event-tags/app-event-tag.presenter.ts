import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { present } from '../../common/http/answers/present.js';
import { ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import {
  APP_CONVERSION_TYPES,
  APP_EVENT_OS_TYPES,
  APP_EVENT_TAGS,
  type AppConversionType,
  type AppEventOsType,
  type AppEventTag,
} from './app-event-tag.entity.js';

const APP_EVENT_TAG_STATUSES = closedSet('AppEventTagStatus', ['TRACKING']);

export class AppEventTagView extends ResourceView {
  /** The package name on Android, the App Store number on iOS. */
  @ApiProperty() app_store_identifier: string;
  /** The operating system of the app. */
  @ApiProperty(enumSchema(APP_EVENT_OS_TYPES)) @Unescaped() os_type: AppEventOsType;
  /** The event. */
  @ApiProperty(enumSchema(APP_CONVERSION_TYPES)) @Unescaped() conversion_type: AppConversionType;
  /** The provider's id of the event. */
  @ApiProperty() provider_app_event_id: string;
  /** The provider's name of the event. */
  @ApiProperty() provider_app_event_name: string;
  /** The scheme of deep links into the app. */
  @ApiProperty({ type: String, nullable: true }) deep_link_scheme: string | null;
  /** Days after an engagement in which an event is attributed to it. */
  @ApiProperty({ type: 'integer' }) post_engagement_attribution_window: number;
  /** Days after a view in which an event is attributed to it; 0 for none. */
  @ApiProperty({ type: 'integer' }) post_view_attribution_window: number;
  /** Whether the users of the app may become an audience. */
  @ApiProperty() retargeting_enabled: boolean;
  /** The state of the tag. */
  @ApiProperty(enumSchema(APP_EVENT_TAG_STATUSES)) @Unescaped() status: 'TRACKING';
  /** When a measurement partner reported the last event. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() last_tracked_at: string | null;
}

export const presentAppEventTag = (tag: Row<AppEventTag>): AppEventTagView =>
  present(AppEventTagView, tag, { status: 'TRACKING' });

recordAs(APP_EVENT_TAGS, AppEventTagView, presentAppEventTag);
