import {
  Bool,
  DecimalId,
  Field,
  listSchema,
  list,
  text,
  Text,
  type FieldRules,
} from '../../common/http/params/fields.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MAX_TEXT_LENGTH } from './post-text.rules.js';

const CARD_URI = { pattern: /^card:\/\/[0-9]+$/, what: 'card://<card_id>' };

/** Duplicates are kept: a repeated key is an error that the rules report. */
const mediaKeys = list(text({ min: 1, max: Infinity, matching: MEDIA_KEY }), {
  distinct: false,
  max: 20,
});

/** Text of a post, trimmed of surrounding white space. */
export const PostText = ({ unique }: Pick<FieldRules, 'unique'> = {}) =>
  Text({
    optional: true,
    min: 0,
    max: MAX_TEXT_LENGTH,
    trimmed: true,
    unique,
    example: 'Our new blend is here. #coffee',
  });

/** Content fields of a draft, scheduled or published post. An empty value unsets a field. */
export class CompositionFields {
  /** Text, at most 280 weighted characters. Required without `media_keys`. */
  @PostText() text?: string;
  /** URI of a card of the account, shown below the text. */
  @Text({ nullable: true, max: 100, matching: CARD_URI, example: 'card://1234567890123456' })
  card_uri?: string | null;
  /** Up to four images, one GIF or one video, all in the media library. */
  @Field(mediaKeys, { nullable: true }, listSchema({ type: 'string', pattern: MEDIA_KEY.pattern.source }, { max: 4 }))
  media_keys?: string[] | null;
  /** Whether the post is promoted only and absent from its author's timeline. */
  @Bool({ nullable: true }) nullcast?: boolean | null;
  /** The post's name, visible only to the account. */
  @Text({ visible: true, nullable: true, max: 80, example: 'New blend, first version' }) name?: string | null;
}

/** Content fields of a new post, with their defaults. */
export class NewCompositionFields extends CompositionFields {
  /** User id of the author, a promotable user of the account. */
  @DecimalId() as_user_id: string;
  /** Whether the post is promoted only and absent from its author's timeline. */
  @Bool({ nullable: true, default: true }) override nullcast?: boolean | null;
}
