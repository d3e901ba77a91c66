import { notFoundWith, tooManyWith } from '../common/errors/catalogue.js';
import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({
  APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND: 404,
  APP_EVENT_TAG_NOT_FOUND: 404,
  TOO_MANY_APP_EVENT_TAGS: 400,
  TOO_MANY_APP_LISTS: 400,
});

export const tooManyAppEventTags = tooManyWith(error, 'TOO_MANY_APP_EVENT_TAGS', 'app event tags');
export const tooManyAppLists = tooManyWith(error, 'TOO_MANY_APP_LISTS', 'app lists');
export const appEventTagNotFound = notFoundWith(error, 'APP_EVENT_TAG_NOT_FOUND');
export const configurationNotFound = notFoundWith(error, 'APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND');
