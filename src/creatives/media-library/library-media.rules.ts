import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { invalidMedia, unknownMedia } from '../creatives.errors.js';
import { mediaKeyOf, posterKeyOf } from '../media-files/media-key.js';
import type { Media, MediaCategory, MediaType } from '../entities/media.entity.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import type { UpdateLibraryMedia } from './media-library.dto.js';

/** The searchable texts of a media item. */
export interface MediaTexts {
  name: string | null;
  title: string | null;
  fileName: string | null;
  description: string | null;
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** The distinct words of a text: runs of letters and digits, normalized in case, width and Unicode form. */
export const wordsOf = (text: string): string[] => [
  ...new Set(text.normalize('NFKC').toLowerCase().match(WORDS) ?? []),
];

/** Index terms of a media item, prefixed with the account id so that the index finds those of one account. */
export const mediaTermsOf = (accountId: string, { name, title, fileName, description }: MediaTexts): string[] => {
  const text = [name, title, fileName, description].filter((each) => each !== null).join(' ');
  return wordsOf(text).map((word) => `${accountId} ${word}`);
};

/** Index terms of a `q`, all of which must match; undefined if it has no words and matches nothing. */
export function searchTermsOf(accountId: string, q: string): string[] | undefined {
  const words = wordsOf(q);
  return words.length > 0 ? words.map((word) => `${accountId} ${word}`) : undefined;
}

/** Parameters for videos only. */
const OF_VIDEOS = ['description', 'poster_media_key', 'title'] as const;
type OfVideos = Partial<Record<(typeof OF_VIDEOS)[number], string | null>>;

/** Fields of a media item that determine its title, description and poster. */
export type DescribedMedia = Pick<
  Row<LibraryMedia>,
  'mediaId' | 'mediaKey' | 'mediaType' | 'title' | 'description' | 'posterMediaKey'
>;

/** Rejects video parameters for other media. Unsetting them, and the values that a GIF shows, are allowed. */
export function videoOnlyFaults(media: DescribedMedia, params: OfVideos): ApiError[] {
  const { mediaType, mediaKey } = media;
  if (mediaType === 'VIDEO') return [];
  const poster = [media.posterMediaKey, posterKeyOf(media.mediaId)];
  const shown =
    mediaType === 'GIF' ? { description: [media.description], poster_media_key: poster, title: [media.title] } : {};
  return OF_VIDEOS.filter((name) => params[name] && !shown[name]?.includes(params[name])).map((name) =>
    invalid(name, `${name} is for videos, and Media ${mediaKey} is of type ${mediaType}`, { value: params[name] }),
  );
}

/** Context of the library rules. */
export interface LibraryMediaContext {
  account: { id: string };
  /** The stored media, or a new one without any texts. */
  before: NewColumns<LibraryMedia>;
  /** The library media item with the requested poster key. */
  poster?: Row<LibraryMedia>;
  /** File of the media's first frame, if the request makes it the poster. */
  firstFrame?: string | null;
}

/** The poster change that a parameter requests. The media's own first frame also has a key. */
export function posterChange(
  { posterMediaKey, mediaId }: Pick<DescribedMedia, 'posterMediaKey' | 'mediaId'>,
  key: string | null | undefined,
): 'NONE' | 'FIRST_FRAME' | 'IMAGE' {
  if (key === undefined || key === posterMediaKey) return 'NONE';
  return key === null || key === posterKeyOf(mediaId) ? 'FIRST_FRAME' : 'IMAGE';
}

/** Validates the fields of a media item, as far as they are readable. */
export function problemsOfMedia(request: Parsed<UpdateLibraryMedia>, context: LibraryMediaContext): ApiError[] {
  const faults = videoOnlyFaults(context.before, {
    title: request.value('title'),
    description: request.value('description'),
    poster_media_key: request.value('poster_media_key'),
  });
  if (faults.some(({ detail }) => detail.parameter === 'poster_media_key')) return faults;
  return [...faults, ...posterProblems(request.value('poster_media_key'), context)];
}

function posterProblems(key: string | null | undefined, { account, before, poster }: LibraryMediaContext): ApiError[] {
  if (!key || posterChange(before, key) !== 'IMAGE') return [];
  if (!poster) return [unknownMedia('poster_media_key', key, account.id)];
  if (poster.mediaType === 'IMAGE') return [];
  return [invalidMedia('poster_media_key', `Expected an image for poster_media_key, got a ${poster.mediaType}`, key)];
}

/** Returns the columns that an update changes, including the search terms. */
export function patchOfMedia(
  params: UpdateLibraryMedia,
  { before, poster, firstFrame }: LibraryMediaContext,
): Partial<Row<LibraryMedia>> {
  const given = <V>(value: V | undefined, otherwise: V): V => (value === undefined ? otherwise : value);
  const texts = {
    name: given(params.name, before.name),
    title: given(params.title, before.title),
    fileName: given(params.file_name, before.fileName),
    description: given(params.description, before.description),
  };
  return {
    ...texts,
    terms: mediaTermsOf(before.accountId, texts),
    ...(poster && { posterMediaKey: poster.mediaKey, posterFile: poster.file }),
    ...(firstFrame !== undefined && { posterMediaKey: null, posterFile: firstFrame }),
  };
}

/** A new library media before any fields are set. */
export function newMedia(account: { id: string }, upload: Row<Media>): NewColumns<LibraryMedia> {
  const { id, file, contentType, size, width, height, duration, posterFile } = upload;
  // subtitles have no key
  const [category, mediaType] = [upload.category as MediaCategory, upload.mediaType as MediaType];
  return {
    accountId: account.id,
    mediaId: id,
    mediaKey: mediaKeyOf(category, id),
    mediaCategory: category,
    mediaType,
    name: null,
    fileName: null,
    title: null,
    description: null,
    terms: [],
    posterMediaKey: null,
    posterFile,
    posted: false,
    file: file!,
    contentType: contentType!,
    size,
    width: width!,
    height: height!,
    duration,
  };
}

/** The reduced aspect ratio, such as "16:9". */
export function aspectRatioOf(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height);
  return `${width / common}:${height / common}`;
}
