import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdsAdmission } from './ads-admission.js';
import { policyOf } from './endpoint-policy.js';

/**
 * Admits requests to endpoints without an account in the path, which count per user token. Runs after SignatureGuard.
 */
@Injectable()
export class UserQuotaGuard implements CanActivate {
  constructor(private readonly admission: AdsAdmission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    await this.admission.admit(request, http.getResponse<FastifyReply>(), policyOf(context), { caller: request.user! });
    request.echoesPath = true;
    return true;
  }
}
