import { amountText, minimumDenomination } from '../../campaigns/money.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import type { Counts, FactColumn, StatisticsMetrics } from '../../statistics/account-statistics/metrics.js';
import { localTime, sumOf, type Report, type ReportedEntity } from '../../statistics/reports/report.js';
import { paceOf, stackOf, type Pace, type Stack } from './chart.js';
import { evenPacing, type Budgeted } from './pacing.js';
import { labelOf } from './statistics-page.presenter.js';

/** Number of campaigns with a colour of their own. */
const COLORS = 6;
/** Number of segments that the page shows. */
const MAX_SEGMENTS = 12;

/** The reach of a campaign, as the API answers it. */
export interface CampaignReach {
  total_audience_reach: number;
  average_frequency: number;
}

/** What the page shows of campaigns besides the sums of the account. */
export interface CampaignFigures {
  /** Null if nothing was spent. */
  stack: Stack | null;
  campaigns: {
    id: string;
    name: string;
    /** The class of its colour. */
    color: string;
    spend: string;
    impressions: string;
    reach?: string;
    frequency?: string;
  }[];
  funnel: { label: string; count: string; width: string; rate: string | null }[];
}

const micro = 1_000_000;
const count = (value: number): string => value.toLocaleString('en-US');

/** The figures of these campaigns, those that spent most first; amounts of other currencies are left out of the chart. */
export function presentCampaigns(
  { entities, bounds, metrics }: Report,
  { currency, timezone }: { currency: string; timezone: string },
  { reaches, listed }: { reaches: ReadonlyMap<string, CampaignReach>; listed: number },
): CampaignFigures {
  const charged = entities.filter((entity) => entity.currency === currency);
  const isHours = bounds[1] - bounds[0] === HOUR_MS;
  const series = [...charged.slice(0, COLORS).map((each) => [each]), charged.slice(COLORS)].filter(
    (each) => each.length > 0,
  );
  const units = bounds.slice(0, -1).map((ms, unit) => {
    const amounts = series.map((each) => each.reduce((sum, entity) => sum + chargeIn(entity, unit), 0));
    const time = localTime(ms, timezone);
    const total = amounts.reduce((sum, each) => sum + each, 0);
    return {
      label: labelOf(time, isHours),
      title: `${time}: ${amountText(total, currency)} ${currency}`,
      amounts: amounts.map((each) => each / micro),
    };
  });
  const hasSpend = units.some(({ amounts }) => amounts.some((each) => each > 0));
  return {
    stack: hasSpend ? stackOf(units, minimumDenomination(currency) / micro) : null,
    campaigns: entities.slice(0, listed).map((entity) => {
      const reach = reaches.get(entity.id);
      const place = charged.indexOf(entity);
      return {
        id: entity.id,
        name: entity.name ?? entity.id,
        color: place < 0 ? '' : `series-${Math.min(place, COLORS)}`,
        spend: `${amountText(sumOf(entity.parts[0], 'billedChargeLocalMicro'), entity.currency ?? 'USD')} ${entity.currency ?? ''}`,
        impressions: count(sumOf(entity.parts[0], 'impressions')),
        ...(reach && { reach: count(reach.total_audience_reach), frequency: reach.average_frequency.toFixed(2) }),
      };
    }),
    funnel: funnelOf(entities, metrics),
  };
}

const chargeIn = ({ parts: [part] }: ReportedEntity, unit: number): number =>
  part.counts.get('billedChargeLocalMicro')?.[unit] ?? 0;

/** From impressions to conversions, each with its share of the step before. */
function funnelOf(entities: readonly ReportedEntity[], metrics: StatisticsMetrics): CampaignFigures['funnel'] {
  const converting = conversionColumns(metrics);
  const sum = (columns: readonly FactColumn[]) =>
    entities.reduce(
      (all, { parts: [part] }) => all + columns.reduce((each, column) => each + sumOf(part, column), 0),
      0,
    );
  const steps = [
    { label: 'Impressions', value: sum(['impressions']) },
    { label: 'Engagements', value: sum(['engagements']) },
    { label: 'Clicks', value: sum(['clicks']) },
    { label: 'Conversions', value: sum(converting) },
  ];
  const highest = Math.max(1, ...steps.map(({ value }) => value));
  return steps.map(({ label, value }, i) => ({
    label,
    count: count(value),
    width: `${Number(((value / highest) * 100).toFixed(2))}%`,
    rate: i === 0 || steps[i - 1].value === 0 ? null : shareText(value / steps[i - 1].value),
  }));
}

const shareText = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 0)} %`;

/** The columns of conversions after a view or an engagement. A view of a landing page is a click already. */
export function conversionColumns(metrics: StatisticsMetrics): FactColumn[] {
  const members = Object.entries(metrics).flatMap(([name, metric]) =>
    'members' in metric && name !== 'conversion_landing_page_views'
      ? [metric.members.post_view, metric.members.post_engagement]
      : [],
  );
  return [...new Set(members.flatMap((member) => member?.columns ?? []))];
}

/** Spend against even pacing until now. */
export interface PresentedPace {
  chart: Pace;
  spent: string;
  paced: string;
  share: string;
}

/** The spend of the campaigns with budgets against even pacing; null if none has a budget in this range. */
export function presentPace(
  { entities, bounds }: Report,
  budgets: readonly Budgeted[],
  { currency, timezone, now }: { currency: string; timezone: string; now: Date },
): PresentedPace | null {
  const ids = new Set(budgets.map(({ campaignId }) => campaignId));
  const spenders = entities.filter((entity) => entity.currency === currency && ids.has(entity.id));
  const charged = new Set(spenders.map(({ id }) => id));
  const paced = budgets.filter(({ campaignId }) => charged.has(campaignId)).map((each) => each.paced);
  const untilNow = bounds.map((ms) => Math.min(ms, now.getTime()));
  const evenly = evenPacing(untilNow, paced, DAY_MS);
  let [spentSum, pacedSum] = [0, 0];
  const units = evenly.map((amount, unit) => {
    spentSum += spenders.reduce((sum, entity) => sum + chargeIn(entity, unit), 0);
    pacedSum += amount;
    const time = localTime(bounds[unit], timezone);
    return {
      label: labelOf(time, bounds[1] - bounds[0] === HOUR_MS),
      title: `${time}: ${amountText(spentSum, currency)} of ${amountText(pacedSum, currency)} ${currency}`,
      spent: spentSum / micro,
      paced: pacedSum / micro,
    };
  });
  if (pacedSum === 0) return null;
  return {
    chart: paceOf(units, minimumDenomination(currency) / micro),
    spent: amountText(spentSum, currency),
    paced: amountText(pacedSum, currency),
    share: shareText(spentSum / pacedSum),
  };
}

/** The segments of a report as bars, the largest first. */
export interface PresentedSegments {
  bars: { name: string; impressions: string; spend: string; width: string }[];
  /** The number of segments that are not shown. */
  more: number;
}

export function presentSegments({ entities }: Report, currency: string): PresentedSegments {
  const sums = new Map<string, { impressions: number; charge: number }>();
  const add = (part: Counts, isCharged: boolean) => {
    const name = part.segment?.name ?? part.segment?.value ?? 'unknown';
    const before = sums.get(name) ?? { impressions: 0, charge: 0 };
    const charge = isCharged ? sumOf(part, 'billedChargeLocalMicro') : 0;
    sums.set(name, {
      impressions: before.impressions + sumOf(part, 'impressions'),
      charge: before.charge + charge,
    });
  };
  for (const entity of entities) for (const part of entity.parts) add(part, entity.currency === currency);
  const all = [...sums].sort(([, one], [, other]) => other.impressions - one.impressions);
  const highest = Math.max(1, ...all.map(([, { impressions }]) => impressions));
  return {
    bars: all.slice(0, MAX_SEGMENTS).map(([name, { impressions, charge }]) => ({
      name,
      impressions: count(impressions),
      spend: `${amountText(charge, currency)} ${currency}`,
      width: `${Number(((impressions / highest) * 100).toFixed(2))}%`,
    })),
    more: Math.max(0, all.length - MAX_SEGMENTS),
  };
}
