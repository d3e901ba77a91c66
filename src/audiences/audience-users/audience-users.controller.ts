import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { AudienceDiagnosticsService } from './audience-diagnostics.service.js';
import { DO_NOT_REACH_OPERATIONS, MAX_OPERATIONS, UPLOAD_SIZE, USER_OPERATIONS } from './audience-users.dto.js';
import { AudienceDiagnosticsView, UploadCountsView } from './audience-users.presenter.js';
import { CustomAudienceUsersService } from './custom-audience-users.service.js';
import { DoNotReachListUsersService } from './do-not-reach-list-users.service.js';

@AccountController('custom_audiences/:custom_audience_id', {
  tag: 'Audiences',
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class AudienceUsersController {
  constructor(
    private readonly users: CustomAudienceUsersService,
    private readonly diagnostics: AudienceDiagnosticsService,
  ) {}

  /**
   * Adds users to an audience and removes others, in the order of the operations. Either all operations apply or none.
   */
  @Post('users')
  @HttpCode(200)
  @Policy({ writeQuota: 'AUDIENCE_USERS', body: 'json' })
  @TakesBatch(USER_OPERATIONS, MAX_OPERATIONS, UPLOAD_SIZE)
  @Returns(UploadCountsView)
  upload(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') id: string,
    @Body() operations: unknown,
  ) {
    return this.users.upload(account, id, operations);
  }

  /** Counts the people uploaded to an audience and those that count in its size. Not part of the specification. */
  @Get('diagnostics')
  // counts of people are safe only if the audience is as old as they are
  @Policy({ readsPrimary: true })
  @Returns(AudienceDiagnosticsView)
  diagnose(@CurrentAccount() account: ActingAccount, @Param('custom_audience_id') id: string) {
    return this.diagnostics.diagnose(account, id);
  }
}

@BatchController('do_not_reach_lists/:do_not_reach_list_id', {
  tag: 'Do-not-reach lists',
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class DoNotReachListUsersController {
  constructor(private readonly users: DoNotReachListUsersService) {}

  /** Adds users to the list and removes others, in the order of the operations. Either all operations apply or none. */
  @Post('users')
  @HttpCode(200)
  @Policy({ writeQuota: 'AUDIENCE_USERS' })
  @TakesBatch(DO_NOT_REACH_OPERATIONS, MAX_OPERATIONS, UPLOAD_SIZE)
  @ReturnsList(UploadCountsView, { batch: true })
  upload(
    @CurrentAccount() account: ActingAccount,
    @Param('do_not_reach_list_id') id: string,
    @Body() operations: unknown,
  ) {
    return this.users.upload(account, id, operations);
  }
}
