import { closedSet } from '../../common/values/closed-set.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Field, Int, listSchema, OneOf, list, text } from '../../common/http/params/fields.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { MAX_KEYWORD_LENGTH, readKeyword } from '../targeting-values/keywords.rules.js';

export const SUGGESTION_TYPES = closedSet('SuggestionType', ['KEYWORD', 'USER_ID']);
export type SuggestionType = (typeof SUGGESTION_TYPES)[number];

const MAX_SEEDS = 50;
const USER_ID = /^\d{1,19}$/;

/** A request contains either keywords or users, not both. */
const seedsOf = ({
  suggestion_type,
  targeting_values,
}: Pick<ListSuggestions, 'suggestion_type' | 'targeting_values'>) => {
  for (const value of targeting_values) {
    if (suggestion_type === 'USER_ID') {
      if (USER_ID.test(value)) continue;
      return invalid('targeting_values', `Expected Long, got ${quotedValue(value)} for targeting_values`, {
        value,
        details: 'with suggestion_type USER_ID, all values are ids of users; send keywords in another request',
      });
    }
    const read = readKeyword('BROAD_KEYWORD', value);
    if ('allowed' in read)
      return invalid('targeting_values', `Expected ${read.allowed}, got ${quotedValue(value)} for targeting_values`, {
        value,
      });
  }
  return undefined;
};

@Rule(['suggestion_type', 'targeting_values'], seedsOf)
@Example({ suggestion_type: 'KEYWORD', targeting_values: ['coffee', 'roastery'] })
export class ListSuggestions {
  /** The type of the suggestions and of the seeds. */
  @OneOf(SUGGESTION_TYPES) suggestion_type: SuggestionType;
  /** Keywords or user ids to find related values for. */
  @Field(
    list(text({ min: 1, max: 280 }), { max: MAX_SEEDS }),
    { example: ['coffee', 'roastery'] },
    listSchema({ type: 'string', minLength: 1, maxLength: MAX_KEYWORD_LENGTH }, { min: 1, max: MAX_SEEDS }),
  )
  targeting_values: string[];
  /** Maximum number of suggestions. */
  @Int({ optional: true, min: 1, max: 50, default: 30 }) count: number = 30;
}
