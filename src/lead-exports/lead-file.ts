import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { writeXlsxStream } from 'hucre/xlsx';
import { wireTime } from '../common/db/postgres/type-parsers.js';
import type { Row } from '../common/db/query/rows.js';
import { csv, inert, type Cell } from '../common/text/csv.js';
import type { LeadFieldKey } from '../creatives/lead-forms/lead-form.entity.js';
import type { Lead } from '../creatives/leads/lead.entity.js';
import type { LeadFileFormat } from './lead-export.entity.js';

export const LEAD_FILE_TYPES: Record<LeadFileFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The columns that follow those of the fields. */
const CLOSING = ['submitted_at', 'lead_form_id', 'post_id', 'campaign_id', 'line_item_id'] as const;

export interface LeadColumns {
  /** The keys of the fields, in order. */
  keys: readonly LeadFieldKey[];
  /** A column as the vocabulary of the export names it. */
  nameOf: (column: string) => string;
}

/** The names of the columns. */
const headerOf = ({ keys, nameOf }: LeadColumns): string[] => ['id', ...keys, ...CLOSING.map(nameOf)];

/** The values of a lead in the order of the columns; null for what is missing. */
const cellsOf = (lead: Row<Lead>, { keys }: LeadColumns): (string | null)[] => [
  lead.id,
  ...keys.map((key) => lead.fieldValues[key] ?? null),
  ...[wireTime(lead.submittedAt), lead.leadFormId, lead.postId, lead.campaignId, lead.lineItemId],
];

/** A file with leads in pages. It has one page in memory at a time. */
export const leadFile = (
  format: LeadFileFormat,
  columns: LeadColumns,
  pages: AsyncIterable<readonly Row<Lead>[]>,
): Readable => {
  if (format === 'xlsx') {
    const sheet = writeXlsxStream(rowsOf(columns, pages), { name: 'Leads' });
    return Readable.fromWeb(sheet as ReadableStream);
  }
  const text = format === 'csv' ? csvOf(columns, pages) : jsonOf(columns, pages);
  return Readable.from(text, { objectMode: false });
};

/** A text that XML can contain, and that spreadsheets do not read as an escaped character. */
const inXlsx = (text: string | null): string | null =>
  text && text.replaceAll(/[\ufffe\uffff]/g, '').replaceAll(/_(?=x[\da-f]{4}[_\p{Cc}])/giu, '_x005F_');

/** Cells of an xlsx are texts, whatever they begin with. */
async function* rowsOf(columns: LeadColumns, pages: AsyncIterable<readonly Row<Lead>[]>) {
  yield headerOf(columns);
  for await (const page of pages) for (const lead of page) yield cellsOf(lead, columns).map(inXlsx);
}

/** Values that spreadsheets would read as formulas begin with an apostrophe. */
async function* csvOf(columns: LeadColumns, pages: AsyncIterable<readonly Row<Lead>[]>) {
  yield csv([headerOf(columns)]);
  for await (const page of pages) yield csv(page.map((lead): Cell[] => cellsOf(lead, columns).map(inert)));
}

async function* jsonOf(columns: LeadColumns, pages: AsyncIterable<readonly Row<Lead>[]>) {
  const header = headerOf(columns);
  const objectOf = (lead: Row<Lead>) => {
    const cells = cellsOf(lead, columns);
    return JSON.stringify(Object.fromEntries(header.map((name, i) => [name, cells[i]])));
  };
  let separator = '';
  yield '{"data_type":"leads","data":[';
  for await (const page of pages) {
    yield separator + page.map(objectOf).join(',');
    separator = ',';
  }
  yield ']}';
}
