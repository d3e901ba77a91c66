import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { ContentProblem } from '../../common/entity/snapshots.js';
import { exclusive, invalid, missing } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { toInt } from '../../common/http/params/conversions.js';
import { Bool, Field, Int, OneOf, text, type Kind } from '../../common/http/params/fields.js';
import { readParams } from '../../common/http/params/params.js';
import { ValidationProblem, nested, part, partList, type Part } from '../../common/http/params/parts.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { isObject } from '../../common/values/is-object.js';
import {
  BOOLEAN_OPERATORS,
  FREQUENCY_COMPARATORS,
  LOOKBACK_WINDOWS,
  MAX_FREQUENCY,
  MAX_LEAVES,
  MAX_LEVELS,
  normalisedSegments,
  type BooleanOperator,
  type FrequencyComparator,
  type GivenSegment,
  type LookbackWindow,
} from '../entities/segments.js';

/** Leaf ids are case-insensitive. */
const ANY_CASE = { pattern: /^[0-9a-zA-Z]+$/, what: 'String in base-36 format' };
const leafId = text({ min: 1, max: Infinity, matching: ANY_CASE });

const days: Kind = {
  convert: toInt,
  constraints: () => [
    IsIn(LOOKBACK_WINDOWS, {
      context: {
        error: (given: unknown, place: string) =>
          expectedError(`a value in ${LOOKBACK_WINDOWS.join(', ')}`, given, place, 'in days'),
      },
    }),
  ],
};

const isInner = ({ child_segments = [] }: Pick<GivenSegment, 'child_segments'>) => child_segments.length > 0;

type Operator = Pick<GivenSegment, 'child_segments' | 'boolean_operator'>;
type Leaf = Pick<GivenSegment, 'child_segments' | 'custom_audience_id'>;
type Lookback = Pick<GivenSegment, 'child_segments' | 'lookback_window'>;
type At = (name: string) => string;

const operatorMissing = ({ boolean_operator }: Pick<Operator, 'boolean_operator'>, at: At) =>
  boolean_operator === undefined ? missing(at('boolean_operator')) : undefined;

/** A segment with children combines them; a segment without children is an audience. */
const operatorOfInner = (segment: Operator, at: At) => (isInner(segment) ? operatorMissing(segment, at) : undefined);

function audienceOfLeaf(segment: Leaf, at: At) {
  const place = at('custom_audience_id');
  if (!isInner(segment)) return segment.custom_audience_id === undefined ? missing(place) : undefined;
  return segment.custom_audience_id === undefined ? undefined : exclusive(at('child_segments'), place);
}

function lookbackOfLeaf({ lookback_window, ...segment }: Lookback, at: At) {
  const place = at('lookback_window');
  if (!isInner(segment)) return lookback_window === undefined ? missing(place) : undefined;
  if (lookback_window === undefined) return undefined;
  const details = 'it belongs to the segments that have a custom_audience_id';
  return invalid(place, `setting ${place} is not allowed`, { value: lookback_window, details });
}

/** A segment at a level; the outermost is at 1 and must have children. */
function segmentAt(level: number): Type<GivenSegment> {
  @Rule(['child_segments', 'custom_audience_id'], audienceOfLeaf)
  @Rule(['child_segments', 'lookback_window'], lookbackOfLeaf)
  class Segment implements GivenSegment {
    @OneOf(BOOLEAN_OPERATORS, { absentIfEmpty: true }) boolean_operator?: BooleanOperator;
    @Field(leafId, { absentIfEmpty: true }) custom_audience_id?: string;
    @Int({ min: 1, max: MAX_FREQUENCY, absentIfEmpty: true }) frequency?: number;
    @OneOf(FREQUENCY_COMPARATORS, { absentIfEmpty: true }) frequency_comparator?: FrequencyComparator;
    @Field(days, { absentIfEmpty: true }) lookback_window?: LookbackWindow;
    @Bool({ absentIfEmpty: true }) negate?: boolean;
    @Field(nested(childrenOf(level, Number(level === 1))), { absentIfEmpty: level > 1 })
    child_segments?: GivenSegment[];
  }
  if (level === 1) Rule(['boolean_operator'], operatorMissing)(Segment);
  else Rule(['child_segments', 'boolean_operator'], operatorOfInner)(Segment);
  return Segment;
}

const tooDeep: Part = (given) =>
  Array.isArray(given) && given.length === 0
    ? given
    : new ValidationProblem((place) =>
        invalid(place, `Segments can be nested at most ${MAX_LEVELS} levels deep`, {
          details: `${place} would be one more level`,
        }),
      );

const childrenOf = (level: number, min: number): Part =>
  level === MAX_LEVELS ? tooDeep : partList(part(segmentAt(level + 1)), { min, max: MAX_LEAVES });

/** The number of leaves, whatever their content. It does not look below the deepest level. */
function countLeaves(given: unknown, level = 1): number {
  const { child_segments: children } = (given ?? {}) as { child_segments?: unknown };
  if (!Array.isArray(children) || children.length === 0 || level === MAX_LEVELS) return 1;
  return children.reduce<number>((count, child) => count + countLeaves(child, level + 1), 0);
}

const tooManyLeaves = (count: number) =>
  new ValidationProblem((place) =>
    invalid(place, `A maximum of ${MAX_LEAVES} leaf segments can be provided for ${place}`, {
      details: `${count} were given`,
    }),
  );

const bounded =
  (read: Part, tree: (given: unknown) => unknown): Part =>
  (given) => {
    const count = countLeaves(tree(given));
    return count > MAX_LEAVES ? tooManyLeaves(count) : read(given);
  };

/**
 * `segments`, the whole tree. The value is the tree as sent; `normalisedSegments` adds the defaults. Leaves are counted first,
 * which limits the work and the errors.
 */
export const segments = bounded(part(segmentAt(1)), (given) => given);

/** `child_segments`, where the operation itself is the outermost segment. An empty list counts as absent. */
export const childSegments = bounded(childrenOf(1, 0), (given) => ({ child_segments: given }));

class Segments {
  @Field(nested(segments)) segments: GivenSegment;
}

/** Why `segments` is not what the API stores in an audience; undefined if it is. */
export function segmentsProblem(isFlexible: boolean, stored: unknown): ContentProblem | undefined {
  const wrong = (message: string, value?: unknown) => ({ column: 'segments', message, value });
  if (!isFlexible) return stored == null ? undefined : wrong('only a FLEXIBLE audience has segments');
  if (!isObject(stored)) return wrong('a FLEXIBLE audience has segments', stored);
  const { params, refused } = readParams(Segments, { segments: stored });
  if (refused) return wrong(refused.errors[0].message, refused.errors[0].detail.value);
  const expected = normalisedSegments(params.segments);
  return isDeepStrictEqual(expected, stored)
    ? undefined
    : wrong(`Expected ${JSON.stringify(expected)}, got ${JSON.stringify(stored)}`);
}
