import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID } from '../../common/http/answers/responses.js';
import {
  BOOLEAN_OPERATORS,
  FREQUENCY_COMPARATORS,
  MAX_FREQUENCY,
  LOOKBACK_WINDOWS,
  MAX_LEAVES,
  type BooleanOperator,
  type FrequencyComparator,
  type LookbackWindow,
} from '../entities/segments.js';

/**
 * A segment in the tree of a flexible audience. Requests may omit fields that have a default; responses contain them.
 */
export class SegmentView {
  /** Whether people must be in all child segments or in one of them. Only with child segments. */
  @ApiProperty({ ...enumSchema(BOOLEAN_OPERATORS), required: false }) boolean_operator?: BooleanOperator;
  /** The audience whose people the segment holds. Only without child segments. */
  @ApiProperty({ ...ID, required: false }) custom_audience_id?: string;
  /**
   * The number of times that people were uploaded within `lookback_window`, or the number of child segments that they
   * are in.
   */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_FREQUENCY, default: 1, required: false })
  frequency?: number;
  /** How the number is compared with `frequency`. */
  @ApiProperty({ ...enumSchema(FREQUENCY_COMPARATORS), default: 'NUM_GTE', required: false })
  frequency_comparator?: FrequencyComparator;
  /**
   * The number of days of uploads that count, today included: 1, 7, 14 or 30. Only with `custom_audience_id`, and
   * always with it.
   */
  @ApiProperty({ type: 'integer', minimum: LOOKBACK_WINDOWS[0], maximum: LOOKBACK_WINDOWS[3], required: false })
  lookback_window?: LookbackWindow;
  /** Whether the segment is inverted: it then holds all other people of the audiences of the whole tree. */
  @ApiProperty({ type: Boolean, default: false, required: false }) negate?: boolean;
  /** The child segments. */
  @ApiProperty({ type: () => [SegmentView], maxItems: MAX_LEAVES, required: false }) child_segments?: SegmentView[];
}

/** The OpenAPI schema of the outermost segment, in requests and responses. */
export const SEGMENT = { allOf: [{ $ref: getSchemaPath(SegmentView) }] };

/** The serialization schema is open, because a recursive one would have no end. `normalisedSegments` defines the content. */
export const WRITTEN_SEGMENT = { type: 'object', additionalProperties: true };
