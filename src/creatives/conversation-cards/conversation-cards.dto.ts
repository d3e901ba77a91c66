import { Example } from '../../common/http/params/example.js';
import { expecting, Field, Ids, text, Text, type FieldRules, type Kind } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Card } from '../entities/card.entity.js';
import { MediaKey } from '../media-files/media-key.field.js';
import { WebUrl } from '../web-url.js';

/** 20 characters at most, its `#` not counted. */
const MAX_HASHTAG_LENGTH = 20;
const HASHTAG = /^[\p{L}\p{M}\p{N}_]+$/u;

const trimmedText = text({ min: 1, max: 1_000, trimmed: true });
const lengthOf = (tag: string) => [...tag.replace(/^#/, '')].length;
const isHashtag = (bare: string) => HASHTAG.test(bare) && lengthOf(bare) <= MAX_HASHTAG_LENGTH;

const shortText = expecting(
  trimmedText,
  `a hashtag of at most ${MAX_HASHTAG_LENGTH} characters`,
  (tag) => lengthOf(tag) <= MAX_HASHTAG_LENGTH,
  { details: (given) => `${lengthOf((given as string).trim())} characters` },
);

/** A hashtag, with or without its `#`; kept with it. */
const hashtag: Kind = {
  ...expecting(shortText, 'a hashtag', (tag) => isHashtag(tag.slice(1)), {
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

/** What a post can say. */
const CtaPost = (rules: FieldRules = {}) => Text({ ...rules, max: 280 });
const ShortText = (rules: FieldRules = {}) => Text({ ...rules, max: 23 });

export class ListConversationCards extends ListQuery(Card) {
  /** Only the cards with these ids. */
  @Ids({ decimal: true, optional: true }) card_ids?: string[];
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
}

/** What may be left out, and is unset by an empty value. */
class ConversationChoices {
  /** What the card asks; required unless there is a second hashtag. */
  @ShortText({ nullable: true, example: 'How do you like it?' }) title?: string | null;
  /** The second hashtag to choose; required unless there is a title. */
  @Hashtag({ nullable: true }) second_cta?: string | null;
  /** What is posted when the second is chosen, which needs it. */
  @CtaPost({ nullable: true, example: 'Filter, please #filter' }) second_cta_post?: string | null;
  /** The third hashtag to choose; only with a second. */
  @Hashtag({ nullable: true }) third_cta?: string | null;
  /** What is posted when the third is chosen, which needs it. */
  @CtaPost({ nullable: true }) third_cta_post?: string | null;
  /** The fourth hashtag to choose; only with a third. */
  @Hashtag({ nullable: true }) fourth_cta?: string | null;
  /** What is posted when the fourth is chosen, which needs it. */
  @CtaPost({ nullable: true }) fourth_cta_post?: string | null;
  /** An image that is shown when something was chosen: 5:2, at least 800 pixels wide. Answers show its URL. */
  @MediaKey({ nullable: true }) unlocked_image_media_key?: string | null;
  /** Where the thanks lead: http or https. */
  @WebUrl({ nullable: true, example: 'https://example.com/thanks' }) thank_you_url?: string | null;
}

/** What a new card of either kind needs. */
class NewConversation extends ConversationChoices {
  /** What the card is called; only the account sees it. */
  @Text({ visible: true, max: 80, example: 'Espresso or filter' }) name: string;
  /** The hashtag to choose, or the first of them, with its `#` or without. */
  @Hashtag() first_cta: string;
  /** What is posted when the first is chosen. */
  @CtaPost({ example: 'Espresso, please #espresso' }) first_cta_post: string;
  /** What is said to whoever chose. */
  @ShortText({ example: 'Thanks for your taste' }) thank_you_text: string;
}

/** The same, where all may be left out. */
class ConversationPatch extends ConversationChoices {
  /** What the card is called; only the account sees it. */
  @Text({ visible: true, optional: true, max: 80, example: 'Espresso or filter' }) name?: string;
  /** The hashtag to choose, or the first of them, with its `#` or without. */
  @Hashtag({ optional: true }) first_cta?: string;
  /** What is posted when the first is chosen. */
  @CtaPost({ optional: true, example: 'Espresso, please #espresso' }) first_cta_post?: string;
  /** What is said to whoever chose. */
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
  /** The image, which is in the media library: 1.91:1, at least 800 pixels wide. */
  @MediaKey() media_key: string;
}

@Example({ title: 'Which one today?' })
export class UpdateImageConversationCard extends ConversationPatch {
  /** The image, which is in the media library: 1.91:1, at least 800 pixels wide. */
  @MediaKey({ optional: true }) media_key?: string;
}

@Example({ ...EXAMPLE, media_key: '{media_key_video}' })
export class CreateVideoConversationCard extends NewConversation {
  /** The video, which is in the media library: 16:9. */
  @MediaKey() media_key: string;
  /** An image of the media library that stands for the video until it plays; the first frame unless given. */
  @MediaKey({ nullable: true }) poster_media_key?: string | null;
  /** A video of the media library that is shown when something was chosen. */
  @MediaKey({ nullable: true }) unlocked_video_media_key?: string | null;
}

@Example({ title: 'Which one today?' })
export class UpdateVideoConversationCard extends ConversationPatch {
  /** The video, which is in the media library: 16:9. */
  @MediaKey({ optional: true }) media_key?: string;
  /** An image of the media library that stands for the video until it plays; empty for the first frame. */
  @MediaKey({ nullable: true }) poster_media_key?: string | null;
  /** A video of the media library that is shown when something was chosen. */
  @MediaKey({ nullable: true }) unlocked_video_media_key?: string | null;
}
