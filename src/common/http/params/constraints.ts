import { ValidateBy } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';

/** What the refusal of a constraint says beyond its name: the `context` of class-validator. See refusals.ts. */
export interface Said {
  /** What was expected, in words. */
  what?: string;
  details?: string | ((given: unknown) => string | undefined);
  hint?: (given: unknown, place: string) => string | undefined;
  /** The least and the most of a value. */
  between?: readonly [min: number, max: number];
  /** Which of the values that are taken are offered. */
  offered?: readonly string[];
  /** Of a list whose elements have places of their own: all that are refused are told. */
  hasPlaces?: boolean;
  /** Builds an error of its own. */
  error?: (given: unknown, place: string, value: unknown) => ApiError | ApiError[];
}

/** A decorator of a constraint, which may hold of each element of a list. */
const constraint = (name: string, each: boolean, validate: (value: unknown) => boolean, args: unknown[] = []) =>
  ValidateBy({ name, constraints: args, validator: { validate } }, { each });

/** A check that class-validator has no constraint for. Nothing but `what` was expected is told, in words. */
export const Expect = (what: string, isExpected: (value: unknown) => boolean, said: Said = {}, each = false) =>
  ValidateBy({ name: what, validator: { validate: isExpected } }, { each, context: { what, ...said } });

/** The longest text that is looked at with a pattern before it is known whether it is too long. */
const MAX_PLAIN_LENGTH = 10_000;

/** Length as a person counts it: code points, which is also what the store counts. */
export function lengthOf(text: string): number {
  if (text.length <= MAX_PLAIN_LENGTH && /^[\x20-\x7e]*$/.test(text)) return text.length;
  let length = text.length;
  // what is stored has no half pairs, so each first half stands for one code point less
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) length--;
  return length;
}

/** Of so many code points. `Length` of class-validator leaves out variation selectors, which the store counts. */
export const CodePoints = (min: number, max: number, each = false) =>
  constraint(
    'codePoints',
    each,
    (value) => {
      if (typeof value !== 'string') return false;
      const length = lengthOf(value);
      return length >= min && length <= max;
    },
    [min, max],
  );

/** Without characters that no store keeps: NUL, and halves of surrogate pairs. */
export const IsStorable = (each = false) =>
  constraint('isStorable', each, (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed());

/** White space, control and format characters, fillers and the empty pattern of Braille show nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Something of it can be seen. */
export const IsVisible = () =>
  constraint('isVisible', false, (value) => typeof value === 'string' && VISIBLE.test(value));

/** No element of a list is empty. */
export const NoEmptyElement = () => constraint('noEmptyElement', true, (value) => value !== '');
