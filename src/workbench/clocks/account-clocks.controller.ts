import { Delete, Param } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { ReturnsData } from '../../common/http/answers/data-responses.js';
import { ClockDeletedView } from './test-clock.presenter.js';
import { TestClocksService } from './test-clocks.service.js';

/** What an administrator of an account may do with its test clock, also with one of somebody else's application. */
@UserController('workbench/accounts', { tag: 'Workbench', quota: 'WORKBENCH', writeQuota: 'WORKBENCH' })
export class AccountClocksController {
  constructor(private readonly clocks: TestClocksService) {}

  /**
   * Detaches a sandbox account that the user administers from its test clock, whichever application the clock belongs to.
   * A clock that advances stops.
   */
  @Delete(':account_id/clock')
  @ReturnsData(ClockDeletedView)
  async release(@CurrentCaller() { userId }: Caller, @Param('account_id') accountId: string) {
    await this.clocks.release(userId, accountId);
    return { deleted: true };
  }
}
