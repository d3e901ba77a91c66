import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { closedSet } from '../../common/values/closed-set.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
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

/** The audience types that a batch can create. */
const BATCH_AUDIENCE_TYPES = closedSet('BatchAudienceType', ['FLEXIBLE', 'MOBILE_AUDIENCE']);
export type BatchAudienceType = (typeof BATCH_AUDIENCE_TYPES)[number];

const SEGMENTS = {
  type: 'array',
  items: { $ref: getSchemaPath(SegmentView) },
  maxItems: MAX_LEAVES,
} as const;

/**
 * A mobile audience has a name and no segments. A flexible audience has its segment tree either in `segments` or in the
 * operation itself.
 */
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
  /** The audience type: built from segments, or from people uploaded afterwards. */
  @OneOf(BATCH_AUDIENCE_TYPES) audience_type: BatchAudienceType;
  /** The audience's name, unique within the account. */
  @Text({ visible: true, min: 1, max: 255, trimmed: true, unique: true }) name: string;
  /** The audience's description. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
  /** The segments of a flexible audience. The operation itself is the outermost segment. */
  @Field(nested(childSegments), { absentIfEmpty: true }, SEGMENTS) child_segments?: GivenSegment[];
  /** The outermost segment of a flexible audience; replaces `child_segments` and its related fields. */
  @Field(nested(segments), { absentIfEmpty: true }, SEGMENT) segments?: GivenSegment;
  /** Whether people must be in all of `child_segments` or in one of them. Required with `child_segments`. */
  @OneOf(BOOLEAN_OPERATORS, { absentIfEmpty: true }) boolean_operator?: BooleanOperator;
  /** The number of `child_segments` that people must be in. */
  @Int({ min: 1, max: MAX_FREQUENCY, absentIfEmpty: true, default: 1 }) frequency?: number;
  /** How the number is compared with `frequency`. */
  @OneOf(FREQUENCY_COMPARATORS, { absentIfEmpty: true, default: 'NUM_GTE' }) frequency_comparator?: FrequencyComparator;
  /** Whether the audience is inverted: it then holds all other people of its segments' audiences. */
  @Bool({ absentIfEmpty: true, default: false }) negate?: boolean;
}

/** The fields of an audience to change. Flexible audiences cannot be changed. */
@Example({ custom_audience_id: '{custom_audience_id}', description: 'Read in the last 30 days' })
export class UpdateAudienceOperation {
  /** The id of the audience to change. */
  @Id() custom_audience_id: string;
  /** The audience's name, unique within the account. */
  @Text({ visible: true, optional: true, min: 1, max: 255, trimmed: true, unique: true }) name?: string;
  /** The audience's description. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}

class DeleteAudienceOperation {
  /** The id of the audience to delete. */
  @Id() custom_audience_id: string;
}

/** The operations of a batch. */
export const CUSTOM_AUDIENCE_OPERATIONS = {
  Create: CreateAudienceOperation,
  Update: UpdateAudienceOperation,
  Delete: DeleteAudienceOperation,
};

/** Maximum number of operations in a batch. */
export const MAX_BATCH_SIZE = 10;
