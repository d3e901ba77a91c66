import type { Placement } from '../../campaigns/entities/line-item.tables.js';
import type { PromotedThing, SimulatedLineItem } from './simulated-line-item.js';
import {
  DAILY_WITHOUT_BUDGET,
  IMPRESSIONS_PER_USER,
  NETWORK_SHARE,
  SHAPE_OF_DAY,
  USUAL_PRICES,
} from './delivery.tables.js';
import { rounded, share, Draws } from './draw.js';
import { conversionsOf, itemPriceOf, type CountedConversions } from './delivery.conversions.js';
import { billableRate, billedOf, deliveryEventsOf, type CountedEvents } from './delivery.events.js';

/** An hour of an account. */
export interface SimulatedHour {
  /** When it begins, in ISO 8601. */
  start: string;
  /** The hour of the day in the time zone of the account, 0 to 23. */
  localHour: number;
  /** Its share in the flight of the line item, in thousandths. */
  inFlight: number;
}

/** The rest of all budgets and of the funding, in micro-units; null without a limit. */
export type Remaining = readonly (number | null)[];

/** The events of one promoted thing of a line item in an hour on a placement. */
export interface SimulatedFact extends CountedEvents {
  placement: 'ALL_ON_PLATFORM' | 'PUBLISHER_NETWORK';
  promotedId: string;
  promotedKind: PromotedThing['kind'];
  postId: string | null;
  billedEngagements: number;
  billedChargeLocalMicro: number;
  conversions: CountedConversions;
}

/** No more impressions of one fact: they fit into an integer column. */
const MAX_IMPRESSIONS = 10_000_000;
/** A line item that does not spread its budget over the day spends this many times as fast. */
const ACCELERATION = 3;

/**
 * Delivers a line item in an hour: the facts of its promoted things and placements. The same arguments give the same
 * facts. Their charge together is at most the smallest of the remaining amounts.
 */
export function deliver(
  item: SimulatedLineItem,
  hour: SimulatedHour,
  remaining: Remaining,
  seed: string,
): SimulatedFact[] {
  const ofItem = Draws.of(seed, item.id);
  const draws = ofItem.and(hour.start);
  let left = remaining.reduce<number>(
    (smallest, each) => Math.min(smallest, each ?? smallest),
    Number.MAX_SAFE_INTEGER,
  );
  const target = targetOf(item, hour, draws);
  const usual = priceOf(item, draws);
  const itemPrice = itemPriceOf(item, ofItem);
  const cells = cellsOf(item, ofItem);
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  let seen = impressionsAvailable(item, hour);
  const facts: SimulatedFact[] = [];
  for (const { thing, network, weight, rate } of cells) {
    if (left <= 0 || seen <= 0) break;
    const placement = network ? 'PUBLISHER_NETWORK' : 'ALL_ON_PLATFORM';
    const own = draws.and(thing.id, placement);
    // its product with the rate stays exact
    const price = Math.min(usual, Math.floor(Number.MAX_SAFE_INTEGER / rate));
    // what is left may be less than an event costs: it pays for one
    const amount = share(Math.min(target, Math.max(left, Math.ceil(price / 1_000))), weight, total);
    // amount / (price / 1,000) events, each of which takes 1,000,000 / rate impressions
    const wanted = rounded(amount, 1_000_000_000, price * rate, own);
    const impressions = Math.min(wanted, seen, MAX_IMPRESSIONS);
    if (impressions === 0) continue;
    seen -= impressions;
    const events = deliveryEventsOf({ item, thing, network, impressions }, own);
    const billed = billedOf(item, events);
    // one micro-unit at least, so that a budget can end
    const charge = billed === 0 ? 0 : Math.min(left, Math.max(1, share(billed, price, 1_000)));
    left -= charge;
    facts.push({
      placement,
      promotedId: thing.id,
      promotedKind: thing.kind,
      postId: thing.postId,
      billedEngagements: billed,
      billedChargeLocalMicro: charge,
      conversions: conversionsOf({ item, itemPrice, network, events }, own),
      ...events,
    });
  }
  return facts;
}

/** The target spend of the line item in the hour. */
function targetOf(item: SimulatedLineItem, { localHour, inFlight }: SimulatedHour, draws: Draws): number {
  const daily = item.dailyLocalMicro ?? share(DAILY_WITHOUT_BUDGET, item.denomination, 10_000);
  const inHour = share(daily, SHAPE_OF_DAY[localHour] * (item.standardDelivery ? 1 : ACCELERATION), 1_000);
  return share(share(inHour, draws.between(900, 1_100, 'spend'), 1_000), inFlight, 1_000);
}

/** The price of 1,000 billable events. A bid for impressions is for 1,000 of them, any other for one event. */
function priceOf(item: SimulatedLineItem, draws: Draws): number {
  const { payBy, bidStrategy, bidAmountLocalMicro, denomination } = item;
  const usual = share(USUAL_PRICES[payBy], denomination, 10_000);
  const varied = share(usual, draws.between(800, 1_200, 'price'), 1_000);
  if (bidAmountLocalMicro === null) return Math.max(1, varied);
  const bid = bidAmountLocalMicro * (payBy === 'IMPRESSION' ? 1 : 1_000);
  if (bidStrategy !== 'TARGET') return Math.max(1, Math.min(bid, varied));
  return Math.max(1, share(bid, draws.between(900, 1_100, 'price'), 1_000));
}

/** The impressions that the audience allows in the hour. */
function impressionsAvailable(
  { audience, dailyCap }: SimulatedLineItem,
  { localHour, inFlight }: SimulatedHour,
): number {
  const perDay = Math.floor(audience * Math.min(IMPRESSIONS_PER_USER, dailyCap ?? IMPRESSIONS_PER_USER));
  // hours add up to the day, also where it has less than one for each hour
  const before = SHAPE_OF_DAY.slice(0, localHour).reduce((sum, part) => sum + part, 0);
  const inHour = share(perDay, before + SHAPE_OF_DAY[localHour], 1_000) - share(perDay, before, 1_000);
  return share(inHour, inFlight, 1_000);
}

/** A thing on a placement, with its part of the budget and the rate of its billable event. */
interface Cell {
  thing: PromotedThing;
  network: boolean;
  weight: number;
  rate: number;
}

/** The things that can have a billable event, on each placement. */
function cellsOf(item: SimulatedLineItem, draws: Draws): Cell[] {
  const onNetwork = item.placements.some(isNetwork);
  const onPlatform = !item.placements.every(isNetwork);
  const networkShare = onPlatform ? NETWORK_SHARE : 1_000;
  const cells: Cell[] = [];
  for (const thing of item.things) {
    const weight = draws.and(thing.id).between(500, 1_500, 'share');
    for (const [network, part] of [
      [false, onPlatform ? 1_000 - (onNetwork ? networkShare : 0) : 0],
      [true, onNetwork ? networkShare : 0],
    ] as const) {
      const rate = part === 0 ? 0 : billableRate(item, thing, network);
      if (rate > 0) cells.push({ thing, network, weight: weight * part, rate });
    }
  }
  return cells;
}

const isNetwork = (placement: Placement): boolean => placement === 'PUBLISHER_NETWORK' || placement.startsWith('TAP_');
