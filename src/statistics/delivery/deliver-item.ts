import { spreadsBudget } from '../../campaigns/budgets-as-of.js';
import { minimumDenomination } from '../../campaigns/money.js';
import type { DeliveredHour, ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import { isInForce } from '../../common/as-of/dated-changes.js';
import { HOUR_MS } from '../../common/time/days.js';
import { firstHourOf, localDay, localHour } from '../../common/time/time-zones.js';
import type { Budgets } from './budgets.js';
import { deliver, type SimulatedFact } from './delivery.model.js';
import type { SimulatedLineItem } from './simulated-line-item.js';

/** An hour of an account, and the hour of the day in its time zone. */
export interface LocalHour extends DeliveredHour {
  localHour: number;
  /** The beginning of the first hour of its day. */
  dayStart: string;
  /** The beginning of the first hour of the next day. */
  dayEnd: string;
}

/** The hour of an account that begins at a time. */
export function hourIn(timezone: string, accountId: string, start: Date): LocalHour {
  const ms = start.getTime();
  const day = localDay(timezone, ms);
  return {
    accountId,
    start: start.toISOString(),
    end: new Date(ms + HOUR_MS).toISOString(),
    localHour: localHour(timezone, ms),
    dayStart: new Date(firstHourOf(timezone, day)).toISOString(),
    dayEnd: new Date(firstHourOf(timezone, day + 1)).toISOString(),
  };
}

/** What the delivery of all line items of an account depends on. */
interface DeliveryTerms {
  budgets: Budgets;
  seed: string;
  /** Whether the account reports its conversions on websites. */
  reportsOwn?: boolean;
  /** The date whose behavior of X counts; undefined for the specification. */
  asOf: string | undefined;
}

/** Delivers a line item in an hour, and charges its budgets. `shown` has the id that decides about its draws. */
export function deliverItem(
  item: ServableItem,
  shown: Pick<SimulatedLineItem, 'id' | 'audience' | 'things'>,
  hour: LocalHour,
  { budgets, seed, reportsOwn = false, asOf }: DeliveryTerms,
): SimulatedFact[] {
  const funded = budgets.fundingOf(item);
  if (!funded) return [];
  const { campaign, payment } = funded;
  const simulated = {
    objective: item.objective,
    goal: item.goal,
    payBy: item.payBy,
    bidStrategy: item.bidStrategy,
    bidAmountLocalMicro: item.bidAmountLocalMicro,
    placements: item.placements,
    denomination: minimumDenomination(item.currency),
    dailyLocalMicro: budgets.dailyOf(item, campaign),
    standardDelivery: spreadsBudget(item, campaign),
    isAppTracked: item.isAppTracked,
    reportsOwn,
    hasLongerViews: isInForce('LONGER_VIEWS', asOf),
    dailyCap: item.frequencyCap === null ? null : item.frequencyCap / (item.durationInDays ?? 1),
    ...shown,
  };
  const at = {
    start: hour.start,
    localHour: hour.localHour,
    inFlight: inFlightOf([hour.start, item.startTime, payment.startTime], [hour.end, item.endTime, payment.endTime]),
  };
  const facts = deliver(simulated, at, budgets.remaining(item, campaign), seed);
  budgets.charge(
    item,
    facts.reduce((sum, fact) => sum + fact.billedChargeLocalMicro, 0),
  );
  return facts;
}

/** The share of an hour between the last of these starts and the first of these ends, in thousandths. */
function inFlightOf(starts: readonly string[], ends: readonly (string | null)[]): number {
  const [from, to] = flightBetween(starts, ends);
  return Math.floor((Math.max(0, to - from) * 1_000) / HOUR_MS);
}

/** The last of these starts and the first of these ends, in milliseconds. */
export const flightBetween = (
  starts: readonly string[],
  ends: readonly (string | null)[],
): [from: number, to: number] => [
  Math.max(...starts.map((start) => Date.parse(start))),
  Math.min(...ends.map((end) => (end === null ? Infinity : Date.parse(end)))),
];
