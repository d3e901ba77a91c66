import { ApiProperty } from '@nestjs/swagger';
import { APP_EVENT_OS_TYPES, type AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { present } from '../../common/http/answers/present.js';
import { ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import type { LineItemApp } from './line-item-app.entity.js';

export class LineItemAppView extends ResourceView {
  /** The line item. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The package name on Android, the App Store number on iOS. */
  @ApiProperty() app_store_identifier: string;
  /** The operating system of the app. */
  @ApiProperty(enumSchema(APP_EVENT_OS_TYPES)) @Unescaped() os_type: AppEventOsType;
}

export const presentLineItemApp = (app: Row<LineItemApp>): LineItemAppView => present(LineItemAppView, app);
