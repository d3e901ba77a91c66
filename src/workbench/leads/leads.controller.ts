import { Get, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import type { Owner } from '../sandbox-accounts.service.js';
import { CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { LeadView, presentLead } from './lead.presenter.js';
import { SubmitLead, ListLeads } from './leads.dto.js';
import { WorkbenchLeads } from './workbench-leads.service.js';

/** Submissions of lead forms of sandbox accounts. Not part of the specification: docs/workbench.md. */
@WorkbenchController('leads', { readsPeople: true })
export class LeadsController {
  constructor(private readonly leads: WorkbenchLeads) {}

  /** Lists the leads of an account that were stored last, the newest first: those of tests, and drawn ones. */
  @Get()
  @ReturnsList(LeadView)
  async list(@CurrentOwner() { userId }: Owner, @Params() query: ListLeads) {
    return (await this.leads.list(userId, query)).map(presentLead);
  }

  /** Submits a lead form of an account in the name of a person, who is invented as far as `field_values` say nothing. */
  @Post()
  @ApiResponse({ status: 404, description: 'The account, the lead form or the line item does not exist.' })
  @Returns(LeadView, { status: 201 })
  async submit(@CurrentOwner() { userId }: Owner, @Params() params: SubmitLead) {
    return presentLead(await this.leads.create(userId, params));
  }
}
