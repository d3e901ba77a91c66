import { invalid, missing } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { Ids, Int, Text, type FieldRules } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Card } from '../entities/card.entity.js';
import { MediaKey } from '../media-files/media-key.field.js';

export class ListPollCards extends ListQuery(Card) {
  /** Only the cards with these ids. */
  @Ids({ decimal: true, optional: true }) card_ids?: string[];
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

/** Of a choice. */
const Choice = (rules: FieldRules = {}) => Text({ ...rules, visible: true, max: 25 });

const CHOICES = ['first_choice', 'second_choice', 'third_choice', 'fourth_choice'] as const;

/** The texts of two choices are the same to whoever reads them. */
const asRead = (choice: string) => choice.normalize('NFKC').replace(/\s+/gu, ' ').trim();

/** Nobody could tell two equal choices apart; the later one is blamed. */
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
    fourth_choice && !third_choice ? missing('third_choice', 'fourth_choice needs it') : undefined,
)
@Rule(['first_choice', 'second_choice', 'third_choice', 'fourth_choice'], equalChoices)
export class CreatePollCard {
  /** How long the poll is open, from the moment when the card is made: 5 minutes to 7 days. */
  @Int({ min: 5, max: 10_080, example: 1_440 }) duration_in_minutes: number;
  /** The first choice. */
  @Choice({ example: 'Espresso' }) first_choice: string;
  /** The second choice. */
  @Choice({ example: 'Filter' }) second_choice: string;
  /** What the card is called; only the account sees it. */
  @Text({ visible: true, max: 80, example: 'Taste' }) name: string;
  /** The third choice. */
  @Choice({ nullable: true }) third_choice?: string | null;
  /** The fourth choice; only with a third. */
  @Choice({ nullable: true }) fourth_choice?: string | null;
  /**
   * An image (1.91:1, at least 800 pixels wide) or video (16:9) of the media library that the poll is about; takes the
   * feature `PROMOTED_MEDIA_POLLS`.
   */
  @MediaKey({ nullable: true })
  media_key?: string | null;
}
