import type { EntityManager } from 'typeorm';
import type { Row } from '../common/db/query/rows.js';
import { run } from '../common/db/query/statement.js';
import { tableOf } from '../common/db/query/table-metadata.js';
import type { LeadFieldKey } from '../creatives/lead-forms/lead-form.entity.js';
import { Lead } from '../creatives/leads/lead.entity.js';
import type { LeadExport } from './lead-export.entity.js';

/** The leads of an export. */
type Exported = Pick<Row<LeadExport>, 'accountId' | 'leadFormId' | 'startTime' | 'endTime'>;

const OF_EXPORT = `r."accountId" = $1 AND r."leadFormId" = $2 AND r."submittedAt" >= $3::timestamptz AND r."submittedAt" < $4::timestamptz`;
const LARGE = { large: true } as const;

/** The keys that the leads of an export have, including those that the form has no longer. */
export const keysOfLeads = async (db: EntityManager, of: Exported): Promise<LeadFieldKey[]> => {
  const { accountId, leadFormId, startTime, endTime } = of;
  const text = `SELECT DISTINCT k.key FROM ${tableOf(db, Lead).table} r, json_object_keys(r."fieldValues") k (key) WHERE ${OF_EXPORT} ORDER BY 1`;
  const found = await run<{ key: LeadFieldKey }>(
    db,
    { text, values: [accountId, leadFormId, startTime, endTime] },
    LARGE,
  );
  return found.map(({ key }) => key);
};

/** A page of the leads of an export, in the order of their submission, after a lead. */
export const leadsAfter = (
  db: EntityManager,
  { accountId, leadFormId, startTime, endTime }: Exported,
  after: { submittedAt: string; id: string },
  limit: number,
): Promise<Row<Lead>[]> => {
  const { table, select } = tableOf(db, Lead);
  return run<Row<Lead>>(
    db,
    {
      text: `SELECT ${select} FROM ${table} r WHERE ${OF_EXPORT} AND (r."submittedAt", r.id) > ($5::timestamptz, $6)
        ORDER BY r."submittedAt", r.id LIMIT $7`,
      values: [accountId, leadFormId, startTime, endTime, after.submittedAt, after.id, limit],
    },
    LARGE,
  );
};
