import fc from 'fast-check';
import { ApiError, ApiErrors } from '../../../src/common/errors/api-error.js';
import { childSegments, segments } from '../../../src/audiences/custom-audiences/segments.parts.js';
import { nested } from '../../../src/common/http/params/parts.js';
import { reading } from '../../support/reading.js';
import {
  belongs,
  FREQUENCY_COMPARATORS,
  MAX_FREQUENCY,
  leavesOf,
  LOOKBACK_WINDOWS,
  MAX_LEAVES,
  MAX_LEVELS,
  namedIn,
  normalisedSegments,
  occurrenceRangeOf,
  type GivenSegment,
  type Segment,
} from '../../../src/audiences/entities/segments.js';

const readSegments = reading(nested(segments));
const readChildSegments = reading(nested(childSegments));

type Loose = Record<string, unknown>;

const leaf = (more: Loose = {}): Loose => ({ custom_audience_id: 'abc1', lookback_window: 7, ...more });
const inner = (children: unknown, more: Loose = {}): Loose => ({
  boolean_operator: 'AND',
  child_segments: children,
  ...more,
});
const read = (given: unknown) => {
  const value = readSegments(given, 'segments');
  return value instanceof ApiErrors ? value.errors.map(({ code, detail }) => `${code} ${detail.parameter}`) : value;
};

const occurrence = {
  frequency: fc.option(fc.integer({ min: 1, max: MAX_FREQUENCY }), { nil: undefined }),
  frequency_comparator: fc.option(fc.constantFrom(...FREQUENCY_COMPARATORS), { nil: undefined }),
  negate: fc.option(fc.boolean(), { nil: undefined }),
};
const leaves = fc.record({
  custom_audience_id: fc.stringMatching(/^[0-9a-zA-Z]{1,13}$/),
  lookback_window: fc.constantFrom(...LOOKBACK_WINDOWS),
  ...occurrence,
});
const { node } = fc.letrec<{ node: GivenSegment; inside: GivenSegment }>((tie) => ({
  node: fc.oneof({ maxDepth: 6, withCrossShrink: true }, leaves, tie('inside')),
  inside: fc.record({
    boolean_operator: fc.constantFrom('AND' as const, 'OR' as const),
    child_segments: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
    ...occurrence,
  }),
}));
const withoutUndefined = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const countLeaves = (segment: GivenSegment): number =>
  segment.child_segments?.length ? segment.child_segments.reduce((sum, each) => sum + countLeaves(each), 0) : 1;
const depthOf = (segment: GivenSegment): number => 1 + Math.max(0, ...(segment.child_segments ?? []).map(depthOf));

const trees = fc
  .record({
    boolean_operator: fc.constantFrom('AND' as const, 'OR' as const),
    child_segments: fc.array(node, { minLength: 1, maxLength: 4 }),
    ...occurrence,
  })
  .map(withoutUndefined);
const fits = (tree: GivenSegment) => countLeaves(tree) <= MAX_LEAVES && depthOf(tree) <= MAX_LEVELS;

describe('segments, read', () => {
  it('are what was sent, as it was sent', () => {
    const tree = inner([leaf({ custom_audience_id: 'ABC1', frequency: 2 }), inner([leaf(), leaf({ negate: true })])]);
    expect(read({ ...tree, more: 1 })).toEqual(tree);
    expect(read(inner([leaf({ lookback_window: '7', frequency: '2', negate: 'false', child_segments: [] })]))).toEqual(
      inner([leaf({ frequency: 2, negate: false, child_segments: [] })]),
    );
    // what does not apply to a leaf may stand there when it is empty
    expect(read(inner([leaf({ boolean_operator: null, child_segments: null })]))).toEqual(inner([leaf()]));
  });

  it('tell each fault with its place', () => {
    expect(
      read(
        inner([
          { lookback_window: 3 },
          inner([leaf(), leaf({ custom_audience_id: 'a-b' }), leaf({ lookback_window: undefined })]),
          leaf({ frequency: 0, frequency_comparator: 'MORE', negate: 'perhaps' }),
          inner([leaf()], { boolean_operator: undefined }),
          7,
        ]),
      ),
    ).toEqual([
      'INVALID_PARAMETER segments.child_segments[0].lookback_window',
      'MISSING_PARAMETER segments.child_segments[0].custom_audience_id',
      'INVALID_PARAMETER segments.child_segments[1].child_segments[1].custom_audience_id',
      'MISSING_PARAMETER segments.child_segments[1].child_segments[2].lookback_window',
      'INVALID_PARAMETER segments.child_segments[2].frequency',
      'INVALID_PARAMETER segments.child_segments[2].frequency_comparator',
      'INVALID_PARAMETER segments.child_segments[2].negate',
      'MISSING_PARAMETER segments.child_segments[3].boolean_operator',
      'INVALID_PARAMETER segments.child_segments[4]',
    ]);
  });

  it('say which days there are, and how often', () => {
    const messages = (given: unknown) =>
      (readSegments(given, 'segments') as ApiErrors).errors.map(({ message }) => message);
    expect(messages(inner([leaf({ lookback_window: 90 })]))).toEqual([
      'Expected a value in 1, 7, 14, 30, got 90 for segments.child_segments[0].lookback_window',
    ]);
    expect(messages(inner([leaf({ frequency: MAX_FREQUENCY + 1 })]))).toEqual([
      `Expected a value between 1 and ${MAX_FREQUENCY}, got ${MAX_FREQUENCY + 1} for segments.child_segments[0].frequency`,
    ]);
  });

  it('have others inside of the outermost one', () => {
    expect(read(leaf())).toEqual([
      'MISSING_PARAMETER segments.child_segments',
      'MISSING_PARAMETER segments.boolean_operator',
    ]);
    for (const child_segments of [[], {}, 'x', null, ''])
      expect(read({ ...inner(child_segments) })).toEqual(['INVALID_PARAMETER segments.child_segments']);
    for (const none of [null, [], 'x', 1, true]) expect(read(none)).toEqual(['INVALID_PARAMETER segments']);
  });

  it('keep leaves and others apart', () => {
    expect(read(inner([inner([leaf()], { custom_audience_id: 'abc1', lookback_window: 7 })]))).toEqual([
      'EXCLUSIVE_PARAMETERS segments.child_segments[0].custom_audience_id',
      'INVALID_PARAMETER segments.child_segments[0].lookback_window',
    ]);
  });

  it('have so many leaves and levels, and no more', () => {
    expect(read(inner(Array(MAX_LEAVES).fill(leaf())))).toEqual(inner(Array(MAX_LEAVES).fill(leaf())));
    expect(read(inner(Array(MAX_LEAVES + 1).fill(leaf())))).toEqual(['INVALID_PARAMETER segments']);
    expect(read(inner([inner(Array(6).fill(leaf())), inner(Array(5).fill(leaf()))]))).toEqual([
      'INVALID_PARAMETER segments',
    ]);
    // however they look: nothing of them is read
    expect(read(inner(Array(10_000).fill(7)))).toEqual(['INVALID_PARAMETER segments']);
    const chain = (levels: number): Loose => (levels === 1 ? leaf() : inner([chain(levels - 1)]));
    expect(read(chain(MAX_LEVELS))).toEqual(chain(MAX_LEVELS));
    expect(read(chain(MAX_LEVELS + 1))).toEqual([
      `INVALID_PARAMETER segments${'.child_segments[0]'.repeat(MAX_LEVELS - 1)}.child_segments`,
    ]);
  });

  it('may be the operation’s own, of which none are as good as left out', () => {
    expect(readChildSegments([leaf()], 'child_segments')).toEqual([leaf()]);
    expect(readChildSegments([], 'child_segments')).toEqual([]);
    const faulty = readChildSegments([{}], 'child_segments') as ApiErrors;
    expect(faulty.errors.map(({ detail }) => detail.parameter)).toEqual([
      'child_segments[0].custom_audience_id',
      'child_segments[0].lookback_window',
    ]);
    expect(readChildSegments(Array(11).fill(leaf()), 'child_segments')).toBeInstanceOf(ApiErrors);
  });

  it('are taken whenever they are within their bounds, and refused whenever not', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const value = readSegments(tree, 'segments');
        if (fits(tree)) expect(value).toEqual(tree);
        else expect(value).toBeInstanceOf(ApiErrors);
      }),
    );
  });

  it('are never more than refused, whatever they are', () => {
    const garbage = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.record(
          {
            boolean_operator: fc.oneof(fc.jsonValue(), fc.constant('OR')),
            custom_audience_id: fc.oneof(fc.jsonValue(), fc.constant('a')),
            lookback_window: fc.oneof(fc.jsonValue(), fc.constant(7)),
            frequency: fc.jsonValue(),
            negate: fc.jsonValue(),
            child_segments: fc.oneof(fc.jsonValue(), fc.array(tie('any'), { maxLength: 5 })),
          },
          { requiredKeys: [] },
        ),
      ),
    })).any;
    fc.assert(
      fc.property(garbage, (given) => {
        for (const reader of [readSegments, readChildSegments]) {
          const value = reader(given, 'p');
          if (!(value instanceof ApiErrors)) continue;
          const errors = value.errors;
          expect(errors.length).toBeGreaterThan(0);
          for (const error of errors) {
            expect(error).toBeInstanceOf(ApiError);
            expect(error.detail.parameter).toMatch(/^p/);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('segments, normalised', () => {
  it('spell out every default, in one order, ids in lower case', () => {
    const tree = normalisedSegments(inner([leaf({ custom_audience_id: 'ABC1', boolean_operator: 'OR' })]));
    expect(JSON.stringify(tree)).toBe(
      JSON.stringify({
        boolean_operator: 'AND',
        frequency: 1,
        frequency_comparator: 'NUM_GTE',
        negate: false,
        child_segments: [
          {
            custom_audience_id: 'abc1',
            frequency: 1,
            frequency_comparator: 'NUM_GTE',
            lookback_window: 7,
            negate: false,
            child_segments: [],
          },
        ],
      }),
    );
  });

  it('stay as they are when it is done again, with as many leaves, in their order', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const once = normalisedSegments(tree);
        expect(normalisedSegments(once)).toEqual(once);
        expect(leavesOf(once)).toHaveLength(countLeaves(tree));
        expect(leavesOf(once).map((each) => each.custom_audience_id)).toEqual(
          namedIn(tree.child_segments).map(({ id }) => id.toLowerCase()),
        );
        const everyNode = (segment: Segment): Segment[] => [segment, ...segment.child_segments.flatMap(everyNode)];
        for (const each of everyNode(once))
          expect(each).toMatchObject({ frequency: expect.any(Number), negate: expect.any(Boolean) });
        if (fits(tree)) expect(readSegments(once, 'segments')).toEqual(once);
      }),
    );
  });

  it('say where each leaf stood', () => {
    expect(
      namedIn([leaf(), inner([leaf({ custom_audience_id: 'X' })])] as GivenSegment[], 'segments.child_segments'),
    ).toEqual([
      { id: 'abc1', place: 'segments.child_segments[0].custom_audience_id' },
      { id: 'X', place: 'segments.child_segments[1].child_segments[0].custom_audience_id' },
    ]);
  });
});

describe('who belongs', () => {
  const tree = (given: Loose) => belongs(normalisedSegments(given));
  const those = (given: Loose, count: number) =>
    Array.from({ length: 1 << count }, (_, leaves) => leaves).filter(tree(given));

  it('is in all of the segments, or in one', () => {
    expect(those(inner([leaf(), leaf()]), 2)).toEqual([0b11]);
    expect(those(inner([leaf(), leaf()], { boolean_operator: 'OR' }), 2)).toEqual([0b01, 0b10, 0b11]);
  });

  it('or is not, where a segment is negated', () => {
    expect(those(inner([leaf(), leaf({ negate: true })]), 2)).toEqual([0b01]);
    expect(those(inner([leaf(), leaf()], { negate: true }), 2)).toEqual([0b00, 0b01, 0b10]);
    expect(those(inner([leaf(), inner([leaf(), leaf()], { boolean_operator: 'OR', negate: true })]), 3)).toEqual([
      0b001,
    ]);
  });

  it('is in as many of them as the frequency of what they stand in asks for', () => {
    const three = [leaf(), leaf(), leaf()];
    const or = (more: Loose) => those(inner(three, { boolean_operator: 'OR', ...more }), 3);
    expect(or({ frequency: 2 })).toEqual([0b011, 0b101, 0b110, 0b111]);
    expect(or({ frequency: 1, frequency_comparator: 'NUM_EQ' })).toEqual([0b001, 0b010, 0b100]);
    expect(or({ frequency: 3, frequency_comparator: 'NUM_LT' })).toEqual([0b001, 0b010, 0b011, 0b100, 0b101, 0b110]);
    expect(those(inner(three, { frequency: 4 }), 3)).toEqual([]);
  });

  it('and the leaf’s frequency is a range of times', () => {
    expect(
      FREQUENCY_COMPARATORS.map((frequency_comparator) => occurrenceRangeOf({ frequency: 3, frequency_comparator })),
    ).toEqual([
      { min: 3, max: null },
      { min: 4, max: null },
      { min: 3, max: 3 },
      { min: 0, max: 3 },
      { min: 0, max: 2 },
    ]);
  });
});
