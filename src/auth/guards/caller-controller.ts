import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseGuards,
  UseInterceptors,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { EnvelopeInterceptor } from '../../common/http/envelope.interceptor.js';
import { CallerGuard } from './caller.guard.js';
import { DoorGuard } from './door.guard.js';
import { Rule, type Rules } from './rules.js';
import { SignedGuard } from './signed.guard.js';
import { LimitsTotals } from './total-count-limit.interceptor.js';

/** A controller of advertising endpoints without an account in the path: signed, counted, enveloped. */
export const CallerController = (path: string, { tag, ...rules }: Rules & { tag: string }) =>
  applyDecorators(
    Controller(`12/${path}`),
    Rule(rules),
    UseGuards(DoorGuard, SignedGuard, CallerGuard),
    UseInterceptors(EnvelopeInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
  );

/** Who signed the request. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!,
);
