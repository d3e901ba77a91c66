import { ApiProperty } from '@nestjs/swagger';
import { closedSet } from '../../common/values/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID } from '../../common/http/answers/responses.js';
import { uploadKeyOf } from '../media-files/media-key.js';
import { AltText, DownloadStatus } from './media-uploads.dto.js';
import { SubtitlesView, presentSubtitles } from './media-subtitles.presenter.js';
import type { Media, MediaState, MediaSubtitles } from '../entities/media.entity.js';

const PROCESSING_STATES = closedSet('ProcessingState', ['failed', 'in_progress', 'pending', 'succeeded']);
type ProcessingState = (typeof PROCESSING_STATES)[number];

class UploadedImageView {
  /** Detected media type. */
  @ApiProperty({ type: String, example: 'image/jpeg' }) image_type: string;
  /** Width in pixels. */
  @ApiProperty({ type: 'integer', example: 1_200 }) w: number;
  /** Height in pixels. */
  @ApiProperty({ type: 'integer', example: 628 }) h: number;
}

class UploadedVideoView {
  /** Detected media type. */
  @ApiProperty({ type: String, example: 'video/mp4' }) video_type: string;
}

class ProcessingErrorView {
  /** Always 1. */
  @ApiProperty({ type: 'integer', example: 1 }) code: number;
  /** Error name, always InvalidMedia. */
  @ApiProperty({ type: String, example: 'InvalidMedia' }) name: string;
  /** Reason why the file is invalid. */
  @ApiProperty({ type: String, example: 'media is a video that has no video track' }) message: string;
}

class ProcessingInfoView {
  /** Processing state of the file. */
  @ApiProperty(enumSchema(PROCESSING_STATES)) state: ProcessingState;
  /** Seconds to wait before the next status request. */
  @ApiProperty({ type: 'integer', required: false, example: 1 }) check_after_secs?: number;
  /** Progress in percent. */
  @ApiProperty({ type: 'integer', required: false, example: 40 }) progress_percent?: number;
  /** Reason why the service rejected the file. */
  @ApiProperty({ type: ProcessingErrorView, required: false }) error?: ProcessingErrorView;
}

/** What both forms of an upload show. */
class UploadView {
  /** Key that media libraries, cards and posts use to reference the media. Present only with a `media_category`. */
  @ApiProperty({ type: String, required: false, example: '3_1790000000000001' }) media_key?: string;
  /** Size in bytes. */
  @ApiProperty({ type: 'integer', format: 'int64', required: false, example: 183_529 }) size?: number;
  /** Seconds until the upload expires unless it is used. Absent once it is used. */
  @ApiProperty({ type: 'integer', required: false, example: 86_400 }) expires_after_secs?: number;
  /** Properties of an image. */
  @ApiProperty({ type: UploadedImageView, required: false }) image?: UploadedImageView;
  /** Properties of a video. */
  @ApiProperty({ type: UploadedVideoView, required: false }) video?: UploadedVideoView;
  /** Processing status of a segmented upload that is not an image. */
  @ApiProperty({ type: ProcessingInfoView, required: false }) processing_info?: ProcessingInfoView;
  /** Subtitles of a video by language; absent without any. */
  @ApiProperty({ type: [SubtitlesView], required: false }) associated_subtitles?: SubtitlesView[];
}

/** An upload at `/1.1/media/upload`. */
export class MediaUploadView extends UploadView {
  /** Upload id, as a number. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1790000000000001 }) media_id: number;
  /** Upload id, as a string. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000001' }) media_id_string: string;
}

/** An upload at `/2/media/upload`. */
export class MediaUploadV2View extends UploadView {
  /** Upload id. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000001' }) id: string;
}

/** What the uploader has said of a file. */
class AssociatedMetadataView {
  /** The alternative text. */
  @ApiProperty({ type: AltText, required: false }) alt_text?: AltText;
  /** Whether people may download the file. */
  @ApiProperty({ type: DownloadStatus, required: false }) allow_download_status?: DownloadStatus;
}

/** An upload with what the uploader has said of it. */
export class DescribedMediaView {
  /** Upload id. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000001' }) id: string;
  /** All that the uploader has said. */
  @ApiProperty({ type: AssociatedMetadataView }) associated_metadata: AssociatedMetadataView;
}

/** The answer to a segment. */
export class AppendedSegmentView {
  /** When the upload expires unless it is used, in seconds since the epoch. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1_798_000_000 }) expires_at: number;
}

const named = ({ id, category }: Row<Media>): MediaUploadView => ({
  media_id: Number(id),
  media_id_string: id,
  media_key: uploadKeyOf({ category, id }),
});

/** Presents an upload after INIT. One that is used does not expire. */
export const presentBegun = (media: Row<Media>, now: Date): MediaUploadView => ({
  ...named(media),
  ...(media.expiresAt !== null && { expires_after_secs: secondsUntil(media.expiresAt, now) }),
});

const secondsUntil = (time: string, now: Date): number =>
  Math.max(0, Math.ceil((Date.parse(time) - now.getTime()) / 1_000));

/** Presents a file uploaded in one request. A failed upload has no bytes. */
export const presentUploaded = (media: Row<Media>, now: Date): MediaUploadView =>
  media.state === 'FAILED'
    ? presentBegun(media, now)
    : Object.assign(presentBegun(media, now), { size: media.size }, foundIn(media));

/** Presents a segmented upload after FINALIZE. */
export const presentFinished = (
  media: Row<Media>,
  now: Date,
  subtitles: Row<MediaSubtitles>[] = [],
): MediaUploadView => {
  const view = presentUploaded(media, now);
  if (subtitles.length > 0) view.associated_subtitles = subtitles.map(presentSubtitles);
  return media.mediaType === 'IMAGE' && media.state === 'SUCCEEDED'
    ? view
    : { ...view, processing_info: processingOf(media) };
};

/** What `/1.1` presents, as `/2` names it. */
export const inV2 = ({ media_id: _number, media_id_string: id, ...rest }: MediaUploadView): MediaUploadV2View => ({
  id,
  ...rest,
});

/** Presents what the uploader has said of an upload. */
export const presentDescribed = ({ id, altText, allowsDownload }: Row<Media>): DescribedMediaView => ({
  id,
  associated_metadata: {
    ...(altText !== null && { alt_text: { text: altText } }),
    ...(allowsDownload !== null && { allow_download_status: { allow_download: allowsDownload } }),
  },
});

/** Presents the upload that a segment belongs to. */
export const presentAppended = ({ expiresAt }: Row<Media>): AppendedSegmentView => ({
  expires_at: Math.floor(Date.parse(expiresAt!) / 1_000),
});

function foundIn({
  state,
  mediaType,
  contentType,
  width,
  height,
}: Row<Media>): Pick<MediaUploadView, 'image' | 'video'> {
  if (state !== 'SUCCEEDED') return {};
  if (mediaType === 'SUBTITLES') return {};
  if (mediaType === 'VIDEO') return { video: { video_type: contentType! } };
  return { image: { image_type: contentType!, w: width!, h: height! } };
}

const STATES: Record<MediaState, ProcessingState> = {
  ARRIVING: 'pending',
  PENDING: 'pending',
  IN_PROGRESS: 'in_progress',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
};
const PERCENT: Record<ProcessingState, number> = { pending: 0, in_progress: 50, succeeded: 100, failed: 100 };

function processingOf({ state: stored, failure }: Row<Media>): ProcessingInfoView {
  const state = STATES[stored];
  const isOver = state === 'succeeded' || state === 'failed';
  return {
    state,
    ...(!isOver && { check_after_secs: 1 }),
    progress_percent: PERCENT[state],
    ...(state === 'failed' && { error: { code: 1, name: 'InvalidMedia', message: failure ?? '' } }),
  };
}
