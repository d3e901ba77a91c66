import { APP_EVENT_OS_TYPES, type AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { appProblem } from '../../accounts/account-apps/app-identifiers.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { LineItemApp } from './line-item-app.entity.js';

export class ListLineItemApps extends ListQuery(LineItemApp, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by line item app ids. */
  @Ids() line_item_app_ids?: string[];
}

/** The app of a line item that has none for its operating system. */
@Example({ line_item_id: '{line_item_id}', app_store_identifier: 'com.example.northwind.coffee', os_type: 'ANDROID' })
@Rule(['os_type', 'app_store_identifier'], appProblem)
export class CreateLineItemApp {
  /** The line item. */
  @Id() line_item_id: string;
  /** The package name on Android, the App Store number on iOS. */
  @Text({ max: 255 }) app_store_identifier: string;
  /** The operating system of the app. A line item has at most one app for each. */
  @OneOf(APP_EVENT_OS_TYPES) os_type: AppEventOsType;
}
