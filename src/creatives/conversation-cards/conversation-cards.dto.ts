import { Example } from '../../common/http/params/dto-metadata.js';
import { withCheck, Field, Ids, text, Text, type FieldRules, type Kind } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Card } from '../entities/card.entity.js';
import { MediaKey } from '../media-files/media-key.field.js';
import { WebUrl } from '../web-url.js';

/** Maximum length of a hashtag without its `#`. */
const MAX_HASHTAG_LENGTH = 20;
const HASHTAG = /^[\p{L}\p{M}\p{N}_]+$/u;

const trimmedText = text({ min: 1, max: 1_000, trimmed: true });
const lengthOf = (tag: string) => [...tag.replace(/^#/, '')].length;
const isHashtag = (bare: string) => HASHTAG.test(bare) && lengthOf(bare) <= MAX_HASHTAG_LENGTH;

const shortText = withCheck(
  trimmedText,
  `a hashtag of at most ${MAX_HASHTAG_LENGTH} characters`,
  (tag) => lengthOf(tag) <= MAX_HASHTAG_LENGTH,
  { details: (given) => `${lengthOf((given as string).trim())} characters` },
);

/** A hashtag, with or without `#` in the request; stored with it. */
const hashtag: Kind = {
  ...withCheck(shortText, 'a hashtag', (tag) => isHashtag(tag.slice(1)), {
    details: 'letters, digits and underscores, such as #coffee',
  }),
  convert: (given) => {
    const trimmed = trimmedText.convert!(given);
    const bare = typeof trimmed === 'string' ? trimmed.replace(/^#/, '') : '';
    return isHashtag(bare) ? `#${bare}` : trimmed;
  },
};

const Hashtag = (rules: FieldRules = {}) =>
  Field(hashtag, rules, {
    type: String,
    example: '#espresso',
    description: `At most ${MAX_HASHTAG_LENGTH} letters, digits and underscores, with their # or without.`,
  });

/** The text of a post that a hashtag triggers, as long as a post can be. */
const CtaPost = (rules: FieldRules = {}) => Text({ ...rules, max: 280 });
const ShortText = (rules: FieldRules = {}) => Text({ ...rules, max: 23 });

export class ListConversationCards extends ListQuery(Card) {
  /** Ids of the cards to return. */
  @Ids({ decimal: true, optional: true }) card_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

/** Optional fields. An empty value unsets them. */
class ConversationChoices {
  /** Title: the question that the card asks. Required without a second hashtag. */
  @ShortText({ nullable: true, example: 'How do you like it?' }) title?: string | null;
  /** The second hashtag. Required without a title. */
  @Hashtag({ nullable: true }) second_cta?: string | null;
  /** Text posted when a user chooses the second hashtag. Requires that hashtag. */
  @CtaPost({ nullable: true, example: 'Filter, please #filter' }) second_cta_post?: string | null;
  /** The third hashtag. Requires the second. */
  @Hashtag({ nullable: true }) third_cta?: string | null;
  /** Text posted when a user chooses the third hashtag. Requires that hashtag. */
  @CtaPost({ nullable: true }) third_cta_post?: string | null;
  /** The fourth hashtag. Requires the third. */
  @Hashtag({ nullable: true }) fourth_cta?: string | null;
  /** Text posted when a user chooses the fourth hashtag. Requires that hashtag. */
  @CtaPost({ nullable: true }) fourth_cta_post?: string | null;
  /** Image shown after a user chooses a hashtag: 5:2, at least 800 pixels wide. Responses contain its URL. */
  @MediaKey({ nullable: true }) unlocked_image_media_key?: string | null;
  /** URL that the thank-you text links to, http or https. */
  @WebUrl({ nullable: true, example: 'https://example.com/thanks' }) thank_you_url?: string | null;
}

/** Fields of a new conversation card of either kind. */
class NewConversation extends ConversationChoices {
  /** The card's name, visible only to the account. */
  @Text({ visible: true, max: 80, example: 'Espresso or filter' }) name: string;
  /** The first hashtag, with or without `#`. */
  @Hashtag() first_cta: string;
  /** Text posted when a user chooses the first hashtag. */
  @CtaPost({ example: 'Espresso, please #espresso' }) first_cta_post: string;
  /** Thank-you text for users who chose a hashtag. */
  @ShortText({ example: 'Thanks for your taste' }) thank_you_text: string;
}

/** Fields of an update, all optional. */
class ConversationPatch extends ConversationChoices {
  /** The card's name, visible only to the account. */
  @Text({ visible: true, optional: true, max: 80, example: 'Espresso or filter' }) name?: string;
  /** The first hashtag, with or without `#`. */
  @Hashtag({ optional: true }) first_cta?: string;
  /** Text posted when a user chooses the first hashtag. */
  @CtaPost({ optional: true, example: 'Espresso, please #espresso' }) first_cta_post?: string;
  /** Thank-you text for users who chose a hashtag. */
  @ShortText({ optional: true, example: 'Thanks for your taste' }) thank_you_text?: string;
}

const EXAMPLE = {
  name: 'Espresso or filter',
  title: 'How do you like it?',
  first_cta: '#espresso',
  first_cta_post: 'Espresso, please #espresso',
  second_cta: '#filter',
  second_cta_post: 'Filter, please #filter',
  thank_you_text: 'Thanks for your taste',
};

@Example({ ...EXAMPLE, media_key: '{media_key_image}' })
export class CreateImageConversationCard extends NewConversation {
  /** Media key of an image in the media library: 1.91:1, at least 800 pixels wide. */
  @MediaKey() media_key: string;
}

@Example({ title: 'Which one today?' })
export class UpdateImageConversationCard extends ConversationPatch {
  /** Media key of an image in the media library: 1.91:1, at least 800 pixels wide. */
  @MediaKey({ optional: true }) media_key?: string;
}

@Example({ ...EXAMPLE, media_key: '{media_key_video}' })
export class CreateVideoConversationCard extends NewConversation {
  /** Media key of a video in the media library: 16:9. */
  @MediaKey() media_key: string;
  /** Media key of the poster, an image in the media library. Without it the poster is the video's first frame. */
  @MediaKey({ nullable: true }) poster_media_key?: string | null;
  /** Media key of a library video shown after a user chooses a hashtag. */
  @MediaKey({ nullable: true }) unlocked_video_media_key?: string | null;
}

@Example({ title: 'Which one today?' })
export class UpdateVideoConversationCard extends ConversationPatch {
  /** Media key of a video in the media library: 16:9. */
  @MediaKey({ optional: true }) media_key?: string;
  /** Media key of the poster, an image in the media library. Empty sets the video's first frame. */
  @MediaKey({ nullable: true }) poster_media_key?: string | null;
  /** Media key of a library video shown after a user chooses a hashtag. */
  @MediaKey({ nullable: true }) unlocked_video_media_key?: string | null;
}
