import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseGuards,
  UseInterceptors,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { DoorGuard } from '../../auth/guards/door.guard.js';
import { Rule, type Rules } from '../../auth/guards/rules.js';
import { SignedGuard } from '../../auth/guards/signed.guard.js';
import { LimitsTotals } from '../../auth/guards/total-count-limit.interceptor.js';
import { EnvelopeInterceptor } from '../../common/http/envelope.interceptor.js';
import type { QuotaName } from '../../config.js';
import { AccountGuard } from './account.guard.js';
import type { Permission } from './roles.js';

interface AccountRules extends Rules {
  tag: string;
  reads: Permission;
  writes?: Permission;
  quota?: QuotaName;
  version?: 5 | 12;
}

/** A controller under an account: signed, the account the caller's, counted, permitted, enveloped. */
export const AccountController = (resource: string, { version = 12, ...rules }: AccountRules) =>
  accountScoped(`${version}/accounts/:account_id${resource && `/${resource}`}`, rules);

/** The same for batches, which take JSON. */
export const BatchController = (resource: string, rules: AccountRules) =>
  accountScoped(`12/batch/accounts/:account_id/${resource}`, { ...rules, json: true });

const accountScoped = (path: string, { tag, ...rules }: Rules & { tag: string }) =>
  applyDecorators(
    Controller(path),
    Rule(rules),
    UseGuards(DoorGuard, SignedGuard, AccountGuard),
    UseInterceptors(EnvelopeInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiParam({ name: 'account_id', type: String }),
    ApiSecurity('oauth1'),
  );

/** The account that the guard found, and on whose behalf the request acts. */
export const CurrentAccount = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().account!,
);
