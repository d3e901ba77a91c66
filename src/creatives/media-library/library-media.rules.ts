import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { posterKeyOf } from '../media-files/media-key.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';

/** The texts of a medium that are looked in. */
export interface Texts {
  name: string | null;
  title: string | null;
  fileName: string | null;
  description: string | null;
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of a text, each once: runs of letters and digits, whatever their case, width or way of being written. */
export const wordsOf = (text: string): string[] => [
  ...new Set(text.normalize('NFKC').toLowerCase().match(WORDS) ?? []),
];

/** The words of an account's medium as the index has them: behind the account's id, so that it finds those of one account. */
export const termsOf = (accountId: string, { name, title, fileName, description }: Texts): string[] => {
  const text = [name, title, fileName, description].filter((each) => each !== null).join(' ');
  return wordsOf(text).map((word) => `${accountId} ${word}`);
};

/** What is asked of the index for a `q`: all of its words; undefined where it has none, and finds nothing. */
export function termsAsked(accountId: string, q: string): string[] | undefined {
  const words = wordsOf(q);
  return words.length > 0 ? words.map((word) => `${accountId} ${word}`) : undefined;
}

/** Only videos have these. */
const OF_VIDEOS = ['description', 'poster_media_key', 'title'] as const;
type OfVideos = Partial<Record<(typeof OF_VIDEOS)[number], string | null>>;

/** Of a medium, what its title, description and poster depend on. */
export type Described = Pick<
  Row<LibraryMedia>,
  'mediaId' | 'mediaKey' | 'mediaType' | 'title' | 'description' | 'posterMediaKey'
>;

/** What is wrong with the parameters of a medium that is no video. Unsetting them, or what a GIF shows of them, is not. */
export function videoOnlyFaults(media: Described, params: OfVideos): ApiError[] {
  const { mediaType, mediaKey } = media;
  if (mediaType === 'VIDEO') return [];
  const poster = [media.posterMediaKey, posterKeyOf(media.mediaId)];
  const shown =
    mediaType === 'GIF' ? { description: [media.description], poster_media_key: poster, title: [media.title] } : {};
  return OF_VIDEOS.filter((name) => params[name] && !shown[name]?.includes(params[name])).map((name) =>
    invalid(name, `${name} is for videos, and Media ${mediaKey} is of type ${mediaType}`, { value: params[name] }),
  );
}

/** How wide something is for its height, in the smallest numbers: "16:9". */
export function aspectRatioOf(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height);
  return `${width / common}:${height / common}`;
}
