import {
  applyDecorators,
  Controller,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimited } from '../oauth-errors.js';
import { Admission } from './admission.js';
import { BearerGuard } from './bearer.guard.js';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { policyOf, Policy, quotaOf, type ControllerPolicy } from './endpoint-policy.js';

/** Admits requests with a bearer token: they count per application. Runs after BearerGuard. */
@Injectable()
export class BearerAdmissionGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    await this.admission.admit(http.getResponse<FastifyReply>(), {
      quota: quotaOf(request, policyOf(context)),
      owner: request.bearer!.applicationId,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
    return true;
  }
}

/** A controller of endpoints that an application calls for itself, with its bearer token. */
export const BearerController = (path: string, { tag, ...policy }: ControllerPolicy & { tag: string }) =>
  applyDecorators(
    Controller(`2/${path}`),
    Policy(policy),
    UseGuards(EndpointPolicyGuard, BearerGuard, BearerAdmissionGuard),
    ApiTags(tag),
    ApiSecurity('bearer'),
  );
