import type { FastifyReply } from 'fastify';
import type { Usage } from '../../common/limits/windows.js';

/** Which header set describes a window: the user token's or the account's. */
export interface Announced {
  user?: Usage;
  account?: Usage;
}

/**
 * The header sets that clients read (`x-account-rate-limit-*` goes before `x-rate-limit-*`), and the IETF fields beside
 * them. Where only an account window applies both sets show it; on a 429 every set shows the window that ran out.
 */
export function announceLimits(reply: FastifyReply, { user, account }: Announced, nowSeconds: number): void {
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
      .map(
        ({ name, remaining, resetAt, seconds }) =>
          `"${name.toLowerCase()}";r=${remaining};t=${Math.min(seconds, Math.max(0, resetAt - nowSeconds))}`,
      )
      .join(', '),
  );
}

function put(reply: FastifyReply, prefix: string, { limit, remaining, resetAt }: Usage): void {
  reply.header(`${prefix}-limit`, limit).header(`${prefix}-remaining`, remaining).header(`${prefix}-reset`, resetAt);
}
