import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { closedSet } from '../../common/closed-set.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { Bool, Field, Id, Int, OneOf, Text } from '../../common/http/params/fields.js';
import { nested } from '../../common/http/params/parts.js';
import { ROOT_PARAMETERS, problemOfTree } from './flexible-audience.rules.js';
import { SEGMENT, SegmentView } from './segment.presenter.js';
import { childSegments, segments } from './segments.parts.js';
import {
  BOOLEAN_OPERATORS,
  FREQUENCY_COMPARATORS,
  MAX_FREQUENCY,
  MAX_LEAVES,
  type BooleanOperator,
  type FrequencyComparator,
  type GivenSegment,
} from '../entities/segments.js';

/** What a batch can make. */
export const BATCH_AUDIENCE_TYPES = closedSet('BatchAudienceType', ['FLEXIBLE', 'MOBILE_AUDIENCE']);
export type BatchAudienceType = (typeof BATCH_AUDIENCE_TYPES)[number];

const SEGMENTS = {
  type: 'array',
  items: { $ref: getSchemaPath(SegmentView) },
  maxItems: MAX_LEAVES,
} as const;

/** A mobile audience has a name and no segments; the tree of a flexible one is said in one of two places. */
@Example({
  audience_type: 'FLEXIBLE',
  name: 'Readers who came back',
  segments: {
    boolean_operator: 'AND',
    child_segments: [
      { custom_audience_id: '{custom_audience_id}', lookback_window: 30, frequency: 2 },
      { custom_audience_id: '{custom_audience_id}', lookback_window: 7, negate: true },
    ],
  },
})
@Rule<CreateAudienceOperation, keyof CreateAudienceOperation>(
  ['audience_type', 'segments', 'child_segments', ...ROOT_PARAMETERS],
  ({ audience_type, ...tree }) => problemOfTree(audience_type, tree),
)
@ApiExtraModels(SegmentView)
export class CreateAudienceOperation {
  /** What it is made of: segments, or the people who are uploaded afterwards. */
  @OneOf(BATCH_AUDIENCE_TYPES) audience_type: BatchAudienceType;
  /** What the audience is called; no other of the account is called so. */
  @Text({ visible: true, min: 1, max: 255, trimmed: true, unique: true }) name: string;
  /** A note on whom it holds. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
  /** The segments of a flexible audience, where the operation itself is the outermost one. */
  @Field(nested(childSegments), { absentIfEmpty: true }, SEGMENTS) child_segments?: GivenSegment[];
  /** The outermost segment of a flexible audience; instead of `child_segments` and what goes with them. */
  @Field(nested(segments), { absentIfEmpty: true }, SEGMENT) segments?: GivenSegment;
  /** Whether people have to be in all of `child_segments`, beside which it is required, or in one. */
  @OneOf(BOOLEAN_OPERATORS, { absentIfEmpty: true }) boolean_operator?: BooleanOperator;
  /** How many of `child_segments` people have to be in. */
  @Int({ min: 1, max: MAX_FREQUENCY, absentIfEmpty: true, default: 1 }) frequency?: number;
  /** How that compares with `frequency`. */
  @OneOf(FREQUENCY_COMPARATORS, { absentIfEmpty: true, default: 'NUM_GTE' }) frequency_comparator?: FrequencyComparator;
  /** Whether it holds everybody else of the audiences of its segments. */
  @Bool({ absentIfEmpty: true, default: false }) negate?: boolean;
}

/** Not of a flexible audience, which stays as it was made. */
@Example({ custom_audience_id: '{custom_audience_id}', description: 'Read in the last 30 days' })
export class UpdateAudienceOperation {
  /** The audience to change. */
  @Id() custom_audience_id: string;
  /** What the audience is called; no other of the account is called so. */
  @Text({ visible: true, optional: true, min: 1, max: 255, trimmed: true, unique: true }) name?: string;
  /** A note on whom it holds. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}

export class DeleteAudienceOperation {
  /** The audience to delete. */
  @Id() custom_audience_id: string;
}

/** The operations of a batch. */
export const CUSTOM_AUDIENCE_OPERATIONS = {
  Create: CreateAudienceOperation,
  Update: UpdateAudienceOperation,
  Delete: DeleteAudienceOperation,
};

/** How many of them a batch has at most. */
export const MAX_BATCH_SIZE = 10;
