import { Post, HttpCode, Param, Body } from '@nestjs/common';
import { BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { UploadCountsView } from './audience-users.presenter.js';
import { DO_NOT_REACH_OPERATIONS } from './do-not-reach-list-users.dto.js';
import { DoNotReachListUsersService } from './do-not-reach-list-users.service.js';
import { MAX_OPERATIONS, UPLOAD_SIZE } from './upload-size.js';

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
