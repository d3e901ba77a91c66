import { DAY_MS } from '../../common/time/days.js';

/** Users inactive for longer belong to no audience. */
const ACTIVE_DAYS = 90;

/** The time of a count, and the start of the activity period that it requires. */
export interface ActiveAt {
  at: Date;
  since: Date;
}

/** The activity condition at a time. */
export const activeAt = (at: Date): ActiveAt => ({ at, since: new Date(at.getTime() - ACTIVE_DAYS * DAY_MS) });
