import { closedSet } from '../../common/values/closed-set.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import {
  Bool,
  EnumList,
  Field,
  Id,
  Int,
  listSchema,
  list,
  text,
  Text,
  Timestamp,
} from '../../common/http/params/fields.js';
import type { TokenQuery } from '../../common/list/token-page.js';

export const JOURNALED_METHODS = closedSet('JournaledMethod', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

const STATUS = {
  pattern: /^[1-5](\d\d|xx)$/,
  what: 'status, such as 404, or class of statuses, such as 4xx',
  lowercase: true,
};

type Window = Pick<CountRequests, 'start_time' | 'end_time'>;

/** Which requests of the journal. */
@Rule(['start_time', 'end_time'], ({ start_time, end_time }: Window) =>
  start_time === undefined || end_time === undefined || Date.parse(end_time) > Date.parse(start_time)
    ? undefined
    : invalidTimeWindow('end_time', 'end_time must be after start_time', end_time),
)
export class CountRequests {
  /** The path of the URL, as the client sent it. `*` stands for any characters. */
  @Text({ optional: true, max: 500, example: '/12/accounts*' }) path?: string;

  /** HTTP methods. */
  @EnumList(JOURNALED_METHODS, { optional: true, max: 10 }) method?: string[];

  /** Statuses of the response, such as `404`, or classes of them, such as `4xx`. */
  @Field(
    list(text({ min: 1, max: 3, matching: STATUS }), { max: 20 }),
    { optional: true, example: ['2xx', '404'] },
    listSchema({ type: 'string', pattern: STATUS.pattern.source }, { min: 1, max: 20 }),
  )
  status?: string[];

  /** Only requests to this account, by callers who may access it. */
  @Id({ optional: true }) account_id?: string;

  /** Only requests whose response had this `x-request-id`. */
  @Text({ optional: true, max: 128 }) request_id?: string;

  /** Whether to return only requests whose path and method no endpoint has. */
  @Bool({ optional: true }) unmatched?: boolean;

  /** Only requests of the application of this namespace, which the application that signs created. */
  @Id({ optional: true }) namespace_id?: string;

  /** Only requests that arrived at this time or later. */
  @Timestamp({ optional: true }) start_time?: string;

  /** Only requests that arrived before this time. */
  @Timestamp({ optional: true }) end_time?: string;
}

/** Where a request of the journal is. */
export class GetRequest {
  /** The namespace whose application sent the request, which the application that signs created. */
  @Id({ optional: true }) namespace_id?: string;
}

/** A page of the journal. */
export class ListRequests extends CountRequests implements TokenQuery {
  /** Maximum number of items in a page. */
  @Int({ optional: true, min: 1, max: 1000, default: 100 }) max_results = 100;

  /** The `next_token` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) pagination_token?: string;
}

/** What a page of the journal in a browser shows: the newest requests, or those before or after another one. */
export class ShowRequests extends CountRequests {
  /** Only requests before the one with this id. */
  @Id({ optional: true }) before?: string;

  /** Only requests after the one with this id. */
  @Id({ optional: true }) after?: string;
}
