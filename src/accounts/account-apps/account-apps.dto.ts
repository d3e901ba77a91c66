import type { ApiError } from '../../common/errors/api-error.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, withCheck, Field, OneOf, text, Text } from '../../common/http/params/fields.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { schemeOf, UNSAFE_SCHEMES } from '../../common/http/urls/urls.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AccountApp, APP_OS_TYPES, type AppOsType } from './account-app.entity.js';

const FORMS: Record<AppOsType, { pattern: RegExp; what: string }> = {
  Android: {
    pattern: /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/,
    what: 'the name of an Android package, such as com.example.app',
  },
  iOS: { pattern: /^[1-9]\d{0,19}$/, what: 'the number of an app in the App Store, such as 333903271' },
};

/** Validates the store identifier: a number for iOS, a package name for Android. */
export function identifierProblem({
  os_type,
  app_store_identifier,
}: {
  os_type: AppOsType;
  app_store_identifier: string;
}): ApiError | undefined {
  const { pattern, what } = FORMS[os_type];
  if (pattern.test(app_store_identifier)) return undefined;
  return expectedError(what, app_store_identifier, 'app_store_identifier');
}

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
