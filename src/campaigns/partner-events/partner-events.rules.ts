import type { AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalidAppId, invalidAppStore } from '../campaigns.errors.js';

const FORMS: Record<AppEventOsType, RegExp> = {
  ANDROID: /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/,
  IOS: /^[1-9]\d{0,19}$/,
};

/** The identifier of an app has the form of its store. */
export function appProblem({
  app_id: app,
  os_type: os,
}: {
  app_id: string;
  os_type: AppEventOsType;
}): ApiError | undefined {
  if (FORMS[os].test(app)) return undefined;
  return Object.values(FORMS).some((form) => form.test(app)) ? invalidAppStore(os, app) : invalidAppId(app);
}
