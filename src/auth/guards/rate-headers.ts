import type { FastifyReply } from 'fastify';
import type { WindowUsage } from '../limits/windows.js';

/** The window of each header set: that of the user token and that of the account. */
export interface ShownWindows {
  user?: WindowUsage;
  account?: WindowUsage;
}

/**
 * Sets the headers that clients read (`x-account-rate-limit-*` takes precedence over `x-rate-limit-*`) and the IETF
 * fields. When only an account window applies, both sets show it. On a 429 every set shows the full window.
 */
export function announceLimits(reply: FastifyReply, { user, account }: ShownWindows, nowSeconds: number): void {
  const exceeded = [account, user].find((usage) => usage?.exceeded);
  const forUser = exceeded ?? user ?? account;
  if (!forUser) return;
  setHeaders(reply, 'x-rate-limit', forUser);
  if (account) setHeaders(reply, 'x-account-rate-limit', exceeded ?? account);
  // X had a family of its own for statistics, which clients still read
  if (forUser.name === 'STATISTICS') {
    setHeaders(reply, 'x-cost-rate-limit', forUser);
    reply.header('x-request-cost', 1);
  }
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
 * Time until the window ends, in whole seconds. It never exceeds the window: both times are rounded, and the clock of
 * the replica that started the window may be ahead of this one.
 */
export const secondsUntilReset = ({ resetAt, seconds }: WindowUsage, nowSeconds: number): number =>
  Math.min(seconds, Math.max(0, resetAt - nowSeconds));

function setHeaders(reply: FastifyReply, prefix: string, { limit, remaining, resetAt }: WindowUsage): void {
  reply.header(`${prefix}-limit`, limit).header(`${prefix}-remaining`, remaining).header(`${prefix}-reset`, resetAt);
}
