import { ApiProperty } from '@nestjs/swagger';
import { enumSchema } from '../../common/http/params/fields.js';
import { SUGGESTION_TYPES, type SuggestionType } from './targeting-suggestions.dto.js';

/** A suggested targeting value. */
export class TargetingSuggestionView {
  /** The type of the suggestion. */
  @ApiProperty(enumSchema(SUGGESTION_TYPES)) suggestion_type: SuggestionType;
  /** A keyword or a user id. */
  @ApiProperty({ example: 'espresso' }) suggestion_value: string;
}

export const presentSuggestions = (type: SuggestionType, values: readonly string[]): TargetingSuggestionView[] =>
  values.map((value) => ({ suggestion_type: type, suggestion_value: value }));
