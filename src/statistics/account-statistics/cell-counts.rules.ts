import type { FactColumn } from './metrics.js';

/**
 * A part of the counts of a cell that is divided by itself: the events of one column that other columns do not have. It
 * begins at the seat of a `stream`: of the same stream, smaller counts are a part of greater ones.
 */
export interface Run {
  /** Places in the columns that are read. */
  plus: number;
  minus: readonly number[];
  /** For amounts: each event stands for this amount of the day, divided by these events of it. */
  price?: { amount: number; events: readonly number[] };
  stream: number;
  /** Places in the columns that are asked for: those whose events these are. */
  of: readonly number[];
}

interface NamedRun {
  plus: FactColumn;
  minus?: readonly FactColumn[];
  /** The amount that is the number of these events times a price. */
  amount?: { of: FactColumn; events: readonly FactColumn[] };
  stream: number;
  of: readonly FactColumn[];
}

/** Impressions, views, charges, and whatever can be billed. */
export const MAIN = 0;
/** Clicks of other kinds, and engagements that are neither clicks nor follows. */
const OTHER_CLICKS = 4;
const OTHERS = 5;

const STREAM_OF_CLICKS = { urlClicks: MAIN, appClicks: MAIN, likes: 1, retweets: 2, replies: 3 } as const;
const CLICKS = Object.keys(STREAM_OF_CLICKS) as (keyof typeof STREAM_OF_CLICKS)[];
const ON_CARDS: readonly FactColumn[] = ['urlClicks', 'appClicks'];

/** Amounts that are the number of purchases times the price of the line item. */
const SALES: readonly (readonly [amount: FactColumn, purchases: readonly FactColumn[]])[] = [
  ['webSalesAfterView', ['webPurchasesAfterView']],
  ['webSalesAfterEngagement', ['webPurchasesAfterEngagement']],
  ['mobileSales', ['mobilePurchasesAfterView', 'mobilePurchasesAfterEngagement']],
];

/** Columns that are sums of others, or may be. */
const SUMS: readonly FactColumn[] = [
  ...(['engagements', 'clicks', 'cardEngagements'] as const),
  ...(['billedEngagements', 'mediaEngagements'] as const),
];
/** The columns that decide whether they are. */
const PARTS = [...CLICKS, ...(['follows', 'clicks', 'engagements', 'impressions'] as const)];
const JUDGED = [...PARTS, ...(['cardEngagements', 'billedEngagements', 'mediaEngagements'] as const)];

/** Facts about the sums of a cell, from its counts. They must be those of the day, also for a part of it. */
interface Shape {
  /** Clicks are at least their kinds, and engagements at least clicks and follows. */
  isSummed: boolean;
  /** Card engagements are at least the clicks on links and apps. */
  isCard: boolean;
  /** Engagements are billed, or are of media. */
  isBilled: boolean;
  isMedia: boolean;
  /** Which of the sales have one price. */
  isPriced: boolean[];
}

/**
 * Divides the counts of cells into segments. A column that is the sum of others is not divided itself: in each segment it
 * is the sum of theirs.
 */
export class CellDivision {
  /** The columns to read: those that are asked for, and what they are sums of. */
  readonly columns: readonly FactColumn[];
  private readonly places: ReadonlyMap<FactColumn, number>;
  /** The places of the columns that decide about sums. The first one stands for those that nobody asks for. */
  private readonly at: Readonly<Record<(typeof JUDGED)[number], number>>;
  /** The places of the sales that are asked for, and of their purchases. */
  private readonly sales: readonly { amount: number; events: readonly number[] }[];
  private readonly known = new Map<number, readonly Run[]>();

  constructor(private readonly asked: readonly FactColumn[]) {
    const isSum = asked.some((column) => SUMS.includes(column));
    const sold = SALES.flatMap(([amount, purchases]) => (asked.includes(amount) ? purchases : []));
    this.columns = [...new Set([...asked, ...(isSum ? PARTS : []), ...sold])];
    this.places = new Map(this.columns.map((column, place) => [column, place]));
    this.sales = SALES.filter(([amount]) => asked.includes(amount)).map(([amount, purchases]) => ({
      amount: this.places.get(amount)!,
      events: purchases.map((column) => this.places.get(column)!),
    }));
    const at = JUDGED.map((column) => [column, this.places.get(column) ?? 0]);
    this.at = Object.fromEntries(at) as CellDivision['at'];
  }

  /** The runs of a cell, by the counts of its whole day in the order of `columns`. */
  runsOf(day: readonly number[]): readonly Run[] {
    const shape = this.shapeOf(day);
    const { isSummed, isCard, isBilled, isMedia, isPriced } = shape;
    let key = (isSummed ? 1 : 0) + (isCard ? 2 : 0) + (isBilled ? 4 : 0) + (isMedia ? 8 : 0);
    for (let i = 0; i < isPriced.length; i++) if (isPriced[i]) key += 16 << i;
    let runs = this.known.get(key);
    if (!runs) {
      runs = this.planned(shape).map((run) => this.placed(run));
      this.known.set(key, runs);
    }
    return runs;
  }

  private shapeOf(day: readonly number[]): Shape {
    const { at } = this;
    const cards = day[at.urlClicks] + day[at.appClicks];
    const kinds = cards + day[at.likes] + day[at.retweets] + day[at.replies];
    const engagements = day[at.engagements];
    return {
      isSummed: day[at.clicks] >= kinds && engagements >= day[at.clicks] + day[at.follows],
      isCard: day[at.cardEngagements] >= cards,
      isBilled: day[at.billedEngagements] === engagements && engagements !== day[at.impressions],
      isMedia: day[at.mediaEngagements] === engagements,
      isPriced: this.sales.map(({ amount, events }) => Number.isInteger(priceOf(day, amount, events))),
    };
  }

  private placed({ plus, minus = [], amount, stream, of }: NamedRun): Run {
    const place = (column: FactColumn) => this.places.get(column)!;
    return {
      plus: place(plus),
      minus: minus.map(place),
      stream,
      of: of.map((column) => this.asked.indexOf(column)),
      ...(amount && { price: { amount: place(amount.of), events: amount.events.map(place) } }),
    };
  }

  private planned({ isSummed, isCard, isBilled, isMedia, isPriced }: Shape): NamedRun[] {
    const own = (column: FactColumn, is = true): FactColumn[] => (is && this.asked.includes(column) ? [column] : []);
    const engagements = [
      ...own('engagements', isSummed),
      ...own('billedEngagements', isSummed && isBilled),
      ...own('mediaEngagements', isSummed && isMedia),
    ];
    const clicks = [...own('clicks', isSummed), ...engagements];
    const cards = own('cardEngagements', isCard);
    const parts: NamedRun[] = [
      ...CLICKS.map((plus) => ({
        plus,
        stream: STREAM_OF_CLICKS[plus],
        of: [...own(plus), ...clicks, ...(ON_CARDS.includes(plus) ? cards : [])],
      })),
      { plus: 'follows', stream: MAIN, of: [...own('follows'), ...engagements] },
      { plus: 'clicks', minus: CLICKS, stream: OTHER_CLICKS, of: clicks },
      // the simulation counts no others
      ...engagements.map((plus) => ({ plus, minus: ['clicks', 'follows'] as const, stream: OTHERS, of: [plus] })),
      ...cards.map((plus) => ({ plus, minus: ON_CARDS, stream: OTHERS, of: cards })),
    ];
    const sales = SALES.filter(([amount]) => this.asked.includes(amount)).filter((_, i) => isPriced[i]);
    parts.push(
      ...sales.flatMap(([of, events]) =>
        events.map((plus): NamedRun => ({ plus, amount: { of, events }, stream: MAIN, of: [of] })),
      ),
    );
    const divided = new Set<FactColumn>([
      ...CLICKS,
      'follows',
      ...clicks,
      ...cards,
      ...sales.map(([amount]) => amount),
    ]);
    const plain = this.asked.filter((column) => !divided.has(column));
    return [...parts, ...plain.map((plus) => ({ plus, stream: MAIN, of: [plus] }))].filter(({ of }) => of.length > 0);
  }
}

/** The events of a run among counts in the order of `columns`. */
export function cellEventsOf({ plus, minus }: Run, counts: readonly number[]): number {
  let events = counts[plus];
  for (const place of minus) events -= counts[place];
  return events;
}

/** The value of each event of a run, by the counts of the whole day: one event, or its price. */
export const worthOf = ({ price }: Run, day: readonly number[]): number =>
  price ? priceOf(day, price.amount, price.events) : 1;

const priceOf = (day: readonly number[], amount: number, events: readonly number[]): number =>
  day[amount] / events.reduce((sum, place) => sum + day[place], 0);
