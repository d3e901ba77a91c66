import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Field, Ids, list, listSchema, text, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AppList } from './app-list.entity.js';

const APPS = { min: 1, max: 500 };
/** Of all apps of a list together, so that a page of lists has a bound. */
const MAX_CHARACTERS = 20_000;
const APP = {
  pattern: /^([1-9]\d{0,19}|[A-Za-z]\w*(\.[A-Za-z]\w*)+)$/,
  what: 'the identifier of an app in its store, such as 284882215 or com.example.app',
};

const lengthProblem = ({ app_store_identifiers: apps }: { app_store_identifiers: string[] }) =>
  apps.join('').length > MAX_CHARACTERS
    ? invalid('app_store_identifiers', `Expected at most ${MAX_CHARACTERS} characters in app_store_identifiers`)
    : undefined;

export class ListAppLists extends ListQuery(AppList, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Only the lists with these ids. */
  @Ids() app_list_ids?: string[];
}

/** A new list of apps. */
@Example({ name: 'Apps of competitors', app_store_identifiers: ['com.example.tea', '284882215'] })
@Rule(['app_store_identifiers'], lengthProblem)
export class CreateAppList {
  /** The name. */
  @Text({ visible: true, max: 255, trimmed: true }) name: string;
  /** Package names of Android and App Store numbers of iOS, up to 500. */
  @Field(
    list(text({ min: 1, max: 150, matching: APP }), APPS),
    {},
    listSchema({ type: 'string', pattern: APP.pattern.source }, APPS),
  )
  app_store_identifiers: string[];
}
