import { consumerOf, type FoundCredentials, tokenOf } from '../credentials/credentials.js';
import { expiresSoon, refreshed } from '../credentials/oauth2-tokens.js';
import { Profiles } from '../credentials/profiles.js';
import { CommandRefusal } from '../refusal.js';
import { type Draft, freshly, signed } from './draft.js';

/** Adds the Authorization header to a request. */
export type Authorize = (request: Draft) => Promise<Draft>;

/**
 * Authorizes requests with the access token of OAuth 2.0, where the credentials have one, otherwise with a signature. A token
 * that is named is one to sign with, and false signs without a token. Missing keys are a CommandRefusal at once.
 */
export function authorizerOf(found: FoundCredentials, token?: string | false): Authorize {
  if (token !== undefined || !found.credentials.oauth2_access_token) {
    const keys = { consumer: consumerOf(found), token: tokenOf(found, token) };
    return async (request) => signed(request, { ...keys, ...freshly() });
  }
  let bearer: Promise<string> | undefined;
  return async (request) => {
    // requests at the same time share a refresh: a refresh token is valid once
    bearer ??= bearerOf(found).finally(() => (bearer = undefined));
    return { ...request, headers: [['authorization', `Bearer ${await bearer}`], ...request.headers] };
  };
}

/** The access token of a login by OAuth 2.0, refreshed if necessary. */
async function bearerOf({ credentials, profile }: FoundCredentials): Promise<string> {
  const profiles = new Profiles();
  // another command, or an earlier request of this one, may have refreshed it
  const own = profile === undefined ? credentials : profiles.get(profile);
  if (!expiresSoon(own)) return own.oauth2_access_token;
  if (profile === undefined)
    throw new CommandRefusal(
      'the access token has expired, and only those of a profile are refreshed; name the profile with --profile, or sign in with ' +
        '`marquee login --oauth2`',
    );
  const { base_url: baseUrl, client_id: clientId, client_secret: clientSecret } = own;
  const next = await refreshed({ baseUrl, clientId, clientSecret }, own);
  // a refresh token is valid once
  profiles.update(profile, { ...own, ...next });
  return next.oauth2_access_token;
}
