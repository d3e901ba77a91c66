import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gatekeeper } from './gatekeeper.js';
import { rulesOf } from './rules.js';

/** For endpoints without an account: counts the request in its user token's windows. After SignedGuard. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly gatekeeper: Gatekeeper) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    await this.gatekeeper.admit(request, http.getResponse<FastifyReply>(), rulesOf(context), { caller: request.user! });
    request.placed = true;
    return true;
  }
}
