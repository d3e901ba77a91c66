import { DecimalId, Id, OneOf, Text, Timestamp, Whole } from '../../common/http/fields.js';
import { HISTORY_ENTITIES } from './account-change.entity.js';

/** Part 3, 4.1: `entity_type`, `entity_id` and whole hours are required. */
export class ListAccountHistory {
  @OneOf(HISTORY_ENTITIES, { about: 'what kind of entity' }) entity_type: (typeof HISTORY_ENTITIES)[number];
  @Id() entity_id: string;
  @Timestamp({ about: 'whole hours only' }) start_time: string;
  @Timestamp({ about: 'whole hours only, not included' }) end_time: string;
  @DecimalId({ optional: true, about: 'changes by this user only' }) user_id?: string;
  @Whole({ optional: true, min: 1, max: 1000, about: 'page size, 200 unless given' }) count: number = 200;
  @Text({ optional: true, max: 2000, about: 'next_cursor of the page before, with the same other parameters' })
  cursor?: string;
}
