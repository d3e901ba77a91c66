import { inSeconds } from '../../common/time/in-seconds.js';
import type { Account } from '../../accounts/entities/account.entity.js';
import { amountText, minimumDenomination } from '../../campaigns/money.js';
import { HOUR_MS } from '../../common/time/days.js';
import type { Row } from '../../common/db/query/rows.js';
import type { FactColumn } from '../../statistics/account-statistics/metrics.js';
import {
  derivedFrom,
  localTime,
  sumOf as total,
  type Report,
  type ReportedEntity,
} from '../../statistics/reports/report.js';
import { chartOf, type Chart } from './chart.js';

/** The ranges of the page. */
export const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '14d', label: '14 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
] as const;
export type Range = (typeof RANGES)[number]['value'];

/** How the page divides the figures: by types of segments that need neither a country nor a platform. */
export const SEGMENTS = [
  { value: '', label: 'None' },
  { value: 'AGE', label: 'Age' },
  { value: 'GENDER', label: 'Gender' },
  { value: 'PLATFORMS', label: 'Platform' },
  { value: 'LOCATIONS', label: 'Country' },
  { value: 'LANGUAGES', label: 'Language' },
  { value: 'INTERESTS', label: 'Interest' },
] as const;
export type SegmentChoice = (typeof SEGMENTS)[number]['value'];

/** Maximum number of entities of a request for statistics. */
const MAX_ENTITIES_OF_REQUEST = 20;

/** The figures of a unit of time or of the range, as the page shows them. */
interface Figures {
  impressions: string;
  engagements: string;
  /** Undefined for an account, whose funding instruments do not count clicks. */
  clicks?: string;
  spend: string;
  cpm: string;
  rate: string;
}

/** The figures of the range. */
interface PresentedFigures {
  /** The currency of the chart and of the amounts. */
  currency: string;
  /** Null if nothing was counted. */
  chart: Chart | null;
  total: Figures;
  units: (Figures & { time: string })[];
  /** Spend in other currencies, which neither the chart nor the amounts contain. */
  otherSpend: string[];
}

/** The sums of the entities of a report. Amounts are in the currency in which they spent most. */
export function presentFigures(report: Report, timezone: string): PresentedFigures {
  const { entities, bounds } = report;
  const spent = spentIn(entities);
  const [currency] = spent.keys();
  const figuresAt = (unit?: number) => figuresOf(report, { currency, isOnly: spent.size === 1 }, unit);
  const isHours = bounds[1] - bounds[0] === HOUR_MS;
  const units = bounds.slice(0, -1).map((ms, unit) => ({ time: localTime(ms, timezone), ...figuresAt(unit) }));
  const charted = units.map(({ time, spend, impressions }, unit) => ({
    label: labelOf(time, isHours),
    title: `${time}: ${spend} ${currency}, ${impressions} impressions`,
    spend: sumOf(inCurrency(entities, currency), 'billedChargeLocalMicro', unit) / 1_000_000,
    impressions: sumOf(entities, 'impressions', unit),
  }));
  const isCounted = charted.some(({ impressions, spend }) => impressions > 0 || spend > 0);
  return {
    currency,
    chart: isCounted ? chartOf(charted, minimumDenomination(currency) / 1_000_000) : null,
    total: figuresAt(),
    units,
    otherSpend: [...spent].slice(1).map(([code, charge]) => `${amountText(charge, code)} ${code}`),
  };
}

/** The currencies of entities with what they spent, the largest amount first; USD without entities. */
function spentIn(entities: readonly ReportedEntity[]): Map<string, number> {
  const spent = new Map<string, number>();
  for (const entity of entities) {
    const code = entity.currency ?? 'USD';
    spent.set(code, (spent.get(code) ?? 0) + sumOf([entity], 'billedChargeLocalMicro'));
  }
  const sorted = [...spent].sort(([, one], [, other]) => other - one);
  return new Map(sorted.length > 0 ? sorted : [['USD', 0]]);
}

const inCurrency = (entities: readonly ReportedEntity[], currency: string) =>
  entities.filter((entity) => entity.currency === currency);

/** The sum of a column of whole entities: in one unit of time, or in all. */
const sumOf = (entities: readonly ReportedEntity[], column: FactColumn, unit?: number): number =>
  entities.reduce(
    (sum, { parts: [part] }) =>
      sum + (unit === undefined ? total(part, column) : (part.counts.get(column)?.[unit] ?? 0)),
    0,
  );

function figuresOf(
  { entities, metrics }: Report,
  { currency, isOnly }: { currency: string; isOnly: boolean },
  unit?: number,
): Figures {
  const charged = inCurrency(entities, currency);
  const sum = (column: FactColumn) => sumOf(column === 'billedChargeLocalMicro' ? charged : entities, column, unit);
  const count = (column: FactColumn) => sum(column).toLocaleString('en-US');
  const { cpmLocalMicro, rate } = derivedFrom(sum, null);
  return {
    impressions: count('impressions'),
    engagements: count('engagements'),
    ...('clicks' in metrics && { clicks: count('clicks') }),
    spend: amountText(sum('billedChargeLocalMicro'), currency),
    cpm: cpmLocalMicro === null || !isOnly ? '–' : amountText(cpmLocalMicro, currency),
    rate: rate === null ? '–' : `${(rate * 100).toFixed(2)} %`,
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as the axis writes it: the hour of a day, or the day of a year. */
export const labelOf = (time: string, isHours: boolean): string =>
  isHours ? time.slice(11) || '00:00' : `${MONTHS[Number(time.slice(5, 7)) - 1]} ${Number(time.slice(8, 10))}`;

/** What a request for the figures of a page asks for. */
interface RequestedFigures {
  account: Pick<Row<Account>, 'id' | 'environment'>;
  entity: 'CAMPAIGN' | 'FUNDING_INSTRUMENT';
  report: Report;
  range: Range;
}

/** The command that requests the figures of a page: a job for more than 7 days. Both take at most 20 entities, the first ones. */
export function commandFor({ account, entity, report: { bounds, entities }, range }: RequestedFigures): string {
  const [start, end] = [bounds[0], bounds.at(-1)!].map(inSeconds);
  const ids = entities.slice(0, MAX_ENTITIES_OF_REQUEST).map(({ id }) => id);
  const params = {
    entity,
    entity_ids: ids.join(),
    start_time: start,
    end_time: end,
    granularity: range === '24h' ? 'HOUR' : 'DAY',
    metric_groups: 'ENGAGEMENT,BILLING',
    placement: 'ALL_ON_PLATFORM',
  };
  const [method, path] = needsJob(range) ? ['POST', '/12/stats/jobs'] : ['GET', '/12/stats'];
  const written = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const sandbox = account.environment === 'sandbox' ? ['--sandbox'] : [];
  return ['npx marquee request', method, `${path}/accounts/${account.id}`, ...written, ...sandbox].join(' ');
}

/** Whether a range is too long for a request that answers at once. */
export const needsJob = (range: Range): boolean => range !== '24h' && range !== '7d';
