import { Body, Injectable, Query, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ApiErrors, type ApiError } from '../../errors/api-error.js';
import { invalid } from '../../errors/catalogue.js';
import { isObject } from '../../values/is-object.js';
import { instantiate, propertiesOf, validateCompiled } from './compiled-validation.js';
import { declaredFields, type DatesIn } from './dto-metadata.js';
import { spellingHint, nearestWord } from '../hints/nearest.js';
import { synonymHint } from '../hints/synonyms.js';
import { Parsed } from './parsed.js';
import { kindOfPart } from './parts.js';
import { parameterErrorsOf, RepeatedValues, UnreadableValue } from './refusals.js';

/** On a raw query or body: the readable parameters, converted. */
const ECHO = Symbol('echo');
const KIND = Symbol('kind');
/** On a raw query or body: a sentence about the ignored parameters. */
const IGNORED = Symbol('ignored');
/** On a raw query or body: the echo has names that were not read, so an ignored parameter may be among them. */
const HAS_DEFAULTS = Symbol('has defaults');
type Read = { [ECHO]?: object; [KIND]?: Type<object>; [IGNORED]?: string; [HAS_DEFAULTS]?: boolean };

/** The part of a raw query or body that the envelope echoes. */
export const echoOf = (raw: unknown): object => (isObject(raw) && (raw as Read)[ECHO]) || {};

/** Adds a value to the echo that was not sent, where the specification echoes a default. */
export const addToEcho = (raw: unknown, more: object): void => {
  if (!isObject(raw)) return;
  (raw as Read)[ECHO] = Object.assign((raw as Read)[ECHO] ?? {}, more);
  (raw as Read)[HAS_DEFAULTS] = true;
};

/** Adds a hint that a parameter was ignored. */
export const noteIgnored = (raw: unknown, sentence: string): void => {
  if (!isObject(raw)) return;
  const before = (raw as Read)[IGNORED];
  (raw as Read)[IGNORED] = before === undefined ? sentence : `${before} ${sentence}`;
};

/** The sentence about the ignored parameters of a raw query or body. */
export const ignoredHint = (raw: unknown): string | undefined => (isObject(raw) ? (raw as Read)[IGNORED] : undefined);

/** Ignores unknown parameters, and reports every error of the known ones in one response. */
@Injectable()
export class ParamsPipe implements PipeTransform {
  transform(raw: unknown, metadata: ArgumentMetadata): object {
    const { params, refused } = readRequest(raw, metadata);
    if (refused) throw refused;
    return params;
  }
}

/**
 * Parameters of the query string, and of a form body (which a hook merges into it): validated, typed, echoed, and
 * described in the document.
 */
export const Params = () => Query(ParamsPipe);

/** The same for endpoints that take a JSON object. */
export const JsonBody = () => Body(ParamsPipe);

/** Parameters as far as they are readable, for rules that also check incomplete requests. */
@Injectable()
class ParsedParamsPipe implements PipeTransform {
  transform(raw: unknown, metadata: ArgumentMetadata): Parsed<object> {
    return readRequest(raw, metadata).parsed;
  }
}

/** Reads a query or body as its declared DTO, and notes on it what was read. */
function readRequest(raw: unknown, { metatype, type }: ArgumentMetadata): ReadResult<object> {
  // A DTO imported as a type only does not exist at run time, and nothing would be validated.
  if (!metatype || metatype === Object) throw new Error('the parameters of an endpoint need a class');
  const given = raw ?? {};
  if (!isObject(given)) throw invalid('body', 'The body must be a JSON object');
  const reading = readParams(metatype as Type<object>, given, type === 'query');
  markRead(given, metatype as Type<object>, reading.echo);
  return reading;
}

/**
 * `Params` for a method that also checks requests with rejected parameters, so that one response names all errors:
 * `@ParsedParams(CreateThing) request: Parsed<CreateThing>`.
 */
export const ParsedParams = (dto: Type<object>) => declaring(dto, Query(ParsedParamsPipe));

/** The same for endpoints that take a JSON object. */
export const ParsedBody = (dto: Type<object>) => declaring(dto, Body(ParsedParamsPipe));

/** Declares the DTO to Nest and to the document, since `Parsed` hides it. */
const declaring =
  (dto: Type<object>, decorator: ParameterDecorator): ParameterDecorator =>
  (prototype, method, index) => {
    const types = [...(Reflect.getMetadata('design:paramtypes', prototype, method!) as unknown[])];
    types[index] = dto;
    Reflect.defineMetadata('design:paramtypes', types, prototype, method!);
    decorator(prototype, method, index);
  };

/** The result of reading parameters: a DTO or its errors, and in both cases the readable parameters. */
export type ReadResult<T extends object> = { echo: object; parsed: Parsed<T> } & (
  { params: T; refused?: undefined } | { params?: undefined; refused: ApiErrors }
);

/**
 * Reads a client's parameters as a DTO, with the compiled conversions of class-transformer and constraints of
 * class-validator. `hasRepeats`: an array is a repeated key.
 */
export function readParams<T extends object>(
  kind: Type<T>,
  raw: Record<string, unknown>,
  hasRepeats = false,
): ReadResult<T> {
  const given = knownParams(kind, raw, hasRepeats);
  const params = instantiate(kind, given);
  const found = validateCompiled(params);
  const echo = echoed(given, params);
  if (found.length > 0) return refusing(kind, params, { echo, given, raw, found });
  makePartsPlain(kind, params);
  return { params, parsed: Parsed.complete(params), echo };
}

/** The sent parameters that a DTO has; equal values of a repeated key count once. */
export function knownParams(
  kind: Type<object>,
  raw: Record<string, unknown>,
  hasRepeats: boolean,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name, isList } of declaredFields(kind.prototype as object)) {
    const value = raw[name];
    if (value === undefined) continue;
    given[name] = hasRepeats && !isList && Array.isArray(value) ? once(value) : value;
  }
  return given;
}

const once = (values: unknown[]): unknown => (new Set(values).size === 1 ? values[0] : new RepeatedValues(values));

/** The sent parameters as converted, without defaults. */
function echoed(given: Record<string, unknown>, params: object): Record<string, unknown> {
  const echo: Record<string, unknown> = {};
  // an empty value that counts as absent is echoed all the same
  for (const name in given) echo[name] = (params as Record<string, unknown>)[name] ?? null;
  return echo;
}

/** Converts validated class instances to plain objects, which are stored and compared with stored ones. */
function makePartsPlain(kind: Type<object>, params: object): void {
  const values = params as Record<string, unknown>;
  for (const name in values) if (propertiesOf(kind).get(name)?.isNested) values[name] = plain(values[name]);
}

function plain(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(plain);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, plain(value)]));
}

interface Refused {
  echo: Record<string, unknown>;
  given: Record<string, unknown>;
  raw: Record<string, unknown>;
  found: ValidationError[];
}

/** All errors: those of single fields, and those between valid fields. */
function refusing<T extends object>(kind: Type<T>, params: T, { echo, given, raw, found }: Refused): ReadResult<T> {
  const values = params as Record<string, unknown>;
  const ignorable = new Set(
    declaredFields(kind.prototype as object).flatMap((each) => (each.ignorable ? [each.name] : [])),
  );
  const problems: ApiError[] = [];
  const refused = new Set<string>();
  for (const { name, problems: own } of parameterErrorsOf(kind, found, given)) {
    if (name !== undefined) delete echo[name];
    if (name !== undefined && ignorable.has(name) && given[name] !== undefined) {
      values[name] = new UnreadableValue(own);
      continue;
    }
    problems.push(...own);
    if (name === undefined) continue;
    refused.add(name);
    delete values[name];
  }
  makePartsPlain(kind, values);
  const parsed = new Parsed<T>(params, refused, problems);
  if (problems.length === 0) return { params, parsed, echo };
  for (const problem of problems) {
    const { parameter } = problem.detail;
    if (problem.code === 'MISSING_PARAMETER' && parameter !== undefined)
      problem.hinted(() => sentInstead(parameter, kind, raw));
  }
  return { refused: new ApiErrors(problems), parsed, echo };
}

/** An unknown parameter whose name is similar to a missing one. */
function sentInstead(missing: string, kind: Type<object>, raw: Record<string, unknown>): string | undefined {
  const sent = nearestWord(missing, unknownIn(raw, kind));
  return sent && `${sent} is not a parameter of this endpoint. ${spellingHint(sent, [missing])}`;
}

/** Remembers what was read of a query, a body or an operation of a batch, for its hints. */
export function markRead(raw: object, kind: Type<object>, echo: object): void {
  Object.assign(raw, { [ECHO]: echo, [KIND]: kind });
}

/** The sentences about the first operation of a batch that has ignored parameters; undefined if there is none. */
export function unknownNamesHintOfBatch(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  for (const [i, operation] of body.entries()) {
    const sentences = unknownNamesHint(isObject(operation) ? operation.params : undefined);
    if (sentences !== undefined) return `In operation ${i}, ${sentences}`;
  }
  return undefined;
}

/** Sentences about ignored parameters, for a query or body that was read; undefined if there are none. */
export function unknownNamesHint(raw: unknown): string | undefined {
  const kind = isObject(raw) ? (raw as Read)[KIND] : undefined;
  if (!kind) return undefined;
  const sent = raw as Record<string, unknown>;
  if (!((raw as Read)[HAS_DEFAULTS] || hasMore(sent, echoOf(raw)))) return unknownMembersHint(sent);
  const names = declaredFields(kind.prototype as object).map(({ name }) => name);
  const free = names.filter((name) => sent[name] === undefined);
  const unknown = unknownIn(sent, kind).map((name) => ({ name, meant: nearestWord(name, free) }));
  if (unknown.length === 0) return unknownMembersHint(sent);
  const near = unknown
    .filter(({ meant }) => meant !== undefined)
    .slice(0, MAX_REPORTED)
    .map(({ name, meant }) => `${name} is not a parameter of this endpoint and was ignored. Did you mean ${meant}?`);
  const others = unknown.filter(({ meant }) => meant === undefined).map(({ name }) => name);
  const isPaged = names.includes('cursor') && others.some((name) => PAGING.has(name));
  return (
    [
      ...near,
      ...(others.length > 0 ? [`${namesAreNotParameters(others)} of this endpoint and ${wereIgnored(others)}.`] : []),
      ...(isPaged ? ['The next page has the next_cursor of this one as cursor; count is the size of a page.'] : []),
    ].join(' ') + (unknown.map(({ name }) => synonymHint(name)).find((about) => about !== '') ?? '')
  );
}

/** A sentence about the first unknown member of nested values; undefined if there is none. */
function unknownMembersHint(sent: Record<string, unknown>): string | undefined {
  for (const name in sent) {
    if (typeof sent[name] !== 'object') continue;
    const [first] = unknownMembersIn(sent[name], name);
    if (first !== undefined) return first;
  }
  return undefined;
}

/** A sentence about each unknown member of a nested value, as they are asked for. */
function* unknownMembersIn(value: unknown, place: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries())
      if (typeof each === 'object') yield* unknownMembersIn(each, `${place}[${i}]`);
    return;
  }
  const kind = isObject(value) ? kindOfPart(value) : undefined;
  if (!kind) return;
  const given = value as Record<string, unknown>;
  const names = declaredFields(kind.prototype as object).map(({ name }) => name);
  const free = names.filter((name) => given[name] === undefined);
  for (const unknown of unknownIn(given, kind)) {
    const meant = nearestWord(unknown, free);
    yield `${place}.${unknown} is not a field and was ignored.${meant ? ` Did you mean ${meant}?` : ''}`;
  }
  for (const name of names) yield* unknownMembersIn(given[name], `${place}.${name}`);
}

/** A sentence about the parameters in the query of an endpoint that takes JSON only; undefined if there are none. */
export function unreadNamesHint(query: unknown): string | undefined {
  const names = isObject(query) ? unknownIn(query) : [];
  if (names.length === 0) return undefined;
  return `${namesAreNotParameters(names)} of the query of this endpoint and ${wereIgnored(names)}. Send parameters in the JSON body.`;
}

const wereIgnored = (names: readonly unknown[]): string => `${names.length > 1 ? 'were' : 'was'} ignored`;

/** The names of other APIs for the page of a list. */
const PAGING: ReadonlySet<string> = new Set(['page', 'page_size', 'per_page', 'limit', 'offset', 'skip', 'start']);

/** Names at the beginning of a sentence about ignored parameters. */
function namesAreNotParameters(names: readonly string[]): string {
  const shown = names.slice(0, MAX_REPORTED).join(', ');
  if (names.length === 1) return `${shown} is not a parameter`;
  return `${shown}${names.length > MAX_REPORTED ? ' and others' : ''} are not parameters`;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/;

/**
 * A sentence about the times without a time zone in a query or body that was read; undefined if it has none. `timezone`: that
 * of the account.
 */
export function zonelessTimesHint(raw: unknown, timezone?: string): string | undefined {
  const kind = isObject(raw) ? (raw as Read)[KIND] : undefined;
  if (!kind) return undefined;
  const dates = new Map<DatesIn, string[]>();
  const others: string[] = [];
  for (const { name, datesIn } of declaredFields(kind.prototype as object)) {
    const given = datesIn && (raw as Record<string, unknown>)[name];
    if (typeof given !== 'string' || given.length > 'YYYY-MM-DDTHH:MM:SS.nnnnnnnnn'.length) continue;
    if (DATE.test(given)) dates.set(datesIn!, [...(dates.get(datesIn!) ?? []), name]);
    else if (WITHOUT_ZONE.test(given)) others.push(name);
  }
  const sentences = [...dates].map(([zone, names]) => {
    const named = zone === 'UTC' || timezone === undefined ? '' : `, ${timezone}`;
    return `A date without a time zone is midnight in ${zone}${named}: ${names.join(' and ')}.`;
  });
  if (others.length > 0) sentences.push(`A time without a time zone is in UTC: ${others.join(' and ')}.`);
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

function hasMore(raw: object, echo: object): boolean {
  for (const name in raw) if (!(name in echo)) return true;
  return false;
}

/** Maximum numbers of ignored parameters that are checked and that are reported. */
const MAX_UNKNOWN = 50;
const MAX_REPORTED = 5;
const MAX_NAME_LENGTH = 64;

/**
 * The sent names that are not parameters of the DTO, cut, with `?` for each character that a header cannot have; signature
 * parameters do not count.
 */
function unknownIn(raw: Record<string, unknown>, kind?: Type<object>): string[] {
  const known = new Set(kind && declaredFields(kind.prototype as object).map(({ name }) => name));
  const unknown: string[] = [];
  for (const name in raw) {
    if (unknown.length === MAX_UNKNOWN) break;
    if (name === '' || name.startsWith('oauth_') || known.has(name)) continue;
    unknown.push(name.slice(0, MAX_NAME_LENGTH).replace(/[^\x21-\x7e]/g, '?'));
  }
  return unknown;
}
