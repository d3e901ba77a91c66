import type { FastifyReply } from 'fastify';
import type { Usage } from '../../common/limits/windows.js';

/** Which header set describes a window: the user token's or the account's. */
export interface ShownWindows {
  user?: Usage;
  account?: Usage;
}

/**
 * The header sets that clients read (`x-account-rate-limit-*` goes before `x-rate-limit-*`), and the IETF fields beside
 * them. Where only an account window applies both sets show it; on a 429 every set shows the window that ran out.
 */
export function announceLimits(reply: FastifyReply, { user, account }: ShownWindows, nowSeconds: number): void {
  const exceeded = [account, user].find((usage) => usage?.exceeded);
  const forUser = exceeded ?? user ?? account;
  if (!forUser) return;
  put(reply, 'x-rate-limit', forUser);
  if (account) put(reply, 'x-account-rate-limit', exceeded ?? account);
  const shown = exceeded ? [exceeded] : [...new Set([account, user])].filter((usage) => usage !== undefined);
  reply.header(
    'ratelimit-policy',
    shown.map(({ name, limit, seconds }) => `"${name.toLowerCase()}";q=${limit};w=${seconds}`).join(', '),
  );
  reply.header(
    'ratelimit',
    shown
      .map((usage) => `"${usage.name.toLowerCase()}";r=${usage.remaining};t=${secondsUntilReset(usage, nowSeconds)}`)
      .join(', '),
  );
}

/**
 * How long until the window ends, in whole seconds. Never longer than the window is: the end and the time now are each
 * rounded, and the clock of the replica that began the window may be ahead of ours.
 */
export const secondsUntilReset = ({ resetAt, seconds }: Usage, nowSeconds: number): number =>
  Math.min(seconds, Math.max(0, resetAt - nowSeconds));

function put(reply: FastifyReply, prefix: string, { limit, remaining, resetAt }: Usage): void {
  reply.header(`${prefix}-limit`, limit).header(`${prefix}-remaining`, remaining).header(`${prefix}-reset`, resetAt);
}
