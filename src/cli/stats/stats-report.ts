import { inSeconds } from '../../common/time/in-seconds.js';
import type { Account } from '../../accounts/entities/account.entity.js';
import { amountText } from '../../campaigns/money.js';
import { presentStatistics } from '../../statistics/account-statistics/account-statistics.presenter.js';
import {
  GROUPS,
  METRIC_GROUPS,
  type Counts,
  type FactColumn,
  type MetricGroup,
  type StatisticsMetrics,
} from '../../statistics/account-statistics/metrics.js';
import {
  WITHIN_COUNTRY,
  WITHIN_PLATFORM,
  type Segmentation,
} from '../../statistics/account-statistics/segmentation.js';
import {
  groupsDividedBy,
  segmentationOf,
  segmentationProblems,
} from '../../statistics/account-statistics/segmentation.rules.js';
import {
  momentOf,
  windowProblems,
  type AskedWindow,
  type Granularity,
  type TimeContext,
} from '../../statistics/account-statistics/statistics-window.rules.js';
import {
  derivedFrom,
  type SumOf,
  localTime,
  sumOf,
  type Report,
  type ReportedEntity,
} from '../../statistics/reports/report.js';
import type { CommandOutput } from '../context.js';
import { Misuse, CommandRefusal } from '../refusal.js';
import type { Services } from '../services.js';
import { below, table, type Layout } from '../table.js';
import { statsCsv } from './stats-csv.js';
import { MAX_STATS_DAYS, MAX_ENTITIES, type StatsOptions } from './stats-options.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import { dayBeginningAt, localDay, startOfDay } from '../../common/time/time-zones.js';

/** Maximum number of days of figures that are divided into segments. */
const MAX_DAYS_OF_SEGMENTS = 45;

/** The groups of the table. */
const IN_TABLE: readonly MetricGroup[] = ['ENGAGEMENT', 'BILLING', 'VIDEO'];

const NUMBERS = ['impressions', 'engagements', 'clicks', 'spend', 'cpm', 'rate'];

/** The output of `marquee stats`. */
export async function reported(
  { clock, statisticsReports }: Services,
  account: Account,
  options: StatsOptions,
  isUnicode: boolean,
): Promise<CommandOutput> {
  const { entity, ids, top, csv, placement } = options;
  const groups = groupsOf(options);
  const segmentation = segmentationIn(options, groups);
  const frozenTime = account.frozenTime?.toISOString() ?? null;
  const place = { timezone: account.timezone, now: clock.timeOf({ frozenTime })() };
  const range = rangeOf(options, place, segmentation ? MAX_DAYS_OF_SEGMENTS : MAX_STATS_DAYS);
  const asked = { ...range, entity, limit: top, groups, placement, segmentation };
  const report = await statisticsReports.read(
    account,
    { ...asked, ids: entity === 'ACCOUNT' ? [account.id] : ids },
    place,
  );
  const contents = { hasSegments: segmentation !== undefined, hasUncounted: options.metricGroups !== undefined };
  if (csv) return { json: undefined, text: statsCsv(report, contents) };
  const shown = {
    account_id: account.id,
    entity,
    placement: placement ?? null,
    segmentation_type: segmentation?.type ?? null,
    granularity: options.granularity,
    start_time: inSeconds(report.bounds[0]),
    end_time: inSeconds(report.bounds.at(-1)!),
    time_series_length: report.bounds.length - 1,
    more: report.more,
    data: report.entities.map(({ name, currency, ...series }) => {
      const { id, id_data } = presentStatistics(report.metrics)(series);
      return { id, name, currency, id_data };
    }),
  };
  return { json: shown, text: layoutOf(report, options, account, isUnicode) };
}

/** The valid segmentation of the options; undefined without `--segmentation`. */
function segmentationIn(options: StatsOptions, groups: readonly MetricGroup[]): Segmentation | undefined {
  const { entity, segmentation: type, country, platform } = options;
  if (!type) return undefined;
  if (WITHIN_COUNTRY.has(type) && country === undefined) throw new Misuse(`--segmentation ${type} requires --country`);
  if (WITHIN_PLATFORM.has(type) && platform === undefined)
    throw new Misuse(`--segmentation ${type} requires --platform`);
  const asked = { entity, metric_groups: groups, segmentation_type: type, country, platform };
  const [problem] = segmentationProblems(asked);
  if (problem) throw new CommandRefusal(problem.message);
  return segmentationOf(asked);
}

/** The groups that are named, or those that the entity has and the segments divide: all of them, or those of the table. */
function groupsOf({ entity, metricGroups, csv, json, segmentation }: StatsOptions): readonly MetricGroup[] {
  const available = GROUPS[entity];
  const missing = metricGroups?.find((group) => !available[group]);
  if (missing)
    throw new CommandRefusal(
      `${entity} has no metrics of ${missing}; its groups are ${Object.keys(available).join(', ')}`,
    );
  const isExport = csv || json;
  if (metricGroups && isExport) return metricGroups;
  const divided = segmentation && groupsDividedBy(segmentation, entity);
  return (isExport ? METRIC_GROUPS : IN_TABLE).filter(
    (group) => available[group] && (divided?.includes(group) ?? true),
  );
}

/** A single entity has a row for each unit of time, several have a row each. */
function layoutOf(report: Report, options: StatsOptions, { timezone }: Account, isUnicode: boolean): Layout {
  const { entities, bounds, more } = report;
  const { entity, ids, placement, segmentation, granularity, top } = options;
  const range = `${rangeText(bounds[0], bounds.at(-1)!, timezone)}${placement ? `, ${placement}` : ''}`;
  const nothing = `Nothing was counted from ${range}.`;
  if ((entity === 'ACCOUNT' || ids?.length === 1) && !segmentation && granularity !== 'TOTAL') {
    const [{ id, name }] = entities;
    const title = name === null ? id : `${name} (${id})`;
    return below(table(rowsOfUnits(report, timezone, isUnicode), nothing, NUMBERS), `${title}: ${range}.`);
  }
  const rows = rowsOfEntities(report, options, isUnicode);
  const layout = table(rows, nothing, NUMBERS);
  if (rows.length === 0) return layout;
  const others = more === 0 ? '' : ` ${more} more spent less: --top ${Math.min(top + more, MAX_ENTITIES)} shows them.`;
  return below(layout, `${range}.${others}`);
}

/** A range of whole days ends with its last day. */
function rangeText(start: number, end: number, timezone: string): string {
  const [first, last] = [start, end].map((ms) => localTime(ms, timezone));
  const areDays = !first.includes(' ') && !last.includes(' ');
  return `${first} to ${areDays ? localTime(end - 1, timezone).slice(0, 10) : last} in ${timezone}`;
}

const rowsOfEntities = (
  { entities, metrics, bounds }: Report,
  { segmentation, granularity }: StatsOptions,
  isUnicode: boolean,
) =>
  entities.flatMap((each) =>
    each.parts.map((part) => ({
      id: each.id,
      name: each.name,
      ...(segmentation && { segment: part.segment?.name ?? part.segment?.value ?? 'unknown' }),
      ...figuresOf(each, metrics, (column) => sumOf(part, column)),
      ...(granularity !== 'TOTAL' && { trend: sparkline(impressionsOf(part, bounds.length - 1), isUnicode) }),
    })),
  );

function rowsOfUnits({ entities: [entity], metrics, bounds }: Report, timezone: string, isUnicode: boolean) {
  const [part] = entity.parts;
  const impressions = impressionsOf(part, bounds.length - 1);
  const highest = Math.max(...impressions);
  const units = impressions.map((count, unit) => ({
    time: localTime(bounds[unit], timezone),
    ...figuresOf(entity, metrics, (column) => part.counts.get(column)?.[unit] ?? 0),
    trend: bar(count, highest, isUnicode),
  }));
  return [...units, { time: 'total', ...figuresOf(entity, metrics, (column) => sumOf(part, column)), trend: '' }];
}

/** The columns of figures; those that the entity does not have are empty. */
function figuresOf({ currency, objective }: ReportedEntity, metrics: StatisticsMetrics, sum: SumOf) {
  const { cpmLocalMicro, rate } = derivedFrom(sum, objective);
  const count = (name: string, column: FactColumn) => (name in metrics ? sum(column).toLocaleString('en-US') : null);
  const amount = (micro: number | null) => (currency === null || micro === null ? null : amountText(micro, currency));
  const spend = amount(sum('billedChargeLocalMicro'));
  return {
    impressions: count('impressions', 'impressions'),
    engagements: count('engagements', 'engagements'),
    clicks: count('clicks', 'clicks'),
    spend: spend && `${spend} ${currency}`,
    cpm: amount(cpmLocalMicro),
    rate: rate === null ? null : `${(rate * 100).toFixed(2)} %`,
  };
}

const impressionsOf = ({ counts }: Counts, units: number): readonly number[] =>
  counts.get('impressions') ?? new Array<number>(units).fill(0);

/** The options of a time range. */
interface GivenRange {
  days?: number;
  start?: string;
  end?: string;
  granularity: Granularity;
}

const DEFAULT_DAYS = 7;

/** The time range of these options: by default the last days of the account, including today. */
function rangeOf({ days, start, end, granularity }: GivenRange, place: TimeContext, maxDays: number): AskedWindow {
  const { timezone, now } = place;
  const dayOf = (ms: number) => localDay(timezone, ms);
  const iso = (ms: number) => new Date(ms).toISOString();
  const given = (time: string) => momentOf(time, timezone);
  const afterDays = (from: number, count: number) => startOfDay(timezone, dayOf(from) + count);
  // what has not happened yet is only a part of today
  const current = granularity === 'DAY' ? afterDays(now.getTime(), 1) : Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
  let last = end === undefined ? current : given(end);
  const first = start === undefined ? afterDays(last - 1, 1 - (days ?? DEFAULT_DAYS)) : given(start);
  if (start !== undefined && end === undefined && days !== undefined) last = afterDays(first, days);
  const range = { start_time: iso(first), end_time: iso(last), granularity };
  const empty = new CommandRefusal(`the end of the range, ${iso(last)}, is not after its start, ${iso(first)}`);
  if (last <= first) throw empty;
  if (last - first > maxDays * DAY_MS + HOUR_MS) throw new CommandRefusal(`the range is longer than ${maxDays} days`);
  if (windowProblems(range, place, maxDays).length === 0) return range;
  for (const [option, ms] of [
    ['--start', first],
    ['--end', last],
  ] as const) {
    if (granularity === 'DAY' && dayBeginningAt(timezone, ms, now.getTime()) === undefined)
      throw new CommandRefusal(
        `${option} must be a date, or midnight in ${timezone}; --granularity HOUR takes any whole hour`,
      );
  }
  throw granularity === 'DAY' ? empty : new CommandRefusal('--start and --end must be whole hours');
}

/** Heights from the lowest to the highest, in Unicode and in ASCII. */
const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PLAIN = ['_', '.', ':', '-', '=', '+', '*', '#'];

/** Maximum number of characters of a sparkline. */
const MAX_WIDTH = 30;

/** Numbers as a line of blocks, or of ASCII characters. The lowest height stands for 0 alone. Long series are averaged. */
export function sparkline(numbers: readonly number[], isUnicode: boolean): string {
  const heights = isUnicode ? BLOCKS : PLAIN;
  const width = Math.ceil(numbers.length / MAX_WIDTH);
  const cells = Array.from({ length: Math.ceil(numbers.length / width) }, (_, i) => {
    const part = numbers.slice(i * width, (i + 1) * width);
    return part.reduce((sum, each) => sum + each, 0) / part.length;
  });
  const highest = Math.max(...cells);
  return cells.map((each) => heights[highest === 0 ? 0 : Math.ceil((each / highest) * (heights.length - 1))]).join('');
}

/** A bar whose length is a share of the highest number. */
export function bar(number: number, highest: number, isUnicode: boolean): string {
  const length = highest === 0 ? 0 : Math.ceil((number / highest) * (MAX_WIDTH / 2));
  return (isUnicode ? '█' : '#').repeat(length);
}
