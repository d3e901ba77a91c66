import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import { DataSource, type EntityManager } from 'typeorm';
import { retrying } from '../../common/db/query/retry.js';
import type { SingleFields } from '../../common/http/bodies/single-fields.js';
import { Clock } from '../../common/time/clock.js';
import { hashOfSecret } from '../credentials/tokens.js';
import { Vault } from '../credentials/vault.js';
import { GrantToken } from '../grants/grant.entity.js';
import { GrantsService } from '../grants/grants.service.js';
import {
  invalidCode,
  invalidRefreshToken,
  invalidRequest,
  invalidScope,
  missingParameters,
  type OAuth2Refusal,
} from './oauth2-refusals.js';
import { ACCESS_SECONDS, REFRESH_SECONDS, TokenModel, type OAuth2Client, type TokenAnswer } from './token-model.js';

/** The parameters that each grant type requires. */
const REQUIRED: Record<string, string[]> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier'],
  refresh_token: ['refresh_token'],
};

/** The library reads a request of its own. The client is authenticated before. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };

const SETTINGS = {
  accessTokenLifetime: ACCESS_SECONDS,
  refreshTokenLifetime: REFRESH_SECONDS,
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
  // its types omit this one
  enablePlainPKCE: true,
};

/** Exchanges codes and refresh tokens for access tokens, and revokes what they gave. */
@Injectable()
export class TokenExchange {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly vault: Vault,
    private readonly grants: GrantsService,
  ) {}

  /**
   * Throws OAuth2Refusal. What a refused exchange changed, such as a grant that a replay revoked, is stored, unless its scope is
   * wrong.
   */
  async exchange(client: OAuth2Client, fields: SingleFields): Promise<TokenAnswer> {
    const { grant_type: grantType } = fields;
    if (grantType === undefined) throw missingParameters(['grant_type']);
    if (!Object.hasOwn(REQUIRED, grantType))
      throw invalidRequest(
        'Value passed for the grant type was invalid. Grant type should be one of [authorization_code, refresh_token].',
      );
    const missing = REQUIRED[grantType].filter((name) => !fields[name]);
    if (missing.length > 0) throw missingParameters(missing);
    const outcome = await retrying(() => this.db.transaction((tx) => this.exchangeIn(tx, client, fields)));
    if (outcome instanceof OAuth2Server.OAuthError) throw refusalOf(outcome, grantType);
    return outcome;
  }

  /** Revokes the grant of a token of this client. Unknown tokens, and those of others, change nothing. */
  async revoke(client: OAuth2Client, token: string): Promise<void> {
    await retrying(() =>
      this.db.transaction(async (tx) => {
        const known = await tx.findOneBy(GrantToken, { id: hashOfSecret(token) });
        if (!known) return;
        const { grantId: id, generation } = known;
        await this.grants.revoke(tx, { id, generation, applicationId: client.id });
      }),
    );
  }

  private async exchangeIn(
    tx: EntityManager,
    client: OAuth2Client,
    fields: SingleFields,
  ): Promise<TokenAnswer | OAuth2Server.OAuthError> {
    const { clock, vault, grants } = this;
    const model = new TokenModel(tx, client, { clock, vault, grants });
    const server = new OAuth2Server({ model, ...SETTINGS });
    const { scope, ...others } = fields;
    // the library refuses an empty scope, which asks for nothing else than none
    const body = { ...others, ...(scope && { scope }), client_id: client.clientId as string };
    const request = new OAuth2Server.Request({ headers: FORM, method: 'POST', query: {}, body });
    try {
      await server.token(request, new OAuth2Server.Response());
      return model.answer!;
    } catch (error) {
      if (!(error instanceof OAuth2Server.OAuthError)) throw error;
      // the library has marked the refresh token as used before: it stays valid for a request without the mistake
      if (error instanceof OAuth2Server.InvalidScopeError) throw scopeNotGranted();
      // an error of ours, such as one of the store, comes wrapped
      if (error instanceof OAuth2Server.ServerError) throw (error as { inner?: Error }).inner ?? error;
      return error;
    }
  }
}

const scopeNotGranted = () =>
  invalidScope('Value passed for the scope was invalid: it has scopes that were not granted.');

/** The errors of the library as clients of X know them. */
function refusalOf(error: OAuth2Server.OAuthError, grantType: string): OAuth2Refusal {
  const { message } = error;
  if (message.includes('verifier'))
    return invalidRequest('Value passed for the code verifier did not match the code challenge.').because(
      'code-verifier',
    );
  if (message.includes('redirect_uri'))
    return invalidRequest('Value passed for the redirect uri did not match the uri of the authorization code.').because(
      'redirect-uri',
    );
  return grantType === 'refresh_token' ? invalidRefreshToken() : invalidCode();
}
