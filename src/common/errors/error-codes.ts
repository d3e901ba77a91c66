import { ApiError, type ErrorDetail } from './api-error.js';

const statuses = new Map<string, number>();

/** Makes an error of the advertising family: a word, what is wrong, and what is known of it. */
export type Raise<Code extends string> = (
  code: Code,
  message: string,
  detail?: ErrorDetail,
  headers?: Record<string, string>,
) => ApiError;

/**
 * Defines codes of the advertising family, each with the one status that it is answered with, and returns what
 * makes their errors. A code is defined once, by the domain whose it is.
 */
export function defineErrors<Code extends string>(own: Record<Code, number>): Raise<Code> {
  for (const [code, status] of Object.entries<number>(own)) {
    if (statuses.has(code)) throw new Error(`The error code ${code} is defined twice.`);
    statuses.set(code, status);
  }
  return (code, message, detail, headers) => new ApiError(own[code], code, message, detail, headers);
}

/** Every code that was defined. */
export const errorCodes = (): string[] => [...statuses.keys()].sort();

/** The status that belongs to a code. */
export const statusOf = (code: string): number | undefined => statuses.get(code);
