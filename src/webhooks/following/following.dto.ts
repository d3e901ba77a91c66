import { BASE_36, Int, Text } from '../../common/http/params/fields.js';

/** How events are followed. */
export class FollowEvents {
  /** The `next_token` of the answer before. Without it one begins with what happens from now on. */
  @Text({ optional: true, max: 20, matching: BASE_36 }) pagination_token?: string;
  /** For how many seconds the answer waits where nothing has happened yet. */
  @Int({ optional: true, min: 0, max: 10, default: 0 }) wait_seconds: number = 0;
}
