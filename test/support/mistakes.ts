import { BearersService } from '../../src/auth/bearers/bearers.service.js';
import { withoutSlash } from '../../src/config/config.js';
import type { Place } from '../../scripts/proofs/support/mistakes.js';
import { world } from './app.js';
import { given } from './given.js';
import { send } from './http.js';

/** Somebody with an account in each environment, for the mistakes that a newcomer makes; `headers` are those of a proxy. */
export async function newPlace(
  signedFor: string,
  origin: string,
  headers: Record<string, string> = {},
): Promise<Place> {
  const application = await given.application();
  const { user, account, credentials } = await given.advertiser({ application });
  const { baseUrl, adsBaseUrl, adsSandboxBaseUrl } = world().config;
  return {
    send: (method, target, own, body) => send(origin, target, { method, headers: { ...own, ...headers }, body }),
    signedFor,
    urls: { BASE: withoutSlash(baseUrl), ADS: withoutSlash(adsBaseUrl), SANDBOX: withoutSlash(adsSandboxBaseUrl) },
    now: () => world().clock.seconds(),
    credentials,
    stranger: (await given.application()).consumer,
    bearer: await world().get(BearersService).issue(application.id),
    accountId: account.id,
    sandboxAccountId: (await given.account({ userId: user.id, environment: 'sandbox' })).id,
    fundingId: (await given.fundingInstrument({ account })).id,
  };
}
