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

/** A horizontal line, with what the axis writes beside it. */
interface Axis {
  y: string;
  spend: string;
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

/** The labels of units below a plot. */
function labelsOf(units: readonly { label: string }[]): Chart['labels'] {
  const every = Math.ceil(units.length / MAX_LABELS);
  return units.flatMap(({ label }, i) =>
    i % every === 0 ? [{ x: percent((i + 0.5) / units.length), text: label, isExtra: (i / every) % 2 === 1 }] : [],
  );
}

/** The horizontal lines of a plot with one axis, in these steps. */
const linesOf = (step: number): Axis[] =>
  Array.from({ length: PARTS + 1 }, (_, part) => ({
    y: percent(1 - part / PARTS),
    spend: compact.format(part * step),
  }));

/** The segments of a line through points. */
const segmentsOf = (points: readonly { x: string; y: string }[]): Chart['segments'] =>
  points.slice(1).map(({ x, y }, i) => ({ x1: points[i].x, y1: points[i].y, x2: x, y2: y }));

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
    segments: segmentsOf(points),
    points: units.length > MAX_POINTS ? [] : points,
    isDense: units.length > MAX_POINTS,
    labels: labelsOf(units),
  };
}

/** Amounts of a unit of time, one of each series, in whole units of the currency. */
export interface StackValue {
  label: string;
  title: string;
  amounts: readonly number[];
}

/** A chart of bars whose parts lie on each other, in the order of the series from the ground up. */
export interface Stack {
  lines: Axis[];
  bars: {
    x: string;
    width: string;
    slot: string;
    slotWidth: string;
    title: string;
    parts: { series: number; y: string; height: string }[];
  }[];
  labels: Chart['labels'];
}

/** The stacked chart of these units of time; `leastSpend` is the smallest step of its axis. */
export function stackOf(units: readonly StackValue[], leastSpend: number): Stack {
  const sums = units.map(({ amounts }) => amounts.reduce((sum, each) => sum + each, 0));
  const step = stepFor(Math.max(0, ...sums), leastSpend);
  const width = 1 / units.length;
  return {
    lines: linesOf(step),
    bars: units.map(({ amounts, title }, i) => {
      let below = 0;
      const parts = amounts.map((amount, series) => {
        below += amount;
        return { series, y: percent(1 - below / (PARTS * step)), height: percent(amount / (PARTS * step)) };
      });
      return {
        x: percent((i + (1 - BAR) / 2) * width),
        width: percent(BAR * width),
        slot: percent(i * width),
        slotWidth: percent(width),
        title,
        parts: parts.filter((_, series) => amounts[series] > 0),
      };
    }),
    labels: labelsOf(units),
  };
}

/** What was spent and what even pacing spends until the end of a unit of time, in whole units of the currency. */
export interface PaceValue {
  label: string;
  title: string;
  spent: number;
  paced: number;
}

/** A chart of two lines: what was spent, and even pacing. */
export interface Pace {
  lines: Axis[];
  spent: Chart['segments'];
  paced: Chart['segments'];
  slots: { slot: string; slotWidth: string; title: string }[];
  labels: Chart['labels'];
}

/** The chart of spend against even pacing. Both begin at nothing. */
export function paceOf(units: readonly PaceValue[], leastSpend: number): Pace {
  const step = stepFor(Math.max(0, ...units.flatMap(({ spent, paced }) => [spent, paced])), leastSpend);
  const width = 1 / units.length;
  const pointOf = (i: number, amount: number) => ({ x: percent(i * width), y: percent(1 - amount / (PARTS * step)) });
  const ground = pointOf(0, 0);
  return {
    lines: linesOf(step),
    spent: segmentsOf([ground, ...units.map(({ spent }, i) => pointOf(i + 1, spent))]),
    paced: segmentsOf([ground, ...units.map(({ paced }, i) => pointOf(i + 1, paced))]),
    slots: units.map(({ title }, i) => ({ slot: percent(i * width), slotWidth: percent(width), title })),
    labels: labelsOf(units),
  };
}
