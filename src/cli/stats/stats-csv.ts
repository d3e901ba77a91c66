import { csv, inert, type Cell } from '../../common/text/csv.js';
import { inSeconds } from '../../common/time/in-seconds.js';
import { valueOf, type StatisticsMetrics, type MetricSum } from '../../statistics/account-statistics/metrics.js';
import type { Report } from '../../statistics/reports/report.js';

/** The content of a CSV. */
interface Contents {
  hasSegments: boolean;
  /** True if it has columns for values that nothing counts. */
  hasUncounted: boolean;
}

/** A report as CSV (RFC 4180): a line for each entity, segment and unit of time. */
export function statsCsv({ bounds, metrics, entities }: Report, { hasSegments, hasUncounted }: Contents): string {
  const columns = columnsOf(metrics).filter(([, sum]) => hasUncounted || isCounted(sum));
  const segment = hasSegments ? ['segment_name', 'segment_value'] : [];
  const lines: Cell[][] = [['id', 'name', 'currency', ...segment, 'time', ...columns.map(([name]) => name)]];
  for (const { id, name, currency, parts } of entities)
    for (const part of parts) {
      const of = hasSegments ? [part.segment?.name ?? null, part.segment?.value ?? null].map(inert) : [];
      const series = columns.map(([, sum]) => valueOf(sum, part.counts));
      for (const [unit, ms] of bounds.slice(0, -1).entries()) {
        const figures = series.map((each, i) => each?.[unit] ?? (isCounted(columns[i][1]) ? 0 : null));
        lines.push([id, inert(name), currency, ...of, inSeconds(ms), ...figures]);
      }
    }
  return csv(lines);
}

/** The values of metrics by name. A metric that is an object has one for each member. */
const columnsOf = (metrics: StatisticsMetrics): [name: string, sum: MetricSum][] =>
  Object.entries(metrics).flatMap(([name, metric]) =>
    'members' in metric
      ? Object.entries(metric.members).map(([member, sum]): [string, MetricSum] => [`${name}.${member}`, sum])
      : [[name, metric] as [string, MetricSum]],
  );

const isCounted = ({ columns }: MetricSum): boolean => columns.length > 0;
