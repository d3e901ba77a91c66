import {
  Bool,
  DecimalId,
  Field,
  listOf,
  several,
  text,
  Text,
  type FieldRules,
} from '../../common/http/params/fields.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MAX_TEXT_LENGTH } from './post-text.rules.js';

const CARD_URI = { pattern: /^card:\/\/[0-9]+$/, what: 'card://<card_id>' };

/** Every entry counts: one that is repeated is a mistake, which the rules name. */
const mediaKeys = several(text({ min: 1, max: Infinity, matching: MEDIA_KEY }), {
  distinct: false,
  max: 20,
});

/** The text of a post: white space around it is no part of it. */
export const PostText = ({ unique }: Pick<FieldRules, 'unique'> = {}) =>
  Text({
    optional: true,
    min: 0,
    max: MAX_TEXT_LENGTH,
    trimmed: true,
    unique,
    example: 'Our new blend is here. #coffee',
  });

/** What a post is made of, whether it is a draft, scheduled or published; an empty value unsets. */
export class CompositionFields {
  /** The text, of at most 280 weighted characters; required without `media_keys`. */
  @PostText() text?: string;
  /** A card of the account, to be shown below the text. */
  @Text({ nullable: true, max: 100, matching: CARD_URI, example: 'card://1234567890123456' })
  card_uri?: string | null;
  /** Up to four images, or one GIF, or one video, all of them in the media library. */
  @Field(mediaKeys, { nullable: true }, listOf({ type: 'string', pattern: MEDIA_KEY.pattern.source }, { max: 4 }))
  media_keys?: string[] | null;
  /** Whether it is promoted only, and so in no timeline of its author. */
  @Bool({ nullable: true }) nullcast?: boolean | null;
  /** What the account calls it; nobody else sees that. */
  @Text({ visible: true, nullable: true, max: 80, example: 'New blend, first version' }) name?: string | null;
}

/** The same for something new, with its defaults. */
export class NewCompositionFields extends CompositionFields {
  /** On whose behalf it is made: a promotable user of the account. */
  @DecimalId() as_user_id: string;
  /** Whether it is promoted only, and so in no timeline of its author. */
  @Bool({ nullable: true, default: true }) override nullcast?: boolean | null;
}
