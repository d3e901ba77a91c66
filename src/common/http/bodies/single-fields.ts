import type { FastifyRequest } from 'fastify';
import { objectOf } from './form-encoding.js';

/** Fields by name. */
export type SingleFields = Record<string, string | undefined>;

/** The fields of a form body that occur exactly once. */
export const formFieldsOf = (request: FastifyRequest): SingleFields => onlyTexts(objectOf(request.formPairs ?? []));

/** The values of a field of a form body that can occur several times, such as a list of choices. */
export const choicesOf = ({ formPairs = [] }: FastifyRequest, name: string): string[] =>
  formPairs.flatMap(([field, value]) => (field === name ? [value] : []));

/** The query parameters that occur exactly once. */
export const queryParametersOf = (request: FastifyRequest): SingleFields =>
  onlyTexts(request.query as Record<string, unknown>);

const onlyTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string'));
