import { Body, HttpCode, Post } from '@nestjs/common';
import { BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { CUSTOM_AUDIENCE_OPERATIONS, MAX_BATCH_SIZE } from './custom-audience-batch.dto.js';
import { CustomAudienceBatchService } from './custom-audience-batch.service.js';
import { CustomAudienceView, presentOwnAudience } from './custom-audience.presenter.js';

@BatchController('custom_audiences', { tag: 'Audiences', reads: AUDIENCES_READ, writes: AUDIENCES_WRITE })
export class CustomAudienceBatchController {
  constructor(private readonly audiences: CustomAudienceBatchService) {}

  /**
   * Creates flexible and mobile audiences, and updates and deletes audiences. A batch has at most 10 operations; either
   * all apply or none.
   */
  @Post()
  @HttpCode(200)
  @TakesBatch(CUSTOM_AUDIENCE_OPERATIONS, MAX_BATCH_SIZE)
  @ReturnsList(CustomAudienceView, { batch: true })
  async run(@CurrentAccount() account: ActingAccount, @Body() operations: unknown) {
    return (await this.audiences.batch(account, operations)).map(presentOwnAudience);
  }
}
