import { SetMetadata, type ExecutionContext } from '@nestjs/common';

const OUTSIDE = Symbol('outside of a transaction');

/**
 * An endpoint that must not keep a transaction open: its work waits for a client that sends a file or for the server of a
 * webhook, or it reads for long on a connection of its own. The response to an Idempotency-Key is stored after the work,
 * so of two requests with one key at the same time both are performed.
 */
export const OutsideTransaction = () => SetMetadata(OUTSIDE, true);

export const isOutsideTransaction = (context: ExecutionContext): boolean =>
  Reflect.getMetadata(OUTSIDE, context.getHandler()) === true;
