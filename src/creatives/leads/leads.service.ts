import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { reserveStorage } from '../../common/storage/storage-usage.js';
import { Clock } from '../../common/time/clock.js';
import { LeadForm } from '../lead-forms/lead-form.entity.js';
import { Lead } from './lead.entity.js';

export type NewLead = Omit<Row<Lead>, 'id' | 'accountId'>;

/** What people submitted with lead forms. */
@Injectable()
export class LeadsService {
  constructor(
    private readonly clock: Clock,
    private readonly quotas: StorageQuotas,
  ) {}

  /** Stores leads of an account. The quota of the account decides: see isQuotaExceeded. */
  async store(db: EntityManager, accountId: string, leads: readonly NewLead[]): Promise<Row<Lead>[]> {
    if (leads.length === 0) return [];
    const now = this.clock.now();
    const stored = leads.map((lead): Row<Lead> => ({ id: newId(now), accountId, ...lead }));
    await write(db, [insert(Lead, stored), reserveStorage(this.quotas.amount('LEADS', accountId, stored.length))]);
    return stored;
  }

  /** The leads of an account that were stored last, the newest first; only those of one form, if it is given. */
  latest(db: EntityManager, accountId: string, limit: number, leadFormId?: string): Promise<Row<Lead>[]> {
    const leads = rows(db, Lead).where('accountId', accountId);
    return (leadFormId === undefined ? leads : leads.where('leadFormId', leadFormId))
      .orderBy('id', 'DESC')
      .limit(limit)
      .getMany();
  }

  /** The forms with these ids that take submissions, by id: those of the account that are not archived. */
  async openForms(db: EntityManager, accountId: string, ids: readonly string[]): Promise<Map<string, Row<LeadForm>>> {
    if (ids.length === 0) return new Map();
    const forms = await rows(db, LeadForm).where('accountId', accountId).whereIn('id', ids).getMany();
    return new Map(forms.map((form) => [form.id, form]));
  }
}
