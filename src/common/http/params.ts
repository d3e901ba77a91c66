import { Body, Injectable, Query, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { ApiErrors, type ApiError } from '../errors/api-error.js';
import { invalid, missing } from '../errors/catalogue.js';
import { fieldsOf } from './fields.js';
import { InvalidValue } from './invalid-value.js';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** On a raw query or body: what validation made of it. */
const ECHO = Symbol('echo');

/** What of a raw query or body the envelope echoes. */
export const echoOf = (raw: unknown): object => (isObject(raw) && (raw as { [ECHO]?: object })[ECHO]) || {};

/** Unknown parameters are ignored; of the known ones every mistake is named in one answer. */
@Injectable()
export class ParamsPipe implements PipeTransform {
  async transform(raw: unknown, { metatype }: ArgumentMetadata): Promise<object> {
    // Imported as a type only, a DTO is not there at run time and nothing would be checked.
    if (!metatype || metatype === Object) throw new Error('the parameters of an endpoint need a class');
    const given = raw ?? {};
    if (!isObject(given) || Array.isArray(given)) throw invalid('body', 'The body must be a JSON object');
    const { params, echo } = typed(metatype as Type<object>, given);
    (given as { [ECHO]?: object })[ECHO] = echo;
    return params;
  }
}

/** Parameters of the query string, and of a form body (which a hook merges into it): validated, typed, echoed, shown in Swagger. */
export const Params = () => Query(ParamsPipe);

/** The same for endpoints that take a JSON object. */
export const JsonBody = () => Body(ParamsPipe);

/**
 * An object that a client sent as a DTO. Its fields are read one by one, which is many times cheaper than asking
 * class-validator; that is asked only where something is wrong, to say what.
 */
export function typed<T extends object>(kind: Type<T>, raw: Record<string, unknown>): { params: T; echo: object } {
  const params = new kind() as Record<string, unknown>;
  for (const { name, read, required } of fieldsOf(kind.prototype as object).values()) {
    const given = raw[name];
    const value = given === undefined ? undefined : read(given, name);
    if (value instanceof InvalidValue || (required && (value === undefined || value === null)))
      return refuse(kind, raw);
    if (value !== undefined) params[name] = value;
  }
  return { params: params as T, echo: echoed(params, raw) };
}

function refuse(kind: Type<object>, raw: object): never {
  const errors = validateSync(plainToInstance(kind, raw), { whitelist: true });
  if (errors.length === 0) throw new Error(`${kind.name}: the fields refuse what class-validator takes`);
  throw asApiErrors(errors);
}

/** What was sent, as it was understood; defaults that were not sent are not echoed. */
function echoed(params: Record<string, unknown>, raw: object): object {
  const echo: Record<string, unknown> = {};
  for (const name of Object.keys(raw))
    if (Object.hasOwn(params, name) && params[name] !== undefined) echo[name] = params[name];
  return echo;
}

function asApiErrors(errors: ValidationError[]): ApiErrors {
  return new ApiErrors(errors.map(asApiError));
}

function asApiError({ property, value, constraints }: ValidationError): ApiError {
  if (value instanceof InvalidValue) return value.toError(property);
  if (value === undefined || value === null) return missing(property);
  return invalid(property, Object.values(constraints ?? {}).join('; ') || `${property} is not valid`, { value });
}
