import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { exportRows, type ExportSection } from '../auth/user-export.js';
import { rows, type Row } from '../common/db/query/rows.js';
import { inPages } from '../common/list/in-pages.js';
import { Engagement } from './entities/engagement.entity.js';

/** Exports what a user clicked and viewed. Conversions name nobody: their hashes belong to the accounts. */
@Injectable()
export class MeasurementExport {
  constructor(private readonly db: DataSource) {}

  sections(userId: string): ExportSection[] {
    const wanted = () => rows(this.db.manager, Engagement).ofAllAccounts().where('userId', userId);
    const columns = [
      'id',
      'accountId',
      'lineItemId',
      'placement',
      'promotedId',
      'isClick',
      'twclid',
      'engagedAt',
    ] as const;
    return [['engagements', exportRows(withTime(inPages(this.db, wanted, 'id')), [...columns])]];
  }
}

async function* withTime(engagements: AsyncIterable<Row<Engagement>>) {
  for await (const { at: engagedAt, ...engagement } of engagements) yield { ...engagement, engagedAt };
}
