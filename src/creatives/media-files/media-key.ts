import type { MediaCategory, MediaType } from '../entities/media.entity.js';

const PREFIXES: Record<MediaCategory, number> = { POST_IMAGE: 3, POST_VIDEO: 7, AMPLIFY_VIDEO: 13, POST_GIF: 16 };

/** What a media key looks like: the number of its category, and the id of the medium. */
export const MEDIA_KEY = { pattern: /^(3|7|13|16)_[0-9]+$/, what: 'a media key such as 3_1234567890123456' };

/** The key under which libraries, cards and posts know a medium. */
export const mediaKeyOf = (category: MediaCategory, mediaId: string): string => `${PREFIXES[category]}_${mediaId}`;

/** The key of the first frame of a video or GIF, which is an image. */
export const posterKeyOf = (mediaId: string): string => mediaKeyOf('POST_IMAGE', mediaId);

/** What a key says that it names. */
export function mediaTypeOf(mediaKey: string): MediaType {
  const prefix = Number(mediaKey.slice(0, mediaKey.indexOf('_')));
  if (prefix === PREFIXES.POST_GIF) return 'GIF';
  return prefix === PREFIXES.POST_IMAGE ? 'IMAGE' : 'VIDEO';
}

/** The id of the medium that a key names. */
export const mediaIdOf = (mediaKey: string): string => mediaKey.slice(mediaKey.indexOf('_') + 1);

/** The key under which the store keeps a file of media. */
export const blobKeyOf = (file: string): string => `media/${file}`;
