import { closedSet } from '../../common/values/closed-set.js';

/** The tree of a flexible audience and its evaluation for a person. */

export const BOOLEAN_OPERATORS = closedSet('BooleanOperator', ['AND', 'OR']);
export type BooleanOperator = (typeof BOOLEAN_OPERATORS)[number];

export const FREQUENCY_COMPARATORS = closedSet('FrequencyComparator', [
  'NUM_GTE',
  'NUM_GT',
  'NUM_EQ',
  'NUM_LTE',
  'NUM_LT',
]);
export type FrequencyComparator = (typeof FREQUENCY_COMPARATORS)[number];

/** In days. */
export const LOOKBACK_WINDOWS = [1, 7, 14, 30] as const;
export type LookbackWindow = (typeof LOOKBACK_WINDOWS)[number];

export const MAX_LEAVES = 10;

/** Maximum depth of nested segments, the outermost segment and the leaves included. */
export const MAX_LEVELS = 8;

/** The largest value for a frequency comparison. */
export const MAX_FREQUENCY = 1_000_000;

/** A segment as the client sent it, without defaults. */
export interface GivenSegment {
  boolean_operator?: BooleanOperator;
  custom_audience_id?: string;
  frequency?: number;
  frequency_comparator?: FrequencyComparator;
  lookback_window?: LookbackWindow;
  negate?: boolean;
  child_segments?: GivenSegment[];
}

interface Occurrence {
  frequency: number;
  frequency_comparator: FrequencyComparator;
}

/** The people of an audience with a given number of uploads within the last days. */
export interface LeafSegment extends Occurrence {
  custom_audience_id: string;
  lookback_window: LookbackWindow;
  negate: boolean;
  child_segments: [];
}

/** The people in all, or in one, of the child segments. */
interface InnerSegment extends Occurrence {
  boolean_operator: BooleanOperator;
  negate: boolean;
  child_segments: Segment[];
}

export type Segment = LeafSegment | InnerSegment;

const isLeaf = (segment: Segment): segment is LeafSegment => segment.child_segments.length === 0;

/** The tree with all defaults and with ids in their stored case, as responses show it. */
export function normalisedSegments(given: GivenSegment): Segment {
  const { frequency = 1, frequency_comparator = 'NUM_GTE', negate = false, child_segments = [] } = given;
  if (child_segments.length === 0) {
    return {
      custom_audience_id: given.custom_audience_id!.toLowerCase(),
      frequency,
      frequency_comparator,
      lookback_window: given.lookback_window!,
      negate,
      child_segments: [],
    };
  }
  return {
    boolean_operator: given.boolean_operator!,
    frequency,
    frequency_comparator,
    negate,
    child_segments: child_segments.map(normalisedSegments),
  };
}

/** The leaves from left to right. The index of a leaf is its bit in a set of leaves. */
export const leavesOf = (segment: Segment): LeafSegment[] =>
  isLeaf(segment) ? [segment] : segment.child_segments.flatMap(leavesOf);

/** The range of counts that a frequency requires; `max` is null if there is no upper end. */
export function occurrenceRangeOf({ frequency, frequency_comparator }: Occurrence): {
  min: number;
  max: number | null;
} {
  switch (frequency_comparator) {
    case 'NUM_GTE':
      return { min: frequency, max: null };
    case 'NUM_GT':
      return { min: frequency + 1, max: null };
    case 'NUM_EQ':
      return { min: frequency, max: frequency };
    case 'NUM_LTE':
      return { min: 0, max: frequency };
    case 'NUM_LT':
      return { min: 0, max: frequency - 1 };
  }
}

const isWithin = (times: number, { min, max }: ReturnType<typeof occurrenceRangeOf>) =>
  times >= min && (max === null || times <= max);

/**
 * Whether a person belongs to a flexible audience, given the matching leaves. Bit n is set if leaf n of `leavesOf`
 * matches, before its negation. An inner segment matches if its operator does and as many children match as its
 * frequency requires.
 */
export function belongs(root: Segment): (leaves: number) => boolean {
  let place = 0;
  const compile = (segment: Segment): ((leaves: number) => boolean) => {
    const { negate } = segment;
    if (isLeaf(segment)) {
      const bit = 1 << place++;
      return (leaves) => ((leaves & bit) !== 0) !== negate;
    }
    const children = segment.child_segments.map(compile);
    const needed = segment.boolean_operator === 'AND' ? children.length : 1;
    const times = occurrenceRangeOf(segment);
    return (leaves) => {
      const held = children.reduce((count, holds) => count + Number(holds(leaves)), 0);
      return (held >= needed && isWithin(held, times)) !== negate;
    };
  };
  return compile(root);
}

/** An id in a leaf, with its position in the request. */
export interface NamedLeaf {
  id: string;
  place: string;
}

/** The audiences that the leaves of a list of segments name, as sent; `name` is the parameter name of the list. */
export const namedIn = (segments: readonly GivenSegment[], name = 'child_segments'): NamedLeaf[] =>
  segments.flatMap(({ custom_audience_id, child_segments = [] }, at) =>
    child_segments.length > 0
      ? namedIn(child_segments, `${name}[${at}].child_segments`)
      : [{ id: custom_audience_id!, place: `${name}[${at}].custom_audience_id` }],
  );
