import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { JsonBody, Params } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, LEAD_FORMS_WRITE } from '../creatives.permissions.js';
import { LeadFormView, presentArchivedLeadForm, presentLeadForm } from './lead-form.presenter.js';
import { CreateLeadForm, ListLeadForms, UpdateLeadForm } from './lead-forms.dto.js';
import { LeadFormsService } from './lead-forms.service.js';

@AccountController('lead_forms', { tag: 'Lead forms', reads: CREATIVES_READ, writes: LEAD_FORMS_WRITE })
export class LeadFormsController {
  constructor(private readonly forms: LeadFormsService) {}

  /** Lists the lead forms of the account. */
  @Get()
  @ReturnsPage(LeadFormView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListLeadForms) {
    return (await this.forms.list(account, query)).map(presentLeadForm);
  }

  /** Returns a lead form. */
  @Get(':lead_form_id')
  @Returns(LeadFormView)
  async get(@CurrentAccount() account: ActingAccount, @Param('lead_form_id') id: string, @Params() query: OneQuery) {
    return presentLeadForm(await this.forms.get(account, id, query));
  }

  /** Creates a lead form. */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(LeadFormView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @JsonBody() params: CreateLeadForm) {
    return presentLeadForm(await this.forms.create(account, params));
  }

  /** Updates a lead form. Each object sent replaces the stored one as a whole; none can be unset. */
  @Put(':lead_form_id')
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(LeadFormView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('lead_form_id') id: string,
    @JsonBody() params: UpdateLeadForm,
  ) {
    return presentLeadForm(await this.forms.update(account, id, params));
  }

  /** Archives a lead form. The response omits its pages and fields. */
  @Delete(':lead_form_id')
  @Returns(LeadFormView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('lead_form_id') id: string) {
    return presentArchivedLeadForm(await this.forms.delete(account, id));
  }
}
