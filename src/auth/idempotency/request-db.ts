import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';

declare module 'fastify' {
  interface FastifyInstance {
    /** The primary. */
    db: EntityManager;
  }
  interface FastifyRequest {
    /** In which a request with an Idempotency-Key is performed; absent for others. */
    transaction?: EntityManager;
  }
}

/** The database as the request sees it: the primary, or the transaction of the request. */
export const Db = createParamDecorator((_: unknown, context: ExecutionContext): EntityManager => {
  const { transaction, server } = context.switchToHttp().getRequest<FastifyRequest>();
  return transaction ?? server.db;
});
