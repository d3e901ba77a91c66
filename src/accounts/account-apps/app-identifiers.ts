import type { ApiError } from '../../common/errors/api-error.js';
import { expectedError } from '../../common/http/params/refusals.js';
import type { AppOsType } from './account-app.entity.js';

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

/** The same for operating systems in capitals, as app measurement has them. */
export const appProblem = (app: { os_type: 'ANDROID' | 'IOS'; app_store_identifier: string }): ApiError | undefined =>
  identifierProblem({
    app_store_identifier: app.app_store_identifier,
    os_type: app.os_type === 'IOS' ? 'iOS' : 'Android',
  });
