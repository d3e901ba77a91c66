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
import { EnvelopeInterceptor } from '../../common/http/envelope.interceptor.js';
import { UserQuotaGuard } from './user-quota.guard.js';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { Policy, type ControllerPolicy } from './endpoint-policy.js';
import { SignatureGuard } from './signature.guard.js';
import { LimitsTotals } from './total-count-limit.interceptor.js';

/** A controller of advertising endpoints: signed, let in by a guard of its own, enveloped. */
export const AdsController = (
  path: string,
  { tag, ...rules }: ControllerPolicy & { tag: string },
  admission: Type<CanActivate>,
) =>
  applyDecorators(
    Controller(path),
    Policy(rules),
    UseGuards(EndpointPolicyGuard, SignatureGuard, admission),
    UseInterceptors(EnvelopeInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
  );

/** One without an account in the path: its requests count in the windows of the user. */
export const CallerController = (path: string, rules: ControllerPolicy & { tag: string }) =>
  AdsController(`12/${path}`, rules, UserQuotaGuard);

/** Who signed the request. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!,
);
