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

/** A part of the tree of a flexible audience. Requests may leave out what has a default, answers do not. */
export class SegmentView {
  /** Whether people have to be in all of the segments inside of it, or in one; only where there are some. */
  @ApiProperty({ ...enumSchema(BOOLEAN_OPERATORS), required: false }) boolean_operator?: BooleanOperator;
  /** The audience whose people it holds; only where there are no segments inside of it. */
  @ApiProperty({ ...ID, required: false }) custom_audience_id?: string;
  /** How many times they were uploaded within `lookback_window`, or how many of the segments inside of it they are in. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_FREQUENCY, default: 1, required: false })
  frequency?: number;
  /** How that compares with `frequency`. */
  @ApiProperty({ ...enumSchema(FREQUENCY_COMPARATORS), default: 'NUM_GTE', required: false })
  frequency_comparator?: FrequencyComparator;
  /** Of how many days uploads count, today included: 1, 7, 14 or 30. Only beside `custom_audience_id`, and there always. */
  @ApiProperty({ type: 'integer', minimum: LOOKBACK_WINDOWS[0], maximum: LOOKBACK_WINDOWS[3], required: false })
  lookback_window?: LookbackWindow;
  /** Whether it holds everybody else of the audiences of the whole tree. */
  @ApiProperty({ type: Boolean, default: false, required: false }) negate?: boolean;
  /** The segments inside of it. */
  @ApiProperty({ type: () => [SegmentView], maxItems: MAX_LEAVES, required: false }) child_segments?: SegmentView[];
}

/** How the document shows the outermost segment, in requests and answers. */
export const SEGMENT = { allOf: [{ $ref: getSchemaPath(SegmentView) }] };

/** How it is written: `normalised` says what is in it, and a serializer that knew would have no end. */
export const WRITTEN_SEGMENT = { type: 'object', additionalProperties: true };
