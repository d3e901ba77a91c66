import { defineErrors } from '../../common/errors/error-codes.js';
import { IDEMPOTENCY_KEY } from './idempotency-key.js';

const error = defineErrors({ IDEMPOTENCY_KEY_IN_USE: 409, IDEMPOTENCY_KEY_REUSED: 422 });

/** Another request with the key has not ended. */
export const idempotencyKeyInUse = (key: string) =>
  error(
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is still in progress',
    { parameter: IDEMPOTENCY_KEY, value: key },
    { 'retry-after': '1' },
  );

/** The first request with the key had another method, path or other parameters. */
export const idempotencyKeyReused = (key: string) =>
  error('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for a different request', {
    parameter: IDEMPOTENCY_KEY,
    value: key,
    details: 'use a new key for each request; a retry has the same method, path and parameters as the first attempt',
  });
