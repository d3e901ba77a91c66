import { exclusive, invalid, missing } from '../../common/errors/catalogue.js';
import { expected, InvalidValue } from '../../common/http/invalid-value.js';
import { readList, readObject } from '../../common/http/nested.js';
import { readFlag, readOneOf, readText, readWhole, type Reader } from '../../common/http/readers.js';
import {
  BOOLEAN_OPERATORS,
  FREQUENCY_COMPARATORS,
  MAX_FREQUENCY,
  LOOKBACK_WINDOWS,
  MAX_LEAVES,
  MAX_LEVELS,
  type GivenSegment,
  type LookbackWindow,
} from '../entities/segments.js';

/** Ids of leaves are taken in either case. */
const ANY_CASE = { pattern: /^[0-9a-zA-Z]+$/, what: 'String in base-36 format' };

const isLookbackWindow = (days: number): days is LookbackWindow => LOOKBACK_WINDOWS.some((each) => each === days);

const readDays = readWhole({ min: 0, max: Number.MAX_SAFE_INTEGER });
const readLookbackWindow: Reader<LookbackWindow> = (given, name) => {
  const days = readDays(given, name);
  if (typeof days === 'number' && isLookbackWindow(days)) return days;
  return expected(`a value in ${LOOKBACK_WINDOWS.join(', ')}`, given, name, 'in days');
};

const readTooDeep: Reader<GivenSegment[]> = (given, name) =>
  Array.isArray(given) && given.length === 0
    ? []
    : new InvalidValue(`Segments can be nested ${MAX_LEVELS} levels deep`, undefined, `${name} would be one more`);

const MEMBERS = {
  boolean_operator: { read: readOneOf(BOOLEAN_OPERATORS), optional: true },
  custom_audience_id: { read: readText({ min: 1, max: Infinity, matching: ANY_CASE }), optional: true },
  frequency: { read: readWhole({ min: 1, max: MAX_FREQUENCY }), optional: true },
  frequency_comparator: { read: readOneOf(FREQUENCY_COMPARATORS), optional: true },
  lookback_window: { read: readLookbackWindow, optional: true },
  negate: { read: readFlag, optional: true },
};

const isInner = ({ child_segments = [] }: Pick<GivenSegment, 'child_segments'>) => child_segments.length > 0;

/** A segment at a level, the outermost being at 1; that has to have others inside of it. */
const segmentAt = (level: number): Reader<GivenSegment> =>
  readObject<GivenSegment>(
    { ...MEMBERS, child_segments: { read: childrenOf(level, Number(level === 1)), optional: level > 1 } },
    {
      needs: level === 1 ? ['boolean_operator'] : ['child_segments', 'boolean_operator'],
      check: (segment, name) =>
        (level === 1 || isInner(segment)) && segment.boolean_operator === undefined
          ? [missing(`${name}.boolean_operator`)]
          : [],
    },
    {
      needs: ['child_segments', 'custom_audience_id'],
      check: (segment, name) => {
        const place = `${name}.custom_audience_id`;
        if (!isInner(segment)) return segment.custom_audience_id === undefined ? [missing(place)] : [];
        return segment.custom_audience_id === undefined ? [] : [exclusive(`${name}.child_segments`, place)];
      },
    },
    {
      needs: ['child_segments', 'lookback_window'],
      check: ({ lookback_window, ...segment }, name) => {
        const place = `${name}.lookback_window`;
        if (!isInner(segment)) return lookback_window === undefined ? [missing(place)] : [];
        if (lookback_window === undefined) return [];
        const details = 'it stands on the segments that have a custom_audience_id';
        return [invalid(place, `setting ${place} is not allowed`, { value: lookback_window, details })];
      },
    },
  );

const childrenOf = (level: number, min: number): Reader<GivenSegment[]> =>
  level === MAX_LEVELS ? readTooDeep : readList(segmentAt(level + 1), { min, max: MAX_LEAVES });

/** How many leaves there are, however they look; below the deepest level nobody looks. */
function countLeaves(given: unknown, level = 1): number {
  const { child_segments: children } = (given ?? {}) as { child_segments?: unknown };
  if (!Array.isArray(children) || children.length === 0 || level === MAX_LEVELS) return 1;
  return children.reduce<number>((count, child) => count + countLeaves(child, level + 1), 0);
}

const tooManyLeaves = (count: number, name: string) =>
  new InvalidValue(
    `A maximum of ${MAX_LEAVES} leaf segments can be provided for ${name}`,
    undefined,
    `${count} were given`,
  );

const bounded =
  <T>(read: Reader<T>, tree: (given: unknown) => unknown): Reader<T> =>
  (given, name) => {
    const count = countLeaves(tree(given));
    return count > MAX_LEAVES ? tooManyLeaves(count, name) : read(given, name);
  };

/**
 * `segments`, the whole tree. What is read is what was sent: `normalised` adds the defaults. Leaves are counted
 * before anything is read, so that what is read and told is bounded.
 */
export const readSegments = bounded(segmentAt(1), (given) => given);

/** `child_segments`, where the outermost segment is the operation itself; none are as if it was left out. */
export const readChildSegments = bounded(childrenOf(1, 0), (given) => ({ child_segments: given }));
