import { invalid, missing } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Ids, Int, Text, type FieldRules } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Card } from '../entities/card.entity.js';
import { MediaKey } from '../media-files/media-key.field.js';

export class ListPollCards extends ListQuery(Card) {
  /** Ids of the cards to return. */
  @Ids({ decimal: true, optional: true }) card_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

/** The text of one choice. */
const Choice = (rules: FieldRules = {}) => Text({ ...rules, visible: true, max: 25 });

const CHOICES = ['first_choice', 'second_choice', 'third_choice', 'fourth_choice'] as const;

/** Normalizes a choice: two choices with the same result look the same to readers. */
const asRead = (choice: string) => choice.normalize('NFKC').replace(/\s+/gu, ' ').trim();

/** Rejects equal choices, which readers cannot tell apart. The error names the later one. */
function equalChoices(params: Pick<CreatePollCard, (typeof CHOICES)[number]>) {
  const known = new Map<string, string>();
  for (const name of CHOICES) {
    const choice = params[name];
    if (typeof choice !== 'string') continue;
    const before = known.get(asRead(choice));
    if (before !== undefined) return invalid(name, `${name} must differ from ${before}`, { value: choice });
    known.set(asRead(choice), name);
  }
  return undefined;
}

@Example({ name: 'Taste', first_choice: 'Espresso', second_choice: 'Filter', duration_in_minutes: 1_440 })
@Rule(
  ['third_choice', 'fourth_choice'],
  ({ third_choice, fourth_choice }: Pick<CreatePollCard, 'third_choice' | 'fourth_choice'>) =>
    fourth_choice && !third_choice ? missing('third_choice', 'fourth_choice requires it') : undefined,
)
@Rule(['first_choice', 'second_choice', 'third_choice', 'fourth_choice'], equalChoices)
export class CreatePollCard {
  /** Duration of the poll from the card's creation: 5 minutes to 7 days. */
  @Int({ min: 5, max: 10_080, example: 1_440 }) duration_in_minutes: number;
  /** The first choice. */
  @Choice({ example: 'Espresso' }) first_choice: string;
  /** The second choice. */
  @Choice({ example: 'Filter' }) second_choice: string;
  /** The card's name, visible only to the account. */
  @Text({ visible: true, max: 80, example: 'Taste' }) name: string;
  /** The third choice. */
  @Choice({ nullable: true }) third_choice?: string | null;
  /** The fourth choice. Requires the third. */
  @Choice({ nullable: true }) fourth_choice?: string | null;
  /**
   * Media key of an image (1.91:1, at least 800 pixels wide) or video (16:9) in the media library. Requires the feature
   * `PROMOTED_MEDIA_POLLS`.
   */
  @MediaKey({ nullable: true })
  media_key?: string | null;
}
