import { Example } from '../../common/http/params/dto-metadata.js';
import { Ids, Text, Timestamp } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';
import { MAX_ACCOUNTS } from '../sandbox-accounts.service.js';

/** A test clock: the time that it shows, and the accounts that follow it. */
@Example({ name: 'End of the quarter', frozen_time: '{tomorrow}' })
export class CreateTestClock {
  /** A name for people. */
  @Text({ max: 255, example: 'End of the quarter' }) name: string;

  /** The time that the clock shows. At most 2 years from now, before or after. */
  @Timestamp({ exact: true }) frozen_time: string;

  /**
   * Sandbox accounts that follow the clock, of which the user who signs is an administrator. An account follows at most
   * one clock.
   */
  @Ids({ optional: true, max: MAX_ACCOUNTS }) account_ids?: string[];
}

/** How far to advance a test clock. */
@Example({ frozen_time: '{tomorrow}' })
export class AdvanceTestClock {
  /** The new time: after that of the clock, and at most 2 years after it. */
  @Timestamp({ exact: true }) frozen_time: string;
}

/** A page of test clocks. */
export class ListTestClocks extends TokenQuery {}
