import { ApiProperty } from '@nestjs/swagger';
import { APP_OS_TYPES, type AppOsType } from '../../accounts/account-apps/account-app.entity.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { present } from '../../common/http/answers/present.js';
import { ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { APP_LISTS, type AppList } from './app-list.entity.js';

/** An app of a list. */
export class ListedAppView {
  /** The package name on Android, the App Store number on iOS. */
  @ApiProperty() app_store_identifier: string;
  /** The operating system of the app. */
  @ApiProperty(enumSchema(APP_OS_TYPES)) @Unescaped() os_type: AppOsType;
}

/** A list in a list of lists, without its apps. */
@Noun('app list', 'app lists')
export class AppListItemView extends ResourceView {
  /** The name. */
  @ApiProperty() name: string;
}

export class AppListView extends AppListItemView {
  /** The apps. */
  @ApiProperty({ type: ListedAppView, isArray: true }) apps: ListedAppView[];
}

export const presentAppListItem = (list: Row<AppList>): AppListItemView => present(AppListItemView, list);

export const presentAppList = (list: Row<AppList>): AppListView =>
  present(AppListView, list, {
    apps: list.appStoreIdentifiers.map((app_store_identifier) => ({
      app_store_identifier,
      os_type: /^\d+$/.test(app_store_identifier) ? 'iOS' : 'Android',
    })),
  });

recordAs(APP_LISTS, AppListView, presentAppList);
