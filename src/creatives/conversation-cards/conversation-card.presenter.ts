import { ApiProperty } from '@nestjs/swagger';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import type { ConversationContent } from '../card-content/card-content.js';
import { presentImage, videoSize } from '../card-content/card-media.presenter.js';
import { CardFieldsView, presentCardFields, type CardWithMedia } from '../card-content/card.presenter.js';
import { MEDIA_KEY_VIEW, only } from '../card-content/component.presenter.js';
import { fieldsOf } from './conversation-card.rules.js';

/** What is shown only where it was set. */
const OPTIONAL = { type: String, required: false } as const;

/** What conversation cards of both kinds have. */
export class ConversationCardView extends CardFieldsView {
  /** Its id once more, under the name by which it is asked for. */
  @ApiProperty(DECIMAL_ID) @Unescaped() card_id: string;
  /** What the card asks. */
  @ApiProperty({ type: String, nullable: true }) title: string | null;
  /** The hashtag to choose, or the first of them. */
  @ApiProperty({ example: '#espresso' }) first_cta: string;
  /** What is posted when the first is chosen. */
  @ApiProperty() first_cta_post: string;
  /** The second hashtag to choose. */
  @ApiProperty(OPTIONAL) second_cta?: string;
  /** What is posted when the second is chosen. */
  @ApiProperty(OPTIONAL) second_cta_post?: string;
  /** The third hashtag to choose. */
  @ApiProperty(OPTIONAL) third_cta?: string;
  /** What is posted when the third is chosen. */
  @ApiProperty(OPTIONAL) third_cta_post?: string;
  /** The fourth hashtag to choose. */
  @ApiProperty(OPTIONAL) fourth_cta?: string;
  /** What is posted when the fourth is chosen. */
  @ApiProperty(OPTIONAL) fourth_cta_post?: string;
  /** What is said to whoever chose. */
  @ApiProperty() thank_you_text: string;
  /** Where the thanks lead. */
  @ApiProperty(OPTIONAL) thank_you_url?: string;
  /** The image or video that it shows. */
  @ApiProperty(MEDIA_KEY_VIEW) media_key: string;
  /** Where its file is. */
  @ApiProperty() media_url: string;
  /** Where the image is that is shown when something was chosen. */
  @ApiProperty(OPTIONAL) unlocked_image_url?: string;
}

/** A question under an image, answered by posting. */
export class ImageConversationCardView extends ConversationCardView {
  /** What kind of card it is. */
  @ApiProperty(only('IMAGE_CONVERSATION')) card_type: 'IMAGE_CONVERSATION';
  /** The width of the image in pixels. */
  @ApiProperty({ example: '1200' }) image_display_width: string;
  /** The height of the image in pixels. */
  @ApiProperty({ example: '628' }) image_display_height: string;
}

/** A question under a video, answered by posting. */
export class VideoConversationCardView extends ConversationCardView {
  /** What kind of card it is. */
  @ApiProperty(only('VIDEO_CONVERSATION')) card_type: 'VIDEO_CONVERSATION';
  /** The width of the video in its ratio to the height. */
  @ApiProperty({ example: '16' }) video_width: string;
  /** The height of the video in its ratio to the width. */
  @ApiProperty({ example: '9' }) video_height: string;
  /** The FULL promotable user of the account. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() video_owner_id: string | null;
  /** Where the image is that stands for the video until it plays: the first frame where no poster is set. */
  @ApiProperty({ type: String, nullable: true }) poster_media_url: string | null;
  /** The image of the library that does; the first frame where it is not set. */
  @ApiProperty({ ...MEDIA_KEY_VIEW, required: false }) poster_media_key?: string;
  /** The video that is shown when something was chosen. */
  @ApiProperty({ ...MEDIA_KEY_VIEW, required: false }) unlocked_video_media_key?: string;
  /** Where its file is. */
  @ApiProperty(OPTIONAL) unlocked_video_url?: string;
}

/** What was not given is not shown, the title excepted. */
function presentConversation({ card, media }: CardWithMedia) {
  const content = card.content as ConversationContent;
  const { title, first_cta, first_cta_post, thank_you_text, media_key, ...rest } = fieldsOf(content);
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
