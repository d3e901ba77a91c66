import { Body, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { CUSTOM_AUDIENCE_OPERATIONS, MAX_BATCH_SIZE } from './custom-audience-batch.dto.js';
import { CustomAudienceBatchService } from './custom-audience-batch.service.js';
import { CustomAudienceView, presentCustomAudience, presentOwnAudience } from './custom-audience.presenter.js';
import { CreateCustomAudience, ListCustomAudiences, UpdateCustomAudience } from './custom-audiences.dto.js';
import { CustomAudiencesService } from './custom-audiences.service.js';

@AccountController('custom_audiences', { tag: 'Audiences', reads: AUDIENCES_READ, writes: AUDIENCES_WRITE })
export class CustomAudiencesController {
  constructor(private readonly audiences: CustomAudiencesService) {}

  /** Lists the account's audiences, or those shared with it. */
  @Get()
  @ReturnsPage(CustomAudienceView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListCustomAudiences) {
    return (await this.audiences.list(account, query)).map(presentCustomAudience);
  }

  /** Retrieves an audience. */
  @Get(':custom_audience_id')
  @Returns(CustomAudienceView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentCustomAudience(await this.audiences.get(account, id, query));
  }

  /** Creates an audience without users. Users are uploaded afterwards. */
  @Post()
  @Returns(CustomAudienceView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateCustomAudience) {
    return presentOwnAudience(await this.audiences.create(account, params));
  }

  /** Updates the name and description of an audience. An empty description removes it. */
  @Put(':custom_audience_id')
  @Returns(CustomAudienceView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') id: string,
    @Params() params: UpdateCustomAudience,
  ) {
    return presentCustomAudience(await this.audiences.update(account, id, params));
  }

  /** Deletes an audience permanently. Campaigns that target it continue. */
  @Delete(':custom_audience_id')
  @Returns(CustomAudienceView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('custom_audience_id') id: string) {
    return presentOwnAudience(await this.audiences.delete(account, id));
  }
}

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
