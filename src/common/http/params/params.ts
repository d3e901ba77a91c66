import { Body, Injectable, Query, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';
import { invalid } from '../../errors/catalogue.js';
import { instantiate, propertiesOf, validateCompiled } from './compiled-validation.js';
import { fieldsOf } from './dto-metadata.js';
import { didYouMean, nearest } from '../hints/nearest.js';
import { Parsed, RefusedParams } from './parsed.js';
import { refusalsOf, Repeated, UnreadValue } from './refusals.js';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** On a raw query or body: what of it could be read, and as what. */
const ECHO = Symbol('echo');
const KIND = Symbol('kind');
/** And which of it was ignored, in a sentence. */
const IGNORED = Symbol('ignored');
type Read = { [ECHO]?: object; [KIND]?: Type<object>; [IGNORED]?: string };

/** What of a raw query or body the envelope echoes. */
export const echoOf = (raw: unknown): object => (isObject(raw) && (raw as Read)[ECHO]) || {};

/** Has the envelope echo something that was not sent, where the specification says so of a default. */
export const alsoEcho = (raw: unknown, more: object): void => {
  if (isObject(raw)) (raw as Read)[ECHO] = Object.assign((raw as Read)[ECHO] ?? {}, more);
};

/** Has the hints say of a parameter that it was ignored, in a sentence. */
export const noteIgnored = (raw: unknown, sentence: string): void => {
  if (isObject(raw)) (raw as Read)[IGNORED] = sentence;
};

/** What of a raw query or body was ignored, in a sentence. */
export const ignoredIn = (raw: unknown): string | undefined => (isObject(raw) ? (raw as Read)[IGNORED] : undefined);

/** Unknown parameters are ignored; of the known ones every mistake is named in one answer. */
@Injectable()
export class ParamsPipe implements PipeTransform {
  async transform(raw: unknown, { metatype, type }: ArgumentMetadata): Promise<object> {
    // Imported as a type only, a DTO is not there at run time and nothing would be checked.
    if (!metatype || metatype === Object) throw new Error('the parameters of an endpoint need a class');
    const given = raw ?? {};
    if (!isObject(given) || Array.isArray(given)) throw invalid('body', 'The body must be a JSON object');
    const reading = readParams(metatype as Type<object>, given, type === 'query');
    (given as Read)[ECHO] = reading.echo;
    (given as Read)[KIND] = metatype as Type<object>;
    if (reading.refused) throw reading.refused;
    return reading.params;
  }
}

/** Parameters of the query string, and of a form body (which a hook merges into it): validated, typed, echoed, shown in Swagger. */
export const Params = () => Query(ParamsPipe);

/** The same for endpoints that take a JSON object. */
export const JsonBody = () => Body(ParamsPipe);

/** Parameters as far as they could be read, for rules that are asked of these too. */
@Injectable()
export class ParsedParamsPipe extends ParamsPipe {
  override async transform(raw: unknown, metadata: ArgumentMetadata): Promise<object> {
    try {
      return Parsed.whole(await super.transform(raw, metadata));
    } catch (refusal) {
      if (refusal instanceof RefusedParams) return refusal.parsed.withErrors(refusal.errors);
      throw refusal;
    }
  }
}

/**
 * `Params` for a method that also judges requests of which some parameters were refused, so that one answer names everything
 * that is wrong: `@ParsedParams(CreateThing) request: Parsed<CreateThing>`.
 */
export const ParsedParams = (dto: Type<object>) => declaring(dto, Query(ParsedParamsPipe));

/** The same for endpoints that take a JSON object. */
export const ParsedBody = (dto: Type<object>) => declaring(dto, Body(ParsedParamsPipe));

/** Has Nest and the document know the DTO, which a `Parsed` hides. */
const declaring =
  (dto: Type<object>, decorator: ParameterDecorator): ParameterDecorator =>
  (prototype, method, index) => {
    const types = [...(Reflect.getMetadata('design:paramtypes', prototype, method!) as unknown[])];
    types[index] = dto;
    Reflect.defineMetadata('design:paramtypes', types, prototype, method!);
    decorator(prototype, method, index);
  };

/** What was made of parameters: a DTO, or why there is none; and in both cases what could be read of what was sent. */
export type Reading<T> =
  { echo: object; params: T; refused?: undefined } | { echo: object; params?: undefined; refused: RefusedParams };

/**
 * Reads what a client sent as a DTO, by the conversions of class-transformer and the constraints of class-validator, both
 * compiled. `hasRepeats`: an array is a key that was sent several times.
 */
export function readParams<T extends object>(
  kind: Type<T>,
  raw: Record<string, unknown>,
  hasRepeats = false,
): Reading<T> {
  const given = knownOf(kind, raw, hasRepeats);
  const params = instantiate(kind, given);
  const found = validateCompiled(params);
  const echo = echoed(given, params);
  if (found.length > 0) return refusing(kind, params, { echo, given, raw, found });
  makePartsPlain(kind, params);
  return { params, echo };
}

/** Of what was sent the parameters of a DTO; equal values of a repeated key count once. */
export function knownOf(
  kind: Type<object>,
  raw: Record<string, unknown>,
  hasRepeats: boolean,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name, several } of fieldsOf(kind.prototype as object)) {
    const value = raw[name];
    if (value === undefined) continue;
    given[name] = hasRepeats && !several && Array.isArray(value) ? once(value) : value;
  }
  return given;
}

const once = (values: unknown[]): unknown => (new Set(values).size === 1 ? values[0] : new Repeated(values));

/** What was sent, as it was understood; defaults that were not sent are not echoed. */
function echoed(given: Record<string, unknown>, params: object): Record<string, unknown> {
  const echo: Record<string, unknown> = {};
  // an empty value that is as if nothing was sent is echoed all the same
  for (const name in given) echo[name] = (params as Record<string, unknown>)[name] ?? null;
  return echo;
}

/** What was judged as instances of classes is stored, and compared with what is stored, as plain objects. */
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

/** Everything that is wrong: with single fields, and between those that nothing is wrong with. */
function refusing<T extends object>(kind: Type<T>, params: T, { echo, given, raw, found }: Refused): Reading<T> {
  const values = params as Record<string, unknown>;
  const ignorable = new Set(fieldsOf(kind.prototype as object).flatMap((each) => (each.ignorable ? [each.name] : [])));
  const problems: ApiError[] = [];
  const refused = new Set<string>();
  for (const { name, problems: own } of refusalsOf(kind, found, given)) {
    if (name !== undefined) delete echo[name];
    if (name !== undefined && ignorable.has(name) && given[name] !== undefined) {
      values[name] = new UnreadValue(own);
      continue;
    }
    problems.push(...own);
    if (name === undefined) continue;
    refused.add(name);
    delete values[name];
  }
  makePartsPlain(kind, values);
  if (problems.length === 0) return { params, echo };
  for (const problem of problems) {
    const { parameter } = problem.detail;
    if (problem.code === 'MISSING_PARAMETER' && parameter !== undefined)
      problem.hinted(() => sentInstead(parameter, kind, raw));
  }
  return { refused: new RefusedParams(problems, new Parsed(values, refused)), echo };
}

/** A parameter of another name, which may have been meant as one that is missing. */
function sentInstead(missing: string, kind: Type<object>, raw: Record<string, unknown>): string | undefined {
  const sent = nearest(missing, unknownIn(raw, kind));
  return sent && `${sent} was sent, which is no parameter here. ${didYouMean(sent, [missing])}`;
}

/** Of a query or body that was read: parameters that were ignored and are nearly some that are not, in a sentence. */
export function nearlyKnownIn(raw: unknown): string | undefined {
  const kind = isObject(raw) ? (raw as Read)[KIND] : undefined;
  if (!kind || !hasMore(raw as object, echoOf(raw))) return undefined;
  const sent = raw as Record<string, unknown>;
  const free = fieldsOf(kind.prototype as object).flatMap(({ name }) => (sent[name] === undefined ? [name] : []));
  const told = unknownIn(sent, kind).flatMap((name) => {
    const meant = nearest(name, free);
    return meant ? [`${name} is no parameter here and was ignored: did you mean ${meant}?`] : [];
  });
  return told.length > 0 ? told.slice(0, MAX_REPORTED).join(' ') : undefined;
}

function hasMore(raw: object, echo: object): boolean {
  for (const name in raw) if (!(name in echo)) return true;
  return false;
}

/** How many ignored parameters are looked at, and how many are told. */
const MAX_UNKNOWN = 50;
const MAX_REPORTED = 5;

/** What was sent and is none of the parameters of a DTO, as far as it looks like a name; those of a signature are none. */
function unknownIn(raw: Record<string, unknown>, kind: Type<object>): string[] {
  const known = new Set(fieldsOf(kind.prototype as object).map(({ name }) => name));
  const unknown: string[] = [];
  for (const name in raw) {
    if (unknown.length === MAX_UNKNOWN) break;
    if (!known.has(name) && /^(?!oauth_)[\w.-]{1,64}$/.test(name)) unknown.push(name);
  }
  return unknown;
}
