import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { MediaType } from '../media-upload/media.entity.js';

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

/** Part 2, 4.7: only what moves has these. The prose says videos, examples show a GIF with them. */
const OF_MOVING = ['description', 'poster_media_key', 'title'] as const;
type OfMoving = Partial<Record<(typeof OF_MOVING)[number], string | null>>;

/** What is wrong with the parameters of a medium of this type; empty ones say nothing. */
export const strayFaults = (mediaType: MediaType, params: OfMoving): ApiError[] =>
  mediaType !== 'IMAGE'
    ? []
    : OF_MOVING.filter((name) => params[name]).map((name) =>
        invalid(name, `setting ${name} is not allowed`, {
          value: params[name],
          details: 'only videos and GIFs have one',
        }),
      );

/** How wide something is for its height, in the smallest numbers: "16:9". */
export function aspectRatioOf(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height);
  return `${width / common}:${height / common}`;
}
