import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import type { Row } from '../../common/db/query/rows.js';
import { ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { recordAs } from '../resource-definition.js';
import { ACCOUNT_APPS, AccountApp, APP_OS_TYPES, type AppOsType } from './account-app.entity.js';

export class AccountAppView extends ResourceView {
  /** The package name on Android, the App Store number on iOS. */
  @ApiProperty({ type: String, example: 'com.example.coffee' }) app_store_identifier: string;
  /** Whether installs and in-app events are counted. */
  @ApiProperty() conversion_tracking_enabled: boolean;
  /** The prefix of deep links into the app; null if none is set. */
  @ApiProperty({ type: String, nullable: true, example: 'coffee://' }) deep_link_pattern: string | null;
  /** The operating system of the app. */
  @ApiProperty(enumSchema(APP_OS_TYPES)) @Unescaped() os_type: AppOsType;
}

export const presentAccountApp = (app: Row<AccountApp>): AccountAppView => present(AccountAppView, app);

recordAs(ACCOUNT_APPS, AccountAppView, presentAccountApp);
