import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { CurrentApplicationId, CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { ClockDeletedView, presentClock, TestClockView } from './test-clock.presenter.js';
import { AdvanceTestClock, CreateTestClock, ListTestClocks } from './test-clocks.dto.js';
import type { Owner } from '../sandbox-accounts.service.js';
import { TestClocksService } from './test-clocks.service.js';
import { ADS_SCOPES } from '../../auth/credentials/scopes.js';
import type { Caller } from '../../auth/caller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';

/** What an administrator of an account may do with its test clock, also with one of somebody else's application. */
@UserController('workbench/accounts', {
  tag: 'Workbench',
  quota: 'WORKBENCH',
  writeQuota: 'WORKBENCH',
  scopes: ADS_SCOPES,
})
export class AccountClocksController {
  constructor(private readonly clocks: TestClocksService) {}

  /**
   * Detaches a sandbox account that the user administers from its test clock, whichever application the clock belongs to.
   * A clock that advances stops.
   */
  @Delete(':account_id/clock')
  @Returns(ClockDeletedView)
  async release(@CurrentCaller() { userId }: Caller, @Param('account_id') accountId: string) {
    await this.clocks.release(userId, accountId);
    return { deleted: true };
  }
}

/** The test clocks that freeze the time of sandbox accounts. Not part of the specification: docs/workbench.md. */
@WorkbenchController('clocks')
export class TestClocksController {
  constructor(private readonly clocks: TestClocksService) {}

  /** Lists the test clocks of the application, newest first. */
  @Get()
  @ReturnsPage(TestClockView)
  async list(@CurrentApplicationId() applicationId: string, @Params() query: ListTestClocks) {
    return (await this.clocks.list(applicationId, query)).map(presentClock);
  }

  /**
   * Creates a test clock, which freezes the time of sandbox accounts until it advances or is deleted. An application has
   * at most 100 test clocks.
   */
  @Post()
  @Returns(TestClockView, { status: 201 })
  async create(@CurrentOwner() { applicationId, userId }: Owner, @Params() params: CreateTestClock) {
    return presentClock(await this.clocks.create(applicationId, userId, params));
  }

  /** Returns a test clock, and how far it has advanced. */
  @Get(':clock_id')
  @Returns(TestClockView)
  async get(@CurrentApplicationId() applicationId: string, @Param('clock_id') id: string) {
    return presentClock(await this.clocks.get(applicationId, id));
  }

  /**
   * Advances a test clock. What becomes due in its accounts happens in order of time. The status is `advancing` until
   * then, and writes to the accounts get 409. It gets 403 unless the user still administers all of its accounts.
   */
  @Post(':clock_id/advance')
  @HttpCode(200)
  @Returns(TestClockView)
  async advance(@CurrentOwner() owner: Owner, @Param('clock_id') id: string, @Params() params: AdvanceTestClock) {
    return presentClock(await this.clocks.advance(owner, id, params));
  }

  /**
   * Attaches a sandbox account to a test clock, whose time it then has. The account follows no other clock, and the time
   * of the clock is not before that of the account. A test clock has at most 20 accounts.
   */
  @Put(':clock_id/accounts/:account_id')
  @Returns(TestClockView)
  async attachAccount(
    @CurrentOwner() owner: Owner,
    @Param('clock_id') id: string,
    @Param('account_id') accountId: string,
  ) {
    return presentClock(await this.clocks.attach(owner, id, accountId));
  }

  /** Detaches an account from a test clock. It follows the time of the service again. */
  @Delete(':clock_id/accounts/:account_id')
  @Returns(TestClockView)
  async detachAccount(
    @CurrentApplicationId() applicationId: string,
    @Param('clock_id') id: string,
    @Param('account_id') accountId: string,
  ) {
    return presentClock(await this.clocks.detach(applicationId, id, accountId));
  }

  /** Deletes a test clock. Its accounts follow the time of the service again. */
  @Delete(':clock_id')
  @Returns(ClockDeletedView)
  async delete(@CurrentApplicationId() applicationId: string, @Param('clock_id') id: string) {
    await this.clocks.delete(applicationId, id);
    return { deleted: true };
  }
}
