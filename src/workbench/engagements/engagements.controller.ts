import { Get, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import type { Owner } from '../sandbox-accounts.service.js';
import { CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { EngagementView, presentEngagement } from './engagement.presenter.js';
import { CreateEngagement, ListEngagements } from './engagements.dto.js';
import { WorkbenchEngagements } from './workbench-engagements.service.js';

/** Engagements of users with line items of sandbox accounts. Not part of the specification: docs/workbench.md. */
@WorkbenchController('engagements')
export class EngagementsController {
  constructor(private readonly engagements: WorkbenchEngagements) {}

  /** Lists the engagements of an account that were stored last, the newest first: those of tests, and drawn ones. */
  @Get()
  @ReturnsList(EngagementView)
  async list(@CurrentOwner() { userId }: Owner, @Params() query: ListEngagements) {
    return (await this.engagements.list(userId, query)).map(presentEngagement);
  }

  /**
   * Makes a user of the directory click on what a line item shows, or view it. A click has a `twclid`, which a landing page
   * receives. Conversions of this user are attributed to the line item.
   */
  @Post()
  @ApiResponse({ status: 404, description: 'The account or the line item does not exist.' })
  @Policy({ ofMeasurement: true })
  @Returns(EngagementView, { status: 201 })
  async create(@CurrentOwner() { userId }: Owner, @Params() params: CreateEngagement) {
    return presentEngagement(await this.engagements.create(userId, params));
  }
}
