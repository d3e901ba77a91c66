import { randomBytes } from 'node:crypto';
import type { Caller } from '../caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * A read that this process sends to itself, for a page that it renders. It counts in no window and in no journal: the
     * page was admitted.
     */
    isInside?: boolean;
  }
}

const SCHEME = 'Inside ';

/** Callers by a key that nobody else knows, as long as their request takes. */
const callers = new Map<string, Caller>();

/** Has `send` send requests for a user whom this process has authenticated; it gets their `Authorization` header. */
export async function asInsideCaller<T>(caller: Caller, send: (authorization: string) => Promise<T>): Promise<T> {
  const authorization = `${SCHEME}${randomBytes(32).toString('hex')}`;
  callers.set(authorization, { ...caller, accessLevel: 'read' });
  try {
    return await send(authorization);
  } finally {
    callers.delete(authorization);
  }
}

/** The caller of a request that this process sends to itself; undefined for all others. */
export const insideCallerOf = (authorization: string | undefined): Caller | undefined =>
  authorization?.startsWith(SCHEME) ? callers.get(authorization) : undefined;
