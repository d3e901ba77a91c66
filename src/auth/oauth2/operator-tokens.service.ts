import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Application } from '../credentials/application.entity.js';
import type { Scope } from '../credentials/scopes.js';
import { secretText } from '../credentials/tokens.js';
import { grantable } from '../grants/authorization.rules.js';
import { GrantsService } from '../grants/grants.service.js';
import { TokenExchange } from './token-exchange.service.js';
import type { TokenAnswer } from './token-model.js';

/** A callback to which no browser is sent. */
const NO_CALLBACK = 'urn:ietf:wg:oauth:2.0:oob';
const VERIFIER_LENGTH = 64;

/** The application gets none of these scopes. */
export class ScopesRefused extends Error {}

/** Tokens of OAuth 2.0 without a browser, for operators and tests. */
@Injectable()
export class OperatorTokens {
  constructor(
    private readonly grants: GrantsService,
    private readonly exchange: TokenExchange,
  ) {}

  /**
   * Approves a client of OAuth 2.0 for a user and returns the tokens. As every approval, it ends the earlier tokens of the client for
   * the user.
   */
  async issue(
    application: Pick<Application, 'id' | 'accessLevel' | 'clientScopes'> & { clientId: string },
    userId: string,
    asked: readonly Scope[],
  ): Promise<TokenAnswer> {
    const { id, clientId, clientScopes } = application;
    const scopes = grantable([...new Set(asked)], application);
    if (typeof scopes === 'string') throw new ScopesRefused(scopes);
    const verifier = secretText(VERIFIER_LENGTH);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const code = await this.grants.approve({
      ...{ userId, applicationId: id, scopes, redirectUri: NO_CALLBACK },
      ...{ challenge, challengeMethod: 'S256' },
    });
    const fields = { grant_type: 'authorization_code', code, redirect_uri: NO_CALLBACK, code_verifier: verifier };
    return this.exchange.exchange({ id, clientId, scopes: clientScopes, grants: ['authorization_code'] }, fields);
  }
}
