/** A figure of each unit of time in a chart. */
export interface ChartValue {
  /** The name of the unit on the axis. */
  label: string;
  /** The text for a pointer on the unit. */
  title: string;
  /** In whole units of the currency. */
  spend: number;
  impressions: number;
}

/** A chart with bars for spend and a line for impressions. Places are percentages of the plot, from its top left corner. */
export interface Chart {
  /** Horizontal lines, with what the axes write beside them. */
  lines: { y: string; spend: string; impressions: string }[];
  bars: { x: string; y: string; width: string; height: string; slot: string; slotWidth: string; title: string }[];
  segments: { x1: string; y1: string; x2: string; y2: string }[];
  /** None if they would touch each other. */
  points: { x: string; y: string }[];
  /** True if there is little room for each unit. */
  isDense: boolean;
  /** Below the plot; `isExtra` ones are left out where there is little room. */
  labels: { x: string; text: string; isExtra: boolean }[];
}

/** The parts between horizontal lines. */
const PARTS = 4;
/** Maximum number of labels below the plot. */
const MAX_LABELS = 8;
/** Maximum number of units with points. */
const MAX_POINTS = 31;
/** The share of its place that a bar fills. */
const BAR = 0.7;

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;

/** A step of 1, 2 or 5 times a power of ten, so that `PARTS` steps reach `highest`. */
export function stepFor(highest: number, minStep: number): number {
  const rawStep = Math.max(highest / PARTS, minStep);
  const power = 10 ** Math.floor(Math.log10(rawStep));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rawStep * (1 - 1e-9))!;
  return factor * power;
}

/** The chart of these units of time; `leastSpend` is the smallest step of its axis. */
export function chartOf(units: readonly ChartValue[], leastSpend: number): Chart {
  const highest = (of: (unit: ChartValue) => number) => Math.max(0, ...units.map(of));
  const spendStep = stepFor(
    highest(({ spend }) => spend),
    leastSpend,
  );
  const impressionStep = stepFor(
    highest(({ impressions }) => impressions),
    1,
  );
  const width = 1 / units.length;
  const points = units.map(({ impressions }, i) => ({
    x: percent((i + 0.5) * width),
    y: percent(1 - impressions / (PARTS * impressionStep)),
  }));
  const every = Math.ceil(units.length / MAX_LABELS);
  return {
    lines: Array.from({ length: PARTS + 1 }, (_, part) => ({
      y: percent(1 - part / PARTS),
      spend: compact.format(part * spendStep),
      impressions: compact.format(part * impressionStep),
    })),
    bars: units.map(({ spend, title }, i) => {
      const height = spend / (PARTS * spendStep);
      const x = (i + (1 - BAR) / 2) * width;
      const slot = { slot: percent(i * width), slotWidth: percent(width) };
      return {
        x: percent(x),
        y: percent(1 - height),
        width: percent(BAR * width),
        height: percent(height),
        ...slot,
        title,
      };
    }),
    segments: points.slice(1).map(({ x, y }, i) => ({ x1: points[i].x, y1: points[i].y, x2: x, y2: y })),
    points: units.length > MAX_POINTS ? [] : points,
    isDense: units.length > MAX_POINTS,
    labels: units.flatMap(({ label }, i) =>
      i % every === 0 ? [{ x: points[i].x, text: label, isExtra: (i / every) % 2 === 1 }] : [],
    ),
  };
}
