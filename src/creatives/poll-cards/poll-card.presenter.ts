import { ApiProperty } from '@nestjs/swagger';
import { closedSet } from '../../common/values/closed-set.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { PollContent } from '../card-content/card-content.js';
import { CardFieldsView, presentCardFields, type CardWithMedia } from '../card-content/card.presenter.js';
import { presentImage, videoSize, type CardMedia } from '../card-content/component.presenter.js';

const POLL_CARD_TYPES = closedSet('PollCardType', ['TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS']);
type PollCardType = (typeof POLL_CARD_TYPES)[number];

const OPTIONAL = { type: String, required: false } as const;

/** A poll with two to four choices. */
export class PollCardView extends CardFieldsView {
  /** The card's id, repeated under the name of the path parameter. */
  @ApiProperty(DECIMAL_ID) @Unescaped() card_id: string;
  /** Card type: with an image, with a video, or with text only. */
  @ApiProperty(enumSchema(POLL_CARD_TYPES)) @Unescaped() card_type: PollCardType;
  /** Start time of the poll: the card's creation time. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** End time of the poll. */
  @ApiProperty(TIME) @Unescaped() end_time: string;
  /** Duration of the poll. */
  @ApiProperty({ example: '1440' }) duration_in_minutes: string;
  /** The first choice. */
  @ApiProperty() first_choice: string;
  /** The second choice. */
  @ApiProperty() second_choice: string;
  /** The third choice. */
  @ApiProperty(OPTIONAL) third_choice?: string;
  /** The fourth choice. */
  @ApiProperty(OPTIONAL) fourth_choice?: string;
  /** URL of the image, for a poll with an image. */
  @ApiProperty(OPTIONAL) media_url?: string;
  /** Width of the image in pixels. */
  @ApiProperty({ ...OPTIONAL, example: '1200' }) image_display_width?: string;
  /** Height of the image in pixels. */
  @ApiProperty({ ...OPTIONAL, example: '628' }) image_display_height?: string;
  /** URL of the video, for a poll with a video. */
  @ApiProperty(OPTIONAL) video_url?: string;
  /** URL of a playlist for adaptive streaming. The service does not create one. */
  @ApiProperty({ ...OPTIONAL, nullable: true }) video_hls_url?: string | null;
  /** Width part of the video's aspect ratio. */
  @ApiProperty({ ...OPTIONAL, example: '16' }) video_width?: string;
  /** Height part of the video's aspect ratio. */
  @ApiProperty({ ...OPTIONAL, example: '9' }) video_height?: string;
  /** Duration of the video. */
  @ApiProperty({ ...OPTIONAL, example: '10' }) content_duration_seconds?: string;
  /** URL of the poster image shown before the video plays. */
  @ApiProperty({ ...OPTIONAL, nullable: true }) video_poster_url?: string | null;
  /** Width part of the poster's aspect ratio. */
  @ApiProperty({ ...OPTIONAL, example: '16' }) video_poster_width?: string;
  /** Height part of the poster's aspect ratio. */
  @ApiProperty({ ...OPTIONAL, example: '9' }) video_poster_height?: string;
}

export function presentPollCard({ card, media }: CardWithMedia): PollCardView {
  const { choices, duration_in_minutes, media_key } = card.content as PollContent;
  const [first_choice, second_choice, third_choice, fourth_choice] = choices as [string, string, string?, string?];
  const shown = media_key === null ? undefined : media.get(media_key)!;
  return presentCardFields(card, {
    card_id: card.id,
    card_type: card.cardType as PollCardType,
    start_time: wireTime(card.createdAt),
    end_time: wireTime(card.endsAt!),
    duration_in_minutes: String(duration_in_minutes),
    first_choice,
    second_choice,
    ...(third_choice && { third_choice }),
    ...(fourth_choice && { fourth_choice }),
    ...(shown && (card.cardType === 'IMAGE_POLLS' ? presentImage(shown) : presentVideo(shown))),
  });
}

function presentVideo(shown: CardMedia) {
  const { video_width, video_height } = videoSize(shown);
  const { duration } = shown.medium;
  return {
    video_url: shown.url,
    video_hls_url: null,
    video_width,
    video_height,
    content_duration_seconds: String(Math.round((duration ?? 0) / 1000)),
    video_poster_url: shown.posterUrl,
    video_poster_width: video_width,
    video_poster_height: video_height,
  };
}
