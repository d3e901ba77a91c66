import type { BlobStore } from '../../common/blobs/blob-store.js';
import type { MediaCategory, MediaType, UploadPurpose } from '../entities/media.entity.js';

const PREFIXES: Record<MediaCategory, number> = { POST_IMAGE: 3, POST_VIDEO: 7, AMPLIFY_VIDEO: 13, POST_GIF: 16 };

/** Format of a media key: the prefix of the category, and the media's id. */
export const MEDIA_KEY = { pattern: /^(3|7|13|16)_[0-9]+$/, what: 'a media key such as 3_1234567890123456' };

/** Returns the key that libraries, cards and posts use for a media item. */
export const mediaKeyOf = (category: MediaCategory, mediaId: string): string => `${PREFIXES[category]}_${mediaId}`;

/** Returns the key of an upload; undefined for subtitles and without a category, which no library takes. */
export const uploadKeyOf = ({ category, id }: { category: UploadPurpose | null; id: string }): string | undefined =>
  category === null || category === 'SUBTITLES' ? undefined : mediaKeyOf(category, id);

/** Returns the key of the first frame of a video or GIF, which is an image. */
export const posterKeyOf = (mediaId: string): string => mediaKeyOf('POST_IMAGE', mediaId);

/** Returns the media type that a key implies. */
export function mediaTypeOf(mediaKey: string): MediaType {
  const prefix = Number(mediaKey.slice(0, mediaKey.indexOf('_')));
  if (prefix === PREFIXES.POST_GIF) return 'GIF';
  return prefix === PREFIXES.POST_IMAGE ? 'IMAGE' : 'VIDEO';
}

/** Returns the media's id from its key. */
export const mediaIdOf = (mediaKey: string): string => mediaKey.slice(mediaKey.indexOf('_') + 1);

/** Returns the name under which browsers get subtitles: WebVTT, whichever format the file has. */
export const trackFileOf = (file: string): string => file.replace(/\.srt$/, '.vtt');

/** Returns the blob store key of a media file. */
export const blobKeyOf = (file: string): string => `media/${file}`;

/** Deletes the file of an upload and its poster, as far as there are any. */
export async function deleteFiles(
  store: BlobStore,
  { file, posterFile }: { file: string | null; posterFile: string | null },
): Promise<void> {
  for (const each of [file, posterFile]) if (each) await store.delete(blobKeyOf(each));
}
