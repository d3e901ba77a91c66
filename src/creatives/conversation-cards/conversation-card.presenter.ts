import { ApiProperty } from '@nestjs/swagger';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import type { ConversationContent } from '../card-content/card-content.js';
import { CardFieldsView, presentCardFields, type CardWithMedia } from '../card-content/card.presenter.js';
import { MEDIA_KEY_VIEW, only, presentImage, videoSize } from '../card-content/component.presenter.js';
import { conversationFieldsOf } from './conversation-card.rules.js';

/** A field that is present only if it is set. */
const OPTIONAL = { type: String, required: false } as const;

/** Fields of conversation cards of both kinds. */
class ConversationCardView extends CardFieldsView {
  /** The card's id, repeated under the name of the path parameter. */
  @ApiProperty(DECIMAL_ID) @Unescaped() card_id: string;
  /** Title: the question that the card asks. */
  @ApiProperty({ type: String, nullable: true }) title: string | null;
  /** The first hashtag. */
  @ApiProperty({ example: '#espresso' }) first_cta: string;
  /** Text posted when a user chooses the first hashtag. */
  @ApiProperty() first_cta_post: string;
  /** The second hashtag. */
  @ApiProperty(OPTIONAL) second_cta?: string;
  /** Text posted when a user chooses the second hashtag. */
  @ApiProperty(OPTIONAL) second_cta_post?: string;
  /** The third hashtag. */
  @ApiProperty(OPTIONAL) third_cta?: string;
  /** Text posted when a user chooses the third hashtag. */
  @ApiProperty(OPTIONAL) third_cta_post?: string;
  /** The fourth hashtag. */
  @ApiProperty(OPTIONAL) fourth_cta?: string;
  /** Text posted when a user chooses the fourth hashtag. */
  @ApiProperty(OPTIONAL) fourth_cta_post?: string;
  /** Thank-you text for users who chose a hashtag. */
  @ApiProperty() thank_you_text: string;
  /** URL that the thank-you text links to. */
  @ApiProperty(OPTIONAL) thank_you_url?: string;
  /** Media key of the card's image or video. */
  @ApiProperty(MEDIA_KEY_VIEW) media_key: string;
  /** URL of the media file. */
  @ApiProperty() media_url: string;
  /** URL of the image shown after a user chooses a hashtag. */
  @ApiProperty(OPTIONAL) unlocked_image_url?: string;
}

/** A card with a question under an image, answered by posting a hashtag. */
export class ImageConversationCardView extends ConversationCardView {
  /** Card type. */
  @ApiProperty(only('IMAGE_CONVERSATION')) card_type: 'IMAGE_CONVERSATION';
  /** Width of the image in pixels. */
  @ApiProperty({ example: '1200' }) image_display_width: string;
  /** Height of the image in pixels. */
  @ApiProperty({ example: '628' }) image_display_height: string;
}

/** A card with a question under a video, answered by posting a hashtag. */
export class VideoConversationCardView extends ConversationCardView {
  /** Card type. */
  @ApiProperty(only('VIDEO_CONVERSATION')) card_type: 'VIDEO_CONVERSATION';
  /** Width part of the video's aspect ratio. */
  @ApiProperty({ example: '16' }) video_width: string;
  /** Height part of the video's aspect ratio. */
  @ApiProperty({ example: '9' }) video_height: string;
  /** User id of the account's FULL promotable user. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() video_owner_id: string | null;
  /** URL of the poster image shown before the video plays; the first frame if no poster is set. */
  @ApiProperty({ type: String, nullable: true }) poster_media_url: string | null;
  /** Media key of the poster, an image of the library. Without it the poster is the first frame. */
  @ApiProperty({ ...MEDIA_KEY_VIEW, required: false }) poster_media_key?: string;
  /** Media key of the video shown after a user chooses a hashtag. */
  @ApiProperty({ ...MEDIA_KEY_VIEW, required: false }) unlocked_video_media_key?: string;
  /** URL of that video's file. */
  @ApiProperty(OPTIONAL) unlocked_video_url?: string;
}

/** Omits fields that are not set, except the title. */
function presentConversation({ card, media }: CardWithMedia) {
  const content = card.content as ConversationContent;
  const { title, first_cta, first_cta_post, thank_you_text, media_key, ...rest } = conversationFieldsOf(content);
  const { poster_media_key, unlocked_image_media_key, unlocked_video_media_key, ...optional } = rest;
  const set = Object.entries(optional).filter(([, value]) => value !== null && value !== undefined);
  return presentCardFields(card, {
    card_id: card.id,
    title: title ?? null,
    first_cta: first_cta!,
    first_cta_post: first_cta_post!,
    thank_you_text: thank_you_text!,
    media_key: media_key!,
    ...(Object.fromEntries(set) as Partial<Record<keyof typeof optional, string>>),
    ...(unlocked_image_media_key && { unlocked_image_url: media.get(unlocked_image_media_key)!.url }),
  });
}

export function presentImageConversationCard(seen: CardWithMedia): ImageConversationCardView {
  const image = seen.media.get((seen.card.content as ConversationContent).media_key)!;
  const view = presentConversation(seen);
  return Object.assign(view, { card_type: 'IMAGE_CONVERSATION' as const }, presentImage(image));
}

export function presentVideoConversationCard(seen: CardWithMedia): VideoConversationCardView {
  const { media, ownerId } = seen;
  const content = seen.card.content as ConversationContent;
  const { media_key, poster_media_key: poster, unlocked_video_media_key: unlocked } = content;
  const video = media.get(media_key)!;
  return Object.assign(presentConversation(seen), {
    card_type: 'VIDEO_CONVERSATION' as const,
    ...videoSize(video),
    media_url: video.url,
    video_owner_id: ownerId,
    poster_media_url: poster === null ? video.firstFrameUrl : media.get(poster)!.url,
    ...(poster !== null && { poster_media_key: poster }),
    ...(unlocked !== null && { unlocked_video_media_key: unlocked, unlocked_video_url: media.get(unlocked)!.url }),
  });
}
