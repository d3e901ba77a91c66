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
import { CallerGuard } from './caller.guard.js';
import { DoorGuard } from './door.guard.js';
import { Rule, type Rules } from './rules.js';
import { SignedGuard } from './signed.guard.js';
import { LimitsTotals } from './total-count-limit.interceptor.js';

/** A controller of advertising endpoints: signed, let in by a guard of its own, enveloped. */
export const AdsController = (path: string, { tag, ...rules }: Rules & { tag: string }, admission: Type<CanActivate>) =>
  applyDecorators(
    Controller(path),
    Rule(rules),
    UseGuards(DoorGuard, SignedGuard, admission),
    UseInterceptors(EnvelopeInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
  );

/** One without an account in the path: its requests count in the windows of the user. */
export const CallerController = (path: string, rules: Rules & { tag: string }) =>
  AdsController(`12/${path}`, rules, CallerGuard);

/** Who signed the request. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!,
);
