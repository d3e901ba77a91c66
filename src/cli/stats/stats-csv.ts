import type { FactColumn, Metrics } from '../../statistics/account-statistics/metrics.js';
import { inSeconds } from '../../statistics/account-statistics/statistics-window.rules.js';
import type { Report } from '../../statistics/reports/statistics-reports.service.js';

type Cell = string | number | null;

/** A report as CSV (RFC 4180): a line for each entity, segment and unit of time. */
export function statsCsv({ bounds, metrics, entities }: Report, hasSegments: boolean): string {
  const columns = columnsOf(metrics);
  const segment = hasSegments ? ['segment_name', 'segment_value'] : [];
  const lines: Cell[][] = [['id', 'name', 'currency', ...segment, 'time', ...columns.map(({ name }) => name)]];
  for (const { id, name, currency, parts } of entities)
    for (const part of parts)
      for (const [unit, ms] of bounds.slice(0, -1).entries()) {
        const of = hasSegments ? [part.segment?.name ?? null, part.segment?.value ?? null].map(inert) : [];
        const figures = columns.map(({ column }) => (column ? (part.counts.get(column)?.[unit] ?? 0) : null));
        lines.push([id, inert(name), currency, ...of, inSeconds(ms), ...figures]);
      }
  return csv(lines);
}

interface CsvColumn {
  name: string;
  /** Absent if nothing counts it. */
  column?: FactColumn;
}

/** The columns of metrics. An uncounted metric that is an object has a column for each member. */
const columnsOf = (metrics: Metrics): CsvColumn[] =>
  Object.entries(metrics).flatMap(([name, metric]): CsvColumn[] => {
    if ('column' in metric) return [{ name, column: metric.column }];
    return metric.constant ? Object.keys(metric.constant).map((member) => ({ name: `${name}.${member}` })) : [{ name }];
  });

/** A text that spreadsheets do not read as a formula. */
const inert = (text: string | null): string | null => text && (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** Lines as CSV with a line end after each. */
export const csv = (lines: readonly (readonly Cell[])[]): string =>
  lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');

const quoted = (cell: Cell): string => {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
