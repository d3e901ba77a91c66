import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Media } from '../entities/media.entity.js';
import { uploadKeyOf } from '../media-files/media-key.js';
import type { MediaUrls } from '../media-files/media-urls.js';
import type { MediaField } from './media-lookup.dto.js';

/** Uploads by the words of X API v2. */
const TYPES = { IMAGE: 'photo', GIF: 'animated_gif', VIDEO: 'video' } as const;
const MEDIA_KINDS = closedSet('MediaKind', Object.values(TYPES).sort());
type MediaKind = (typeof MEDIA_KINDS)[number];

class MediaVariantView {
  /** Bits a second of a video; 0 for a GIF. */
  @ApiProperty({ type: 'integer', example: 2_176_000 }) bit_rate: number;
  /** Media type of the file. */
  @ApiProperty({ type: String, example: 'video/mp4' }) content_type: string;
  /** URL of the file. */
  @ApiProperty({ type: String, format: 'uri', example: 'https://ads.example.com/media/0123456789abcdef.mp4' })
  url: string;
}

/** An uploaded file. */
export class FoundMediaView {
  /** Key that media libraries, cards and posts use to reference the media. */
  @ApiProperty({ type: String, example: '3_1790000000000001' }) media_key: string;
  /** What it is. */
  @ApiProperty(enumSchema(MEDIA_KINDS)) type: MediaKind;
  /** What it shows, in words of the uploader; absent without any. */
  @ApiProperty({ type: String, required: false }) alt_text?: string;
  /** Duration of a video in milliseconds. */
  @ApiProperty({ type: 'integer', required: false, example: 46_947 }) duration_ms?: number;
  /** Height in pixels. */
  @ApiProperty({ type: 'integer', required: false, example: 628 }) height?: number;
  /** Width in pixels. */
  @ApiProperty({ type: 'integer', required: false, example: 1_200 }) width?: number;
  /** URL of the first frame of a video or GIF. */
  @ApiProperty({ type: String, format: 'uri', required: false }) preview_image_url?: string;
  /** URL of an image. */
  @ApiProperty({ type: String, format: 'uri', required: false }) url?: string;
  /** The file of a video or GIF. */
  @ApiProperty({ type: [MediaVariantView], required: false }) variants?: MediaVariantView[];
}

const bitRateOf = ({ size, duration }: Row<Media>): number => (duration ? Math.round((size * 8_000) / duration) : 0);

/** Presents the wanted fields of uploads that are processed. */
export const presentFoundMedia =
  (urls: MediaUrls, fields: readonly MediaField[] = []) =>
  (media: Row<Media>): FoundMediaView => {
    const { altText, duration, width, height, file, posterFile, contentType } = media;
    const type = TYPES[media.mediaType as keyof typeof TYPES];
    const url = urls.of(file!);
    const all: Partial<FoundMediaView> = {
      height: height!,
      width: width!,
      ...(altText !== null && { alt_text: altText }),
      ...(type === 'video' && { duration_ms: duration! }),
      ...(type === 'photo'
        ? { url }
        : {
            preview_image_url: urls.of(posterFile!),
            variants: [{ bit_rate: bitRateOf(media), content_type: contentType!, url }],
          }),
    };
    const wanted = Object.entries(all).filter(([name]) => fields.includes(name as MediaField));
    return { media_key: uploadKeyOf(media)!, type, ...Object.fromEntries(wanted) };
  };
