import { Body, Injectable, Query, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import type { ApiError } from '../errors/api-error.js';
import { invalid, missing } from '../errors/catalogue.js';
import { fieldsOf, rulesOf } from './dto-metadata.js';
import { InvalidValue } from './invalid-value.js';
import { Parsed, RefusedParams } from './parsed.js';
import { sentOnce } from './readers.js';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** On a raw query or body: what of it could be read. */
const ECHO = Symbol('echo');

/** What of a raw query or body the envelope echoes. */
export const echoOf = (raw: unknown): object => (isObject(raw) && (raw as { [ECHO]?: object })[ECHO]) || {};

/** Unknown parameters are ignored; of the known ones every mistake is named in one answer. */
@Injectable()
export class ParamsPipe implements PipeTransform {
  async transform(raw: unknown, { metatype, type }: ArgumentMetadata): Promise<object> {
    // Imported as a type only, a DTO is not there at run time and nothing would be checked.
    if (!metatype || metatype === Object) throw new Error('the parameters of an endpoint need a class');
    const given = raw ?? {};
    if (!isObject(given) || Array.isArray(given)) throw invalid('body', 'The body must be a JSON object');
    const reading = readParams(metatype as Type<object>, given, type === 'query');
    (given as { [ECHO]?: object })[ECHO] = reading.echo;
    if (reading.refused) throw reading.refused;
    return reading.params;
  }
}

/** Parameters of the query string, and of a form body (which a hook merges into it): validated, typed, echoed, shown in Swagger. */
export const Params = () => Query(ParamsPipe);

/** The same for endpoints that take a JSON object. */
export const JsonBody = () => Body(ParamsPipe);

/** What was made of parameters: a DTO, or why there is none; and in both cases what could be read of what was sent. */
export type Reading<T> =
  { echo: object; params: T; refused?: undefined } | { echo: object; params?: undefined; refused: RefusedParams };

/**
 * Reads what a client sent as a DTO, field by field, which is many times cheaper than asking class-validator.
 * `hasRepeats`: an array is a key that was sent several times.
 */
export function readParams<T extends object>(
  kind: Type<T>,
  raw: Record<string, unknown>,
  hasRepeats = false,
): Reading<T> {
  const params = new kind() as Record<string, unknown>;
  // What was sent, as it was understood; defaults that were not sent are not echoed.
  const echo: Record<string, unknown> = {};
  let isRefused = false;
  for (const { name, read, required, several } of fieldsOf(kind.prototype as object)) {
    const given = raw[name];
    if (given === undefined) {
      if (required) isRefused = true;
      continue;
    }
    const value = hasRepeats && !several && Array.isArray(given) ? sentOnce(read)(given, name) : read(given, name);
    if (value instanceof InvalidValue) isRefused = true;
    params[name] = echo[name] = value;
  }
  if (isRefused) return refusing(kind, params, echo);

  for (const { check } of rulesOf(kind.prototype as object)) {
    if (check(params as never) !== undefined) return refusing(kind, params, echo);
  }
  return { params: params as T, echo };
}

/** Everything that is wrong: with single fields, and between those that nothing is wrong with. */
function refusing(kind: Type<object>, values: Record<string, unknown>, echo: Record<string, unknown>): Reading<never> {
  const problems: ApiError[] = [];
  const refused = new Set<string>();
  for (const { name, required } of fieldsOf(kind.prototype as object)) {
    const value = values[name];
    if (!(value instanceof InvalidValue) && !(required && value === undefined)) continue;
    problems.push(value instanceof InvalidValue ? value.toError(name) : missing(name));
    refused.add(name);
    delete values[name];
    delete echo[name];
  }
  const parsed = new Parsed<Record<string, unknown>>(values, refused);
  for (const { needs, check } of rulesOf(kind.prototype as object)) {
    const known = parsed.known(...needs);
    const problem = known && check(known as never);
    if (problem) problems.push(problem);
  }
  return { refused: new RefusedParams(problems, parsed), echo };
}
