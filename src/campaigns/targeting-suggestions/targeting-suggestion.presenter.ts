import { ApiProperty } from '@nestjs/swagger';
import { enumSchema } from '../../common/http/params/fields.js';
import { SUGGESTION_TYPES, type SuggestionType } from './targeting-suggestions.dto.js';

/** Something else to be targeted. */
export class TargetingSuggestionView {
  /** What it is. */
  @ApiProperty(enumSchema(SUGGESTION_TYPES)) suggestion_type: SuggestionType;
  /** A keyword, or the id of a user. */
  @ApiProperty({ example: 'espresso' }) suggestion_value: string;
}

export const presentSuggestions = (type: SuggestionType, values: readonly string[]): TargetingSuggestionView[] =>
  values.map((value) => ({ suggestion_type: type, suggestion_value: value }));
