import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/dto-metadata.js';
import { DecimalId, Id, OneOf, Text, Timestamp, Whole } from '../../common/http/fields.js';
import { HISTORY_ENTITIES } from './account-change.entity.js';

type Window = Pick<ListAccountHistory, 'start_time' | 'end_time'>;

/** Part 3, 4.1: `entity_type`, `entity_id` and whole hours are required. */
@Rule(['start_time'], ({ start_time }: Pick<Window, 'start_time'>) => refuseBetweenHours('start_time', start_time))
@Rule(['end_time'], ({ end_time }: Pick<Window, 'end_time'>) => refuseBetweenHours('end_time', end_time))
@Rule(['start_time', 'end_time'], ({ start_time, end_time }: Window) =>
  Date.parse(end_time) > Date.parse(start_time)
    ? undefined
    : invalidTimeWindow('end_time', 'end_time must be after start_time', end_time),
)
export class ListAccountHistory {
  @OneOf(HISTORY_ENTITIES, { about: 'what kind of entity' }) entity_type: (typeof HISTORY_ENTITIES)[number];
  @Id() entity_id: string;
  @Timestamp({ exact: true, about: 'whole hours only' }) start_time: string;
  @Timestamp({ exact: true, about: 'whole hours only, not included' }) end_time: string;
  @DecimalId({ optional: true, about: 'changes by this user only' }) user_id?: string;
  @Whole({ optional: true, min: 1, max: 1000, about: 'page size', default: 200 }) count: number = 200;
  @Text({ optional: true, max: 2000, about: 'next_cursor of the page before, with the same other parameters' })
  cursor?: string;
}

/** Part 3, 8: account history times are whole hours. */
function refuseBetweenHours(name: string, time: string): ApiError | undefined {
  if (time.endsWith(':00:00Z')) return undefined;
  return invalid(name, `Expected a whole hour for ${name}, got "${time}"`, {
    value: time,
    details: 'minutes and seconds must be 0',
  });
}
