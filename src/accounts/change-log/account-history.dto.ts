import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Id, OneOf, Text, Timestamp, Int } from '../../common/http/params/fields.js';
import { HISTORY_ENTITIES } from './account-change.entity.js';

type Window = Pick<ListAccountHistory, 'start_time' | 'end_time'>;

/** A page of account history. `entity_type`, `entity_id` and both times are required; times are whole hours. */
@Rule(['start_time'], ({ start_time }: Pick<Window, 'start_time'>) => refuseBetweenHours('start_time', start_time))
@Rule(['end_time'], ({ end_time }: Pick<Window, 'end_time'>) => refuseBetweenHours('end_time', end_time))
@Rule(['start_time', 'end_time'], ({ start_time, end_time }: Window) =>
  Date.parse(end_time) > Date.parse(start_time)
    ? undefined
    : invalidTimeWindow('end_time', 'end_time must be after start_time', end_time),
)
@Example({
  entity_type: 'CAMPAIGN',
  entity_id: '{campaign_id}',
  start_time: '2026-09-01T00:00:00Z',
  end_time: '2027-09-01T00:00:00Z',
})
export class ListAccountHistory {
  /** The type of the entity. */
  @OneOf(HISTORY_ENTITIES) entity_type: (typeof HISTORY_ENTITIES)[number];
  /** The id of the entity. */
  @Id() entity_id: string;
  /** Start of the time window, inclusive; a whole hour. */
  @Timestamp({ exact: true }) start_time: string;
  /** End of the time window, exclusive; a whole hour. */
  @Timestamp({ exact: true }) end_time: string;
  /** Only changes by this user. */
  @DecimalId({ optional: true }) user_id?: string;
  /** Maximum number of items on a page. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the previous page. The other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
}

/** Rejects times that are not whole hours. */
function refuseBetweenHours(name: string, time: string): ApiError | undefined {
  if (time.endsWith(':00:00Z')) return undefined;
  return invalid(name, `Expected a whole hour for ${name}, got "${time}"`, {
    value: time,
    details: 'minutes and seconds must be 0',
  });
}
