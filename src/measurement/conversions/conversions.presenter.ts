import { ApiProperty } from '@nestjs/swagger';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { Unescaped } from '../../common/http/answers/responses.js';

@Noun('number of conversions', 'numbers of conversions')
export class ProcessedConversionsView {
  /** The number of conversions of the request, duplicates included. */
  @ApiProperty({ type: 'integer' }) conversions_processed: number;
  /** An id of the request, for questions about it. */
  @ApiProperty() @Unescaped() debug_id: string;
}
