import type { FactColumn } from './metrics.js';

/**
 * How the counts of a cell divide. Each run of events is divided by itself, from a seat of its own `stream`: of the same
 * stream, smaller counts are a part of greater ones. Counts that are sums of others are divided as these are, so that they
 * are their sums in each segment, too.
 */
export interface Run {
  /** The sum of the first columns without the others. */
  plus: readonly FactColumn[];
  minus: readonly FactColumn[];
  stream: number;
  /** The columns whose events these are. */
  of: readonly FactColumn[];
}

/** The counts of a cell or of a part of it. Columns without any count may be absent. */
export type CellCounts = Readonly<Partial<Record<FactColumn, number>>>;

/** Clicks of a kind, in streams of their own but for those that can be billed. */
const KINDS_OF_CLICKS: readonly (readonly [FactColumn, number])[] = [
  ['urlClicks', 0],
  ['appClicks', 0],
  ['likes', 1],
  ['retweets', 2],
  ['replies', 3],
];
const CLICKS = KINDS_OF_CLICKS.map(([column]) => column);

/** The number of streams. */
export const STREAMS = 6;
const OTHER_CLICKS = 4;
const OTHERS = 5;

/** The columns on which the division of columns depends: these, and what they are sums of. */
export function columnsToDivide(columns: readonly FactColumn[]): FactColumn[] {
  const sums: readonly FactColumn[] = [
    'engagements',
    'clicks',
    'cardEngagements',
    'billedEngagements',
    'mediaEngagements',
  ];
  if (!columns.some((column) => sums.includes(column))) return [...columns];
  return [...new Set<FactColumn>([...columns, ...CLICKS, 'clicks', 'follows', 'engagements', 'impressions'])];
}

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

function shapeOf(cell: CellCounts): Shape {
  const count = (column: FactColumn) => cell[column] ?? 0;
  const clicks = CLICKS.reduce((sum, column) => sum + count(column), 0);
  const engagements = count('engagements');
  return {
    isSummed: count('clicks') >= clicks && engagements >= count('clicks') + count('follows'),
    isCard: count('cardEngagements') >= count('urlClicks') + count('appClicks'),
    isBilled: count('billedEngagements') === engagements && engagements !== count('impressions'),
    isMedia: count('mediaEngagements') === engagements,
  };
}

/** Divides the columns that are asked for. */
export class CellDivision {
  private readonly known = new Map<number, readonly Run[]>();

  constructor(private readonly columns: readonly FactColumn[]) {}

  /** The runs of a cell, by the counts of its whole day. */
  runsOf(cell: CellCounts): readonly Run[] {
    const shape = shapeOf(cell);
    const key =
      Number(shape.isSummed) + 2 * Number(shape.isCard) + 4 * Number(shape.isBilled) + 8 * Number(shape.isMedia);
    let runs = this.known.get(key);
    if (!runs) {
      runs = this.planned(shape);
      this.known.set(key, runs);
    }
    return runs;
  }

  private planned({ isSummed, isCard, isBilled, isMedia }: Shape): Run[] {
    const wanted = new Set(this.columns);
    /** Columns that are divided as the events that they consist of. */
    const summed = new Set<FactColumn>();
    const sum = (column: FactColumn, is: boolean): FactColumn[] => {
      if (!is || !wanted.has(column)) return [];
      summed.add(column);
      return [column];
    };
    const engagements = [
      ...sum('engagements', isSummed),
      ...sum('billedEngagements', isSummed && isBilled),
      ...sum('mediaEngagements', isSummed && isMedia),
    ];
    const clicks = [...sum('clicks', isSummed), ...engagements];
    const card = sum('cardEngagements', isCard);
    const own = (column: FactColumn): FactColumn[] => (wanted.has(column) ? [column] : []);
    const runs: Run[] = [
      ...KINDS_OF_CLICKS.map(([column, stream]): Run => {
        const isOnCard = column === 'urlClicks' || column === 'appClicks';
        return { plus: [column], minus: [], stream, of: [...own(column), ...clicks, ...(isOnCard ? card : [])] };
      }),
      { plus: ['follows'], minus: [], stream: 0, of: [...own('follows'), ...engagements] },
      { plus: ['clicks'], minus: CLICKS, stream: OTHER_CLICKS, of: clicks },
      // a sum that is greater than its parts, in the simulation never
      ...engagements.map((column): Run => ({
        plus: [column],
        minus: ['clicks', 'follows'],
        stream: OTHERS,
        of: [column],
      })),
      { plus: ['cardEngagements'], minus: ['urlClicks', 'appClicks'], stream: OTHERS, of: card },
    ];
    const divided = new Set<FactColumn>([...CLICKS, 'follows', ...summed]);
    const plain = this.columns.filter((column) => !divided.has(column));
    runs.push(...plain.map((column): Run => ({ plus: [column], minus: [], stream: 0, of: [column] })));
    return runs.filter(({ of }) => of.length > 0);
  }
}

/** The events of a run among these counts. */
export function eventsOf({ plus, minus }: Run, counts: CellCounts): number {
  let events = 0;
  for (const column of plus) events += counts[column] ?? 0;
  for (const column of minus) events -= counts[column] ?? 0;
  return events;
}
