import { truncate, truncatedValue } from '../common/errors/api-error.js';
import { defineErrors } from '../common/errors/error-codes.js';
import { placeholderHint } from '../common/errors/placeholder.js';

const error = defineErrors({
  APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND: 404,
  APP_EVENT_TAG_NOT_FOUND: 404,
  TOO_MANY_APP_EVENT_TAGS: 400,
  TOO_MANY_APP_LISTS: 400,
});

type Code = Parameters<typeof error>[0];

const tooMany = (code: Code, what: string) => (limit: number) =>
  error(code, `An account can have at most ${limit} ${what}`, {
    parameter: 'account_id',
    details: 'delete one of them first',
  });

export const tooManyAppEventTags = tooMany('TOO_MANY_APP_EVENT_TAGS', 'app event tags');
export const tooManyAppLists = tooMany('TOO_MANY_APP_LISTS', 'app lists');

const notFound = (code: Code, label: string, parameter: string) => (account: { id: string }) => (id: string) =>
  error(code, `${label} ${truncate(id, 100)} was not found for Account ${account.id}`, {
    parameter,
    value: truncatedValue(id),
  }).hinted(placeholderHint(parameter, id));

export const appEventTagNotFound = notFound('APP_EVENT_TAG_NOT_FOUND', 'App Event Tag', 'app_event_tag_id');
export const configurationNotFound = notFound(
  'APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND',
  'App Event Provider Configuration',
  'app_event_provider_configuration_id',
);
