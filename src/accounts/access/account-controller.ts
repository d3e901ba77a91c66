import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AdsController } from '../../auth/guards/ads-controller.js';
import type { ControllerPolicy, Permission } from '../../auth/guards/endpoint-policy.js';
import type { QuotaName } from '../../config/quotas.js';
import { AccountGuard } from './account.guard.js';
import type { ActingAccount } from './acting-account.js';

type AccountPolicy = ControllerPolicy & {
  tag: string;
  reads: Permission;
  writes?: Permission;
  quota?: QuotaName;
  version?: 5 | 12;
  /** The segments of the path before `accounts`. */
  within?: 'stats' | 'stats/jobs';
};

/** A controller under an account. Requests are signed, authorized for the account, rate-limited and enveloped. */
export const AccountController = (resource: string, { version = 12, within, ...rules }: AccountPolicy) =>
  accountScoped(`${version}/${within ? `${within}/` : ''}accounts/:account_id${resource && `/${resource}`}`, rules);

/** The same for batches, which accept JSON. */
export const BatchController = (resource: string, rules: AccountPolicy) =>
  accountScoped(`12/batch/accounts/:account_id/${resource}`, { ...rules, body: 'json' });

const accountScoped = (path: string, rules: ControllerPolicy & { tag: string }) =>
  applyDecorators(AdsController(path, rules, AccountGuard), ApiParam({ name: 'account_id', type: String }));

/** The account found by the guard, and the user on whose behalf the request acts. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext): ActingAccount => {
  const { account, transaction } = context.switchToHttp().getRequest<FastifyRequest>();
  // other requests share the account
  return transaction ? { ...account!, db: transaction } : account!;
});
