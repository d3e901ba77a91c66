import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AdsInterceptor } from './ads.interceptor.js';
import { UserQuotaGuard } from './user-quota.guard.js';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { Policy, type ControllerPolicy } from './endpoint-policy.js';
import { SignatureGuard } from './signature.guard.js';
import { LimitsTotals } from './total-count-limit.interceptor.js';

/**
 * A controller of advertising endpoints: checks policy, signature and admission in this order, and wraps responses in
 * the envelope. `admission` is the guard that admits the request, by user or by account.
 */
export const AdsController = (
  path: string,
  { tag, ...policy }: ControllerPolicy & { tag: string },
  admission: Type<CanActivate>,
) =>
  applyDecorators(
    Controller(path),
    Policy(policy),
    UseGuards(EndpointPolicyGuard, SignatureGuard, admission),
    UseInterceptors(AdsInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
  );

/** A controller of advertising endpoints without an account in the path: requests count per user token. */
export const CallerController = (path: string, policy: ControllerPolicy & { tag: string }) =>
  AdsController(`12/${path}`, policy, UserQuotaGuard);

/** The caller that signed the request. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!,
);
