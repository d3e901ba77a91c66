import { ApiError, type ErrorDetail } from './api-error.js';

const statuses = new Map<string, number>();

/** Creates an error of the advertising family: a string code, a message and details. */
export type ErrorFactory<Code extends string> = (
  code: Code,
  message: string,
  detail?: ErrorDetail,
  headers?: Record<string, string>,
) => ApiError;

/**
 * Defines codes of the advertising family, each with its only status, and returns functions that create their errors. A
 * code is defined once, by the domain that owns it.
 */
export function defineErrors<Code extends string>(own: Record<Code, number>): ErrorFactory<Code> {
  for (const [code, status] of Object.entries<number>(own)) {
    if (statuses.has(code)) throw new Error(`The error code ${code} is defined twice.`);
    statuses.set(code, status);
  }
  return (code, message, detail, headers) => new ApiError(own[code], code, message, detail, headers);
}

/** Every defined code. */
export const errorCodes = (): string[] => [...statuses.keys()].sort();
