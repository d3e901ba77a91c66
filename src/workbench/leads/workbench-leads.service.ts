import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { promotedThings } from '../../campaigns/spending/promoted-things.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { invalid, notFound } from '../../common/errors/catalogue.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { inventedLead } from '../../creatives/leads/invented-lead.js';
import { LEAD_DAYS, type Lead } from '../../creatives/leads/lead.entity.js';
import { LeadsService } from '../../creatives/leads/leads.service.js';
import { RecentTimes } from '../recent-times.js';
import { SandboxAccounts } from '../sandbox-accounts.service.js';
import type { SubmitLead, ListLeads } from './leads.dto.js';

/** Submits lead forms of sandbox accounts in the name of people, so that tests can export leads. */
@Injectable()
export class WorkbenchLeads {
  constructor(
    private readonly db: DataSource,
    private readonly accounts: SandboxAccounts,
    private readonly times: RecentTimes,
    private readonly leads: LeadsService,
    private readonly quotas: StorageQuotas,
  ) {}

  /** The leads of an account that were stored last, the newest first. */
  async list(userId: string, { account_id, lead_form_id, max_results }: ListLeads): Promise<Row<Lead>[]> {
    const account = await this.accounts.requireAdministered(userId, account_id);
    return this.leads.latest(this.db.manager, account.id, max_results, lead_form_id);
  }

  /** Stores a lead. */
  async create(userId: string, params: SubmitLead): Promise<Row<Lead>> {
    const { manager } = this.db;
    const { lead_form_id: leadFormId, field_values: given = {} } = params;
    const account = await this.accounts.requireAdministered(userId, params.account_id);
    if (account.clockAdvancing) throw clockIsAdvancing(account.id);
    const submittedAt = this.times.of(account, params.time, LEAD_DAYS).toISOString();
    const form = (await this.leads.openForms(manager, account.id, [leadFormId])).get(leadFormId);
    if (!form) throw notFound('Lead Form', 'lead_form_id', leadFormId, account.id);
    const keys = form.fields.map(({ key }) => key);
    const other = Object.keys(given).find((key) => !(keys as readonly string[]).includes(key));
    if (other !== undefined)
      throw invalid('field_values', `Expected fields of the lead form in field_values, got ${other}`, {
        value: other,
        details: `it has ${keys.join(', ')}`,
      });
    const fieldValues = { ...inventedLead(form.fields, (count) => randomInt(count)), ...given };
    const of = await this.promotionOf(account.id, leadFormId, params.line_item_id);
    const stored = this.leads.store(manager, account.id, [{ leadFormId, fieldValues, submittedAt, ...of }]);
    const [lead] = await stored.catch(async (error: unknown) => {
      throw isQuotaExceeded(error) ? await this.quotas.refusal('LEADS', account.id, 1) : error;
    });
    return lead;
  }

  /** The post, campaign and line item that led to a form. */
  private async promotionOf(accountId: string, formId: string, lineItemId: string | undefined) {
    if (lineItemId === undefined) return { postId: null, campaignId: null, lineItemId: null };
    const { manager } = this.db;
    const item = await rows(manager, LineItem).where('accountId', accountId).where('id', lineItemId).getOne();
    if (!item) throw notFound('Line Item', 'line_item_id', lineItemId, accountId);
    const shown = (await promotedThings(manager, accountId, [item.id])).get(item.id) ?? [];
    const thing = shown.find(({ leadFormIds }) => leadFormIds.includes(formId));
    if (!thing)
      throw invalid('line_item_id', `Line item ${item.id} shows no card that leads to the lead form`, {
        value: item.id,
        details: 'promote a post with such a card, which is accepted and not paused',
      });
    return { postId: thing.postId, campaignId: item.campaignId, lineItemId: item.id };
  }
}
