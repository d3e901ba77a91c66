import { ValidateBy } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';

/** Details of a constraint for its error: the `context` of class-validator. See refusals.ts. */
export interface ConstraintContext {
  /** The expected value, in words. */
  what?: string;
  details?: string | ((given: unknown) => string | undefined);
  hint?: (given: unknown, place: string) => string | undefined;
  /** The minimum and maximum of a value. */
  between?: readonly [min: number, max: number];
  /** The allowed values that the error lists. */
  offered?: readonly string[];
  /** For a list whose elements have a place of their own: every invalid element is reported. */
  hasPlaces?: boolean;
  /** Creates a custom error. */
  error?: (given: unknown, place: string, value: unknown) => ApiError | ApiError[];
}

/** Creates a decorator of a constraint, optionally for each element of a list. */
const constraint = (name: string, each: boolean, validate: (value: unknown) => boolean, args: unknown[] = []) =>
  ValidateBy({ name, constraints: args, validator: { validate } }, { each });

/** A check without a constraint in class-validator. The error has only `what` was expected, in words. */
export const Expect = (
  what: string,
  isExpected: (value: unknown) => boolean,
  said: ConstraintContext = {},
  each = false,
) => ValidateBy({ name: what, validator: { validate: isExpected } }, { each, context: { what, ...said } });

/** Longer texts are not matched with a pattern before their length is checked. */
const MAX_PLAIN_LENGTH = 10_000;

/** Length in code points, as the store counts. */
export function codePointLength(text: string): number {
  if (text.length <= MAX_PLAIN_LENGTH && /^[\x20-\x7e]*$/.test(text)) return text.length;
  let length = text.length;
  // stored text has no unpaired surrogates, so each high surrogate means one code point less
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) length--;
  return length;
}

/** Length in code points. `Length` of class-validator omits variation selectors, which the store counts. */
export const CodePoints = (min: number, max: number, each = false) =>
  constraint(
    'codePoints',
    each,
    (value) => {
      if (typeof value !== 'string') return false;
      const length = codePointLength(value);
      return length >= min && length <= max;
    },
    [min, max],
  );

/** Without characters that the store cannot keep: NUL, and unpaired surrogates. */
export const IsStorable = (each = false) =>
  constraint('isStorable', each, (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed());

/** White space, control and format characters, fillers and the empty Braille pattern are invisible. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Has at least one visible character. */
export const IsVisible = () =>
  constraint('isVisible', false, (value) => typeof value === 'string' && VISIBLE.test(value));

/** No element of a list is empty. */
export const NoEmptyElement = () => constraint('noEmptyElement', true, (value) => value !== '');
