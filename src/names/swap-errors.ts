import { swapJson } from './swap-json.js';
import { hasWords, swapCode, swapName, swapProse, swapText } from './swap.js';

/** An error as the bodies of all families have it. */
interface ErrorBody {
  code?: unknown;
  message?: string;
  parameter?: string;
  /** In problem bodies, instead of `parameter` and `value`. */
  parameters?: Record<string, unknown[]>;
  details?: string;
  hint?: string;
  value?: unknown;
}

/** The body of a response with errors. */
interface ErrorsBody {
  errors?: ErrorBody[];
  operation_errors?: ErrorBody[][];
  /** Of a problem: the message of its first error. */
  detail?: string;
  request?: unknown;
}

/** The hint that belongs to one of X's names, and to one of ours. */
export const TAKES_THEIR_NAMES = 'The header x-marquee-names: x makes this service take the names of X.';
const TAKES_OUR_NAMES = 'The header x-marquee-names: marquee makes this service take its own names.';

/** A hint in the other vocabulary. */
export const swapHint = (hint: string): string => swapProse(hint).replaceAll(TAKES_THEIR_NAMES, TAKES_OUR_NAMES);

/**
 * The body of a response with errors in the other vocabulary: codes, names, and the names that messages, details and hints
 * contain. Values that the client sent stay as they were sent.
 */
export function swapErrors(body: object): object {
  const { errors, operation_errors: ofOperations, detail, request } = body as ErrorsBody;
  const swapped = errors?.map(swapError);
  return {
    ...body,
    ...(detail !== undefined && { detail: swapped?.[0]?.message ?? detail }),
    ...(swapped && { errors: swapped }),
    ...(ofOperations && { operation_errors: ofOperations.map((own) => own.map(swapError)) }),
    ...(request !== undefined && { request: swapJson(request) }),
  };
}

/** An error of a body that could not be read has texts of the client, and no names. */
const UNREAD = 'body';

function swapError(error: ErrorBody): ErrorBody {
  const { code, message, parameter, parameters, details, hint, value } = error;
  const [place, given] = parameters ? (Object.entries(parameters)[0] ?? ['']) : [parameter ?? '', value];
  if (place === UNREAD) return error;
  const name = lastNameIn(place);
  return {
    ...error,
    ...(typeof code === 'string' && { code: swapCode(code) }),
    ...(message !== undefined && { message: swapMessage(message, name, given) }),
    ...(parameter !== undefined && { parameter: swapPlace(parameter) }),
    ...(parameters && {
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([each, values]) => [swapPlace(each), swapJson(values, lastNameIn(each)) as []]),
      ),
    }),
    ...(details !== undefined && { details: swapAround(details, name, given) }),
    ...(hint !== undefined && { hint: swapHint(hint) }),
    ...(value !== undefined && { value: swapJson(value, name) }),
  };
}

/** A place such as `params.users[0].platform_id`. */
const swapPlace = (place: string): string => place.replace(/\w+/g, swapName);
const lastNameIn = (place: string): string => /^\w*/.exec(place.slice(place.lastIndexOf('.') + 1))![0];

/**
 * Swaps the names in a text that may repeat the value of a parameter. The value is written as the client sent it: with its
 * words swapped if it is one of an enumeration, and otherwise unchanged.
 */
function swapAround(text: string, name: string, value: unknown): string {
  for (const { quoted, swapped } of quotesOf(value, name)) {
    const parts = text.split(quoted);
    if (parts.length > 1) return parts.map((part) => swapAround(part, name, value)).join(swapped);
  }
  return swapUnquoted(text, name);
}

/** The same for a message, which may also repeat an id without quotation marks. */
function swapMessage(message: string, name: string, value: unknown): string {
  const isId = typeof value === 'string' && ID.test(value) && swapProse(value) !== value && !hasWords(name);
  if (!isId || message.includes(`"${value}"`)) return swapAround(message, name, value);
  const parts = message.split(` ${value} `);
  return parts.map((part) => swapAround(part, name, value)).join(` ${value} `);
}

const ID = /^\w{1,100}$/;

/** How long a quoted value may be; a longer one is cut. */
const MAX_QUOTED = 120;
const cut = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 3).toWellFormed()}...` : text;
const quoted = (value: unknown): string => cut(typeof value === 'string' ? `"${value}"` : JSON.stringify(value));

/** How a message may quote a value and the elements of a list, and the same with swapped names. */
const quotesOf = (value: unknown, name: string): { quoted: string; swapped: string }[] =>
  value === undefined || value === null
    ? []
    : [value, ...(Array.isArray(value) ? (value as unknown[]) : [])].map((each) => ({
        quoted: quoted(each),
        swapped: quoted(swapJson(each, name)),
      }));

/** A quoted text, after `got` one of the client. */
const QUOTED = /(\bgot )?"([^"]*)"/g;
/** The parameter of a value, which errors with numeric codes name in their messages alone. */
const FOR = /^ for (\w+)/;

/** Swaps the names in a text. A quoted text that is not a name stays unchanged. */
function swapUnquoted(text: string, name: string): string {
  let swapped = '';
  let from = 0;
  for (const { 0: found, 1: got, 2: quoted, index } of text.matchAll(QUOTED)) {
    const of = FOR.exec(text.slice(index + found.length, index + found.length + MAX_QUOTED))?.[1] ?? name;
    const isName = got === undefined && /^\w+$/.test(quoted);
    swapped += swapProse(text.slice(from, index));
    swapped += isName ? swapProse(found) : hasWords(of) ? `${got ?? ''}"${swapText(of, quoted)}"` : found;
    from = index + found.length;
  }
  return swapped + swapProse(text.slice(from));
}
