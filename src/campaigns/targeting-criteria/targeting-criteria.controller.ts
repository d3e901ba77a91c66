import { Body, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import {
  CreateTargetingCriterion,
  GetTargetingCriterion,
  ListTargetingCriteria,
  TARGETING_CRITERION_OPERATIONS,
} from './targeting-criteria.dto.js';
import { TargetingCriteriaService } from './targeting-criteria.service.js';
import { presentCriterion, TargetingCriterionView } from '../criterion-sets/targeting-criterion.presenter.js';

@AccountController('targeting_criteria', {
  tag: 'Targeting criteria',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
  quota: 'CORE_READS',
})
export class TargetingCriteriaController {
  constructor(private readonly criteria: TargetingCriteriaService) {}

  /** Lists the targeting criteria of line items, with filters and pagination. */
  @Get()
  @ReturnsPage(TargetingCriterionView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListTargetingCriteria) {
    return (await this.criteria.list(account, query)).map((each) => presentCriterion(each, query.lang));
  }

  /** Returns a targeting criterion. */
  @Get(':targeting_criterion_id')
  @Returns(TargetingCriterionView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('targeting_criterion_id') id: string,
    @Params() query: GetTargetingCriterion,
  ) {
    return presentCriterion(await this.criteria.get(account, id, query), query.lang);
  }

  /**
   * Adds a targeting criterion to a line item. If the line item already has it, returns the existing one. The status is
   * 200 in both cases.
   */
  @Post()
  @Returns(TargetingCriterionView)
  @Returns(TargetingCriterionView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateTargetingCriterion) request: Parsed<CreateTargetingCriterion>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { criterion, isNew } = await this.criteria.create(account, request);
    reply.status(isNew ? 201 : 200);
    return presentCriterion(criterion);
  }

  /** Deletes a criterion permanently. Repeating the call returns 404. */
  @Delete(':targeting_criterion_id')
  @Returns(TargetingCriterionView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('targeting_criterion_id') id: string) {
    return presentCriterion(await this.criteria.delete(account, id));
  }
}

@BatchController('targeting_criteria', {
  tag: 'Targeting criteria',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
})
export class TargetingCriteriaBatchController {
  constructor(private readonly criteria: TargetingCriteriaService) {}

  /** Creates and deletes up to 500 criteria. Either all operations succeed or none. */
  @Post()
  @HttpCode(200)
  @TakesBatch(TARGETING_CRITERION_OPERATIONS, 500)
  @ReturnsList(TargetingCriterionView, { batch: true, data_type: 'targeting_criterion' })
  async run(@CurrentAccount() account: ActingAccount, @Body() operations: unknown) {
    const done = await this.criteria.batch(account, operations);
    return done.map((each) => presentCriterion(each), { data_type: 'targeting_criterion' });
  }
}
