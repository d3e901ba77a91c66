import { isIP } from 'node:net';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { toTime } from '../../common/http/params/conversions.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { isObject } from '../../common/values/is-object.js';
import { twclidHash, visitorHash } from '../entities/engagement.rules.js';
import { CONVERSION_IDENTIFIERS, type ConversionDetails, type ConversionIdentifier } from './conversion.entity.js';

/** A conversion as it was sent, as far as it is readable. */
export interface ReadConversion {
  /** The place in the request, such as `conversions[3]`. */
  place: string;
  errors: ApiError[];
  eventId?: string;
  /** In milliseconds since 1970. */
  convertedAt?: number;
  valueMicro: number | null;
  currency: string | null;
  numberItems: number | null;
  conversionId: string | null;
  details: ConversionDetails | null;
  /** Each as the byte of its kind and its SHA-256, in hexadecimal. */
  identifiers: string[];
  /** The hash of the first address and the first agent, in hexadecimal; null without both. */
  visitor: string | null;
}

const MAX_IDENTIFIERS = 100;
const MAX_CONTENTS = 100;
/** Problems of one conversion after which its other identifiers and contents are not read: an answer has a bound. */
const MAX_PROBLEMS = 20;
const MICRO = 1_000_000;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const toExactTime = toTime(true);

/** Reads one conversion. An error names the parameter alone, as X's does, and its message the place. */
export function readConversion(given: unknown, place: string): ReadConversion {
  const read: ReadConversion = {
    place,
    errors: [],
    valueMicro: null,
    currency: null,
    numberItems: null,
    conversionId: null,
    details: null,
    identifiers: [],
    visitor: null,
  };
  if (!isObject(given)) {
    read.errors.push(expected('conversions', 'an object', given, place));
    return read;
  }
  const field = new Fields(given, place, read.errors);
  read.convertedAt = timeIn(field);
  read.eventId = field.text('event_id', 255);
  if (read.eventId === undefined && isAbsent(given.event_id))
    read.errors.push(missing('event_id', `Event ID was not found: ${place} has none`));
  Object.assign(read, identifiersIn(field));
  const value = field.number('value', 0, 9e9);
  read.valueMicro = value === undefined ? null : Math.round(value * MICRO);
  read.currency = currencyIn(field) ?? (value === undefined ? null : 'USD');
  read.numberItems = field.integer('number_items') ?? null;
  read.conversionId = field.text('conversion_id', 255) ?? null;
  read.details = detailsIn(field);
  return read;
}

const isAbsent = (given: unknown): boolean => given === undefined || given === null || given === '';

/** An error that names the value and its place. */
const expected = (parameter: string, what: string, given: unknown, place: string, details?: string): ApiError =>
  invalid(parameter, `Expected ${what}, got ${quotedValue(given)} for ${place}`, {
    ...(details && { details }),
    value: given,
  });

/** The fields of an object, with the errors of those that are not readable. */
class Fields {
  constructor(
    readonly given: Record<string, unknown>,
    readonly place: string,
    readonly errors: ApiError[],
  ) {}

  refuse(name: string, what: string, details?: string): undefined {
    this.errors.push(expected(name, what, this.given[name], `${this.place}.${name}`, details));
  }

  /** A text, or the digits of a number. JSON rounds large integers, of which several become one. */
  text(name: string, max: number): string | undefined {
    const value = this.given[name];
    if (isAbsent(value)) return undefined;
    const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
    const text = isExact ? String(value) : value;
    const isText = typeof text === 'string' && text.length <= max && !text.includes('\0') && text.isWellFormed();
    return isText ? text : this.refuse(name, `a text of at most ${max} characters`);
  }

  /** A number, or a text with one. */
  number(name: string, min: number, max: number): number | undefined {
    const value = this.given[name];
    if (isAbsent(value)) return undefined;
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value));
    // only of a number or its text: an object may have no toString
    const number = isNumber ? Number(value) : NaN;
    return number >= min && number <= max ? number : this.refuse(name, `a number from ${min} to ${max}`);
  }

  integer(name: string): number | undefined {
    const number = this.number(name, 1, 2 ** 31 - 1);
    return number === undefined || Number.isInteger(number) ? number : this.refuse(name, 'an integer above 0');
  }
}

const TIME = 'a time such as 2026-01-31T08:00:00.000Z, or milliseconds since 1970';

/** ISO 8601 with or without milliseconds, or milliseconds since 1970 in either field. */
function timeIn(field: Fields): number | undefined {
  const { given } = field;
  const name = isAbsent(given.conversion_time) ? 'conversion_timestamp' : 'conversion_time';
  const value = given[name];
  if (isAbsent(value)) {
    field.errors.push(
      missing('conversion_time', `${field.place} has neither conversion_time nor conversion_timestamp`),
    );
    return undefined;
  }
  const isText = typeof value === 'string';
  const isNumber = isText ? /^\d{12,14}$/.test(value) : Number.isSafeInteger(value);
  if (isNumber && Number(value) >= 1e11 && Number(value) < 1e14) return Number(value);
  const time = name === 'conversion_time' && isText ? String(toExactTime(value)) : '';
  if (time !== '') return Date.parse(time);
  field.errors.push(expected('conversion_time', TIME, value, `${field.place}.${name}`));
  return undefined;
}

function currencyIn(field: Fields): string | undefined {
  const text = field.text('price_currency', 255)?.trim().toUpperCase();
  if (text === undefined || CURRENCIES.has(text)) return text;
  return field.refuse('price_currency', 'a currency of ISO 4217, such as USD');
}

const SHA_256 = /^[0-9a-f]{64}$/i;

/** The identifiers by which the conversion is matched. `twpid` is ignored. */
function identifiersIn(field: Fields): Pick<ReadConversion, 'identifiers' | 'visitor'> {
  const { given, place, errors } = field;
  const lists = given.identifiers;
  if (!Array.isArray(lists) || lists.length === 0) {
    errors.push(
      lists === undefined || Array.isArray(lists)
        ? invalid('identifiers', `${place}.identifiers must have at least one identifier`)
        : invalid('identifiers', `Expected an array for ${place}.identifiers`),
    );
    return { identifiers: [], visitor: null };
  }
  const keys = new Set<string>();
  const seen = new Set<string>();
  const visitor: { ip_address?: string; user_agent?: string } = {};
  for (const [i, each] of lists.slice(0, MAX_IDENTIFIERS).entries()) {
    if (errors.length >= MAX_PROBLEMS) break;
    const at = `${place}.identifiers[${i}]`;
    if (!isObject(each)) {
      errors.push(invalid('identifiers', `Expected an object for ${at}`));
      continue;
    }
    for (const [name, value] of Object.entries(each)) {
      if (isAbsent(value) || !Object.hasOwn(IDENTIFIERS, name)) continue;
      seen.add(name);
      const key = typeof value === 'string' ? IDENTIFIERS[name](value) : undefined;
      // the value may identify a person, so that the error does not repeat it
      if (key === undefined) errors.push(invalid(name, `Expected ${FORMS[name] ?? 'a text'} for ${at}.${name}`));
      else if (key !== '') keys.add(key);
      else if (name === 'ip_address' || name === 'user_agent') visitor[name] ??= value as string;
    }
  }
  if (lists.length > MAX_IDENTIFIERS)
    errors.push(invalid('identifiers', `${place}.identifiers can have at most ${MAX_IDENTIFIERS} items`));
  if (seen.size === 0) errors.push(invalid('identifiers', `${place}.identifiers must have at least one identifier`));
  else if (seen.size === 1 && (seen.has('ip_address') || seen.has('user_agent')))
    errors.push(
      invalid('identifiers', `${place}.identifiers must have another identifier beside ${[...seen][0]}`, {
        details: 'ip_address and user_agent identify nobody alone',
      }),
    );
  const { ip_address: address, user_agent: agent } = visitor;
  const isKnown = address !== undefined && agent !== undefined;
  return { identifiers: [...keys], visitor: isKnown ? visitorHash(address, agent) : null };
}

/** The key of a hash of this kind: the byte of the kind and the hash, in hexadecimal. */
export const conversionKeyOf = (kind: ConversionIdentifier, hash: string): string =>
  `0${CONVERSION_IDENTIFIERS.indexOf(kind)}${hash.toLowerCase()}`;
const hashed = (kind: ConversionIdentifier) => (given: string) =>
  SHA_256.test(given.trim()) ? conversionKeyOf(kind, given.trim()) : undefined;
const plain = (max: number) => (given: string) => (given.length <= max ? '' : undefined);

/** The key under which an identifier is stored; empty if it is not, and undefined if it is not valid. */
const IDENTIFIERS: Record<string, (given: string) => string | undefined> = {
  twclid: (given) => (given.length <= 512 ? twclidKey(given) : undefined),
  hashed_email: hashed('hashed_email'),
  hashed_phone_number: hashed('hashed_phone_number'),
  ip_address: (given) => (isIP(given.trim()) === 0 ? undefined : ''),
  user_agent: plain(2_048),
  twpid: plain(512),
};

const FORMS: Record<string, string> = {
  hashed_email: 'a SHA-256 hash of 64 hexadecimal digits',
  hashed_phone_number: 'a SHA-256 hash of 64 hexadecimal digits',
  ip_address: 'an IP address',
};

/** The key of a click id. */
const twclidKey = (twclid: string): string => conversionKeyOf('twclid', twclidHash(twclid));

const CONTENT_TEXTS = ['content_id', 'content_group_id', 'content_name', 'content_type'];

function detailsIn(field: Fields): ConversionDetails | null {
  const description = field.text('description', 1_000);
  const url = field.text('event_source_url', 4_096);
  const contents = contentsIn(field);
  const details: ConversionDetails = {
    ...(description !== undefined && { description }),
    // the query of a page often names its visitor
    ...(url !== undefined && { event_source_url: url.split(/[?#]/, 1)[0] }),
    ...(contents.length > 0 && { contents }),
  };
  return Object.keys(details).length > 0 ? details : null;
}

function contentsIn({ given: { contents }, place, errors }: Fields): object[] {
  if (isAbsent(contents)) return [];
  if (!Array.isArray(contents) || contents.length > MAX_CONTENTS) {
    errors.push(invalid('contents', `Expected an array of at most ${MAX_CONTENTS} items for ${place}.contents`));
    return [];
  }
  return contents.flatMap((each: unknown, i) => {
    if (errors.length >= MAX_PROBLEMS) return [];
    const at = `${place}.contents[${i}]`;
    if (!isObject(each)) {
      errors.push(invalid('contents', `Expected an object for ${at}`));
      return [];
    }
    const field = new Fields(each, at, errors);
    const texts = CONTENT_TEXTS.map((name) => [name, field.text(name, 255)]);
    const numbers = { content_price: field.number('content_price', 0, 9e9), num_items: field.integer('num_items') };
    // JSON leaves undefined fields out
    return [{ ...(Object.fromEntries(texts) as object), ...numbers }];
  });
}

/** An event id: of a tag, or of a tag manager, which has no tag. */
export type EventRef = { tagId: string } | { eventName: string } | { foreign: true };

/** Reads the forms of event ids: `<tag>`, `tw-<pixel>-<tag>` and `gtm_<event>`. */
export function eventOf(eventId: string, pixelId: string): EventRef {
  if (/^gtm_./.test(eventId)) return { eventName: eventId };
  const [, pixel, tag] = /^tw-([0-9a-z]+)-([0-9a-z]+)$/.exec(eventId.toLowerCase()) ?? [];
  if (pixel === undefined) return { tagId: eventId.toLowerCase() };
  return pixel === pixelId ? { tagId: tag } : { foreign: true };
}
