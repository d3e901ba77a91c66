import type { FactColumn } from './metrics.js';

/**
 * A part of the counts of a cell that is divided by itself: the events of one column that other columns do not have. It
 * begins at the seat of a `stream`: of the same stream, smaller counts are a part of greater ones.
 */
export interface Run {
  /** Places in the columns that are read. */
  plus: number;
  minus: readonly number[];
  stream: number;
  /** Places in the columns that are asked for: those whose events these are. */
  of: readonly number[];
}

interface NamedRun {
  plus: FactColumn;
  minus?: readonly FactColumn[];
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

/** Columns that are sums of others, or may be. */
const SUMS: readonly FactColumn[] = [
  ...(['engagements', 'clicks', 'cardEngagements'] as const),
  ...(['billedEngagements', 'mediaEngagements'] as const),
];
/** The columns that decide whether they are. */
const PARTS = [...CLICKS, ...(['follows', 'clicks', 'engagements', 'impressions'] as const)];
const JUDGED = [...PARTS, ...(['cardEngagements', 'billedEngagements', 'mediaEngagements'] as const)];

/** What the counts of a whole cell say about its sums. They must be those of the day, also for a part of it. */
interface Shape {
  /** Clicks are at least their kinds, and engagements at least clicks and follows. */
  isSummed: boolean;
  /** Card engagements are at least the clicks on links and apps. */
  isCard: boolean;
  /** Engagements are billed, or are of media. */
  isBilled: boolean;
  isMedia: boolean;
}

/**
 * How the counts of cells divide. Columns that are sums are divided as their parts are, so that they are the sums of these in
 * each segment, too.
 */
export class CellDivision {
  /** The columns to read: those that are asked for, and what they are sums of. */
  readonly columns: readonly FactColumn[];
  private readonly places: ReadonlyMap<FactColumn, number>;
  /** The places of the columns that decide about sums. The first one stands for those that nobody asks for. */
  private readonly at: Readonly<Record<(typeof JUDGED)[number], number>>;
  private readonly known = new Map<number, readonly Run[]>();

  constructor(private readonly asked: readonly FactColumn[]) {
    const isSum = asked.some((column) => SUMS.includes(column));
    this.columns = isSum ? [...new Set([...asked, ...PARTS])] : asked;
    this.places = new Map(this.columns.map((column, place) => [column, place]));
    const at = JUDGED.map((column) => [column, this.places.get(column) ?? 0]);
    this.at = Object.fromEntries(at) as CellDivision['at'];
  }

  /** The runs of a cell, by the counts of its whole day in the order of `columns`. */
  runsOf(day: readonly number[]): readonly Run[] {
    const { isSummed, isCard, isBilled, isMedia } = this.shapeOf(day);
    const key = (isSummed ? 1 : 0) + (isCard ? 2 : 0) + (isBilled ? 4 : 0) + (isMedia ? 8 : 0);
    let runs = this.known.get(key);
    if (!runs) {
      runs = this.planned({ isSummed, isCard, isBilled, isMedia }).map((run) => this.placed(run));
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
    };
  }

  private placed({ plus, minus = [], stream, of }: NamedRun): Run {
    const place = (column: FactColumn) => this.places.get(column)!;
    return { plus: place(plus), minus: minus.map(place), stream, of: of.map((column) => this.asked.indexOf(column)) };
  }

  private planned({ isSummed, isCard, isBilled, isMedia }: Shape): NamedRun[] {
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
    const divided = new Set<FactColumn>([...CLICKS, 'follows', ...clicks, ...cards]);
    const plain = this.asked.filter((column) => !divided.has(column));
    return [...parts, ...plain.map((plus) => ({ plus, stream: MAIN, of: [plus] }))].filter(({ of }) => of.length > 0);
  }
}

/** The events of a run among counts in the order of `columns`. */
export function eventsOf({ plus, minus }: Run, counts: readonly number[]): number {
  let events = counts[plus];
  for (const place of minus) events -= counts[place];
  return events;
}
