import { BASE_36, Int, Text } from '../../common/http/params/fields.js';

/** Parameters for following events. */
export class FollowEvents {
  /** The `next_token` of the previous response. Without it, the list starts now. */
  @Text({ absentIfEmpty: true, max: 20, matching: BASE_36 }) pagination_token?: string;
  /** How many seconds the response waits if there are no events yet. */
  @Int({ optional: true, min: 0, max: 10, default: 0 }) wait_seconds: number = 0;
}
