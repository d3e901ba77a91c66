import { NoAnswer, Unavailable } from '../../errors/unavailable.js';
import { sqlStateOf } from '../sqlstate.js';

/**
 * The error of a connection that was lost or not opened. pg has no class for it, and its texts change; what the server itself said
 * has an SQLSTATE and stays.
 */
export function asNoAnswer(error: Error): Error {
  if (error instanceof Unavailable || sqlStateOf(error).code !== undefined) return error;
  return new NoAnswer(error.message, { cause: error });
}
