import { Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, withCheck, Field, OneOf, text, Text } from '../../common/http/params/fields.js';
import { schemeOf, UNSAFE_SCHEMES } from '../../common/http/urls/urls.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AccountApp, APP_OS_TYPES, type AppOsType } from './account-app.entity.js';
import { identifierProblem } from './app-identifiers.js';

export class ListAccountApps extends ListQuery(AccountApp, { sortable: ['created_at', 'updated_at', 'deleted'] }) {}

const MAX_LINK_LENGTH = 1_000;
/** The prefix of deep links: a safe scheme and an optional rest. */
const LINK = { pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/, what: 'the beginning of a link, such as coffee://' };
const isSafe = (link: string) => !UNSAFE_SCHEMES.has(schemeOf(link) ?? '');
const beginning = withCheck(text({ min: 1, max: MAX_LINK_LENGTH, matching: LINK }), LINK.what, isSafe, {
  details: (given) => `the scheme ${schemeOf(given as string)} is not allowed`,
});

/** The fields of a new app. Operators set them. */
@Rule(['os_type', 'app_store_identifier'], identifierProblem)
export class NewAccountApp {
  /** The operating system of the app. */
  @OneOf(APP_OS_TYPES) os_type: AppOsType;
  /** The package name on Android, the App Store number on iOS. */
  @Text({ max: 255 }) app_store_identifier: string;
  /** The prefix of deep links into the app. */
  @Field(beginning, { optional: true }, { type: String, minLength: 1, maxLength: MAX_LINK_LENGTH })
  deep_link_pattern?: string;
  /** Whether installs and in-app events are counted. */
  @Bool({ optional: true, default: false }) conversion_tracking_enabled?: boolean;
}
