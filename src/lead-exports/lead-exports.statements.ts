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

const PAGE = `${OF_EXPORT} AND (r."submittedAt", r.id) > ($5::timestamptz, $6) ORDER BY r."submittedAt", r.id LIMIT $7`;

/** A lead in the order of their submission. */
export type Position = Pick<Row<Lead>, 'submittedAt' | 'id'>;

const pageOf = ({ accountId, leadFormId, startTime, endTime }: Exported, after: Position, limit: number) => [
  accountId,
  leadFormId,
  startTime,
  endTime,
  after.submittedAt,
  after.id,
  limit,
];

/** The keys of a page of the leads of an export, including those that the form has no longer, and its last lead. */
export const keysOfLeads = async (
  db: EntityManager,
  of: Exported,
  after: Position,
  limit: number,
): Promise<(Position & { keys: LeadFieldKey[] }) | undefined> => {
  const [found] = await run<Position & { keys: LeadFieldKey[] | null }>(
    db,
    {
      text: `WITH page AS MATERIALIZED (SELECT r."submittedAt", r.id, r."fieldValues" FROM ${tableOf(db, Lead).table} r WHERE ${PAGE})
        SELECT p."submittedAt", p.id, (
          SELECT array_agg(DISTINCT k.key) FROM page, json_object_keys(page."fieldValues") k (key)) AS keys
        FROM page p ORDER BY p."submittedAt" DESC, p.id DESC LIMIT 1`,
      values: pageOf(of, after, limit),
    },
    LARGE,
  );
  return found && { ...found, keys: found.keys ?? [] };
};

/** A page of the leads of an export, in the order of their submission, after a lead. */
export const leadsAfter = (db: EntityManager, of: Exported, after: Position, limit: number): Promise<Row<Lead>[]> => {
  const { table, select } = tableOf(db, Lead);
  const text = `SELECT ${select} FROM ${table} r WHERE ${PAGE}`;
  return run<Row<Lead>>(db, { text, values: pageOf(of, after, limit) }, LARGE);
};
