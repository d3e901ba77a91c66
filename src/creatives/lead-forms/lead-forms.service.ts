import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { changedColumns, newColumns } from '../../common/db/query/field-columns.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { LEAD_FORMS, LeadForm, type LeadField } from './lead-form.entity.js';
import type { CreateLeadForm, ListLeadForms, UpdateLeadForm } from './lead-forms.dto.js';

const columnOfFields = (fields: CreateLeadForm['fields']): LeadField[] =>
  fields.map(({ key, optional = false }) => ({ key, optional }));

@Injectable()
export class LeadFormsService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListLeadForms) {
    return page(this.resources.of(account, LEAD_FORMS), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.resources.of(account, LEAD_FORMS), id, LEAD_FORMS.notFoundError(account), query);
  }

  create(account: ActingAccount, params: CreateLeadForm) {
    const given = { accountId: account.id, fields: columnOfFields(params.fields) };
    return this.resources.create(account, LEAD_FORMS, newColumns(LeadForm, params, given));
  }

  update(account: ActingAccount, id: string, params: UpdateLeadForm) {
    const given = params.fields ? { fields: columnOfFields(params.fields) } : {};
    return this.resources.update(account, LEAD_FORMS, id, changedColumns(LeadForm, params, given));
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, LEAD_FORMS, id);
  }
}
