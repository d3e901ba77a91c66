import { Rule } from '../../common/http/dto-metadata.js';
import { Flag, OneOf, Text } from '../../common/http/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AccountApp, OS_TYPES, type OsType } from './account-app.entity.js';
import { identifierProblem } from './account-app.rules.js';

export class ListAccountApps extends ListQuery(AccountApp, { sortable: ['created_at', 'updated_at', 'deleted'] }) {}

/** What links into an app begin with: a scheme, and what may follow it. */
const LINK = { pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/, what: 'the beginning of a link, such as coffee://' };

/** What an operator says of a new app. */
@Rule(['os_type', 'app_store_identifier'], identifierProblem)
export class NewAccountApp {
  /** What it runs on. */
  @OneOf(OS_TYPES) os_type: OsType;
  /** The package name on Android, the number in the App Store on iOS. */
  @Text({ max: 255 }) app_store_identifier: string;
  /** What links into the app begin with. */
  @Text({ optional: true, max: 1000, matching: LINK }) deep_link_pattern?: string;
  /** Whether installs and what follows them are counted. */
  @Flag({ optional: true, default: false }) conversion_tracking_enabled?: boolean;
}
