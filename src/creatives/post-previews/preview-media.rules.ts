import type { Row } from '../../common/db/query/rows.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { posterKeyOf } from '../media-files/media-key.js';
import type { Media } from '../entities/media.entity.js';

/** A media item as the preview page shows it. */
export type PreviewMedia =
  | {
      kind: 'image' | 'gif' | 'video';
      url: string;
      /** Image shown before a video plays. */
      poster?: string;
      contentType: string;
      width: number;
      height: number;
      /** Alternative text. */
      alt: string;
      /** The subtitles of a video, by language. */
      subtitles?: { language: string; label: string; url: string }[];
    }
  /** A media item that is deleted, expired or nonexistent. */
  | { kind: 'gone'; alt: string };

/** Looks up a media item and the URL of its file. */
export type ShowMedia = (mediaKey: string, posterKey?: string | null) => PreviewMedia;

const WORDS = { IMAGE: 'Image', GIF: 'Animated GIF', VIDEO: 'Video' } as const;
const KINDS = { IMAGE: 'image', GIF: 'gif', VIDEO: 'video' } as const;

type InLibrary = Pick<
  Row<LibraryMedia>,
  'mediaType' | 'contentType' | 'file' | 'posterFile' | 'width' | 'height' | 'title' | 'description' | 'name'
> & { altText?: string | null; subtitles?: { language: string; label: string; file: string }[] };

/** A media item from an upload or a library; `poster` is the file of the poster that a card sets for it. */
export function shownMedia(
  media: InLibrary | undefined,
  urlOf: (file: string) => string,
  poster?: string | null,
): PreviewMedia {
  if (!media) return { kind: 'gone', alt: 'Media that no longer exists' };
  const { mediaType, contentType, file, width, height } = media;
  const said = media.description || media.title || media.name;
  const posterFile = mediaType === 'VIDEO' ? (poster ?? media.posterFile) : null;
  return {
    kind: KINDS[mediaType],
    url: urlOf(file),
    ...(posterFile && { poster: urlOf(posterFile) }),
    contentType,
    width,
    height,
    ...(media.subtitles?.length && {
      subtitles: media.subtitles.map(({ language, label, file: track }) => ({ language, label, url: urlOf(track) })),
    }),
    alt: media.altText ?? (said ? `${WORDS[mediaType]}: ${said}` : WORDS[mediaType]),
  };
}

/** The upload or its first frame in the form of a library media item; undefined if it cannot be displayed. */
export function asInLibrary(media: Row<Media>, mediaKey: string): InLibrary | undefined {
  const { mediaType, contentType, file, width, height, posterFile, state } = media;
  if (state !== 'SUCCEEDED' || !mediaType || !contentType || !file || !width || !height) return undefined;
  if (mediaType === 'SUBTITLES') return undefined;
  const unnamed = { title: null, description: null, name: null, altText: media.altText };
  if (mediaType !== 'IMAGE' && mediaKey === posterKeyOf(media.id))
    return posterFile === null
      ? undefined
      : {
          mediaType: 'IMAGE',
          contentType: 'image/jpeg',
          file: posterFile,
          posterFile: null,
          width,
          height,
          ...unnamed,
        };
  return { mediaType, contentType, file, posterFile, width, height, ...unnamed };
}
