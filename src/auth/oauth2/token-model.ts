import { isDeepStrictEqual } from 'node:util';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { AuthorizationCodeModel, Client, RefreshTokenModel, User } from '@node-oauth/oauth2-server';
import { IsNull, Not, type EntityManager } from 'typeorm';
import type { Clock } from '../../common/time/clock.js';
import { hashOfSecret, secretText } from '../credentials/tokens.js';
import { User as UserEntity } from '../credentials/user.entity.js';
import type { Vault } from '../credentials/vault.js';
import { invalidScope } from './oauth2-refusals.js';
import { AuthorizationCode, Grant, GrantToken } from '../grants/grant.entity.js';
import type { GrantsService } from '../grants/grants.service.js';
import type { Scope } from '../credentials/scopes.js';

export const ACCESS_SECONDS = 7_200;
export const REFRESH_SECONDS = 180 * 86_400;
/** The time in which a client that did not receive an answer gets it again. */
export const REPEATED_MS = 10_000;
const TOKEN_LENGTH = 100;

/** The answer of the token endpoint. */
export interface TokenAnswer {
  token_type: 'bearer';
  expires_in: number;
  access_token: string;
  scope: string;
  /** With `offline.access` only. */
  refresh_token?: string;
}

/** An application that identified itself. */
export interface OAuth2Client extends Client {
  /** The id of the application. */
  id: string;
  /** The scopes that it is registered for now. */
  scopes: readonly string[];
}

interface Services {
  clock: Clock;
  vault: Vault;
  grants: GrantsService;
}

/** The library compares with the time of the machine. Our clock has decided before. */
const NOT_EXPIRED = new Date(8.64e15);

/**
 * The store of one exchange for the library, in one transaction. The row of the code or refresh token is locked, so that of
 * concurrent exchanges, on any replicas, one succeeds and the others see that it did.
 */
export class TokenModel implements AuthorizationCodeModel, RefreshTokenModel {
  /** What the endpoint answers. */
  answer?: TokenAnswer;
  private grant?: Grant;
  private refreshed?: GrantToken;
  private grantedScopes: readonly Scope[] = [];

  constructor(
    private readonly tx: EntityManager,
    private readonly client: OAuth2Client,
    private readonly services: Services,
  ) {}

  // called by name, and never without the client that was authenticated
  getClient(): Promise<OAuth2Client> {
    return Promise.resolve(this.client);
  }

  /** Never asked: requests with access tokens are admitted elsewhere. */
  getAccessToken(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Never asked: the page of approval stores codes. */
  saveAuthorizationCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** A valid code of this client. A code that was used before revokes the tokens that it gave. */
  async getAuthorizationCode(text: string) {
    const code = await this.tx.findOne(AuthorizationCode, {
      where: { id: hashOfSecret(text) },
      lock: { mode: 'for_no_key_update' },
    });
    if (!code || !(await this.findGrant(code))) return undefined;
    if (code.usedAt) return this.revokeReplayed(code);
    if (code.expiresAt <= this.services.clock.now()) return undefined;
    this.grantedScopes = this.registered(code.scopes);
    if (this.grantedScopes.length === 0) return undefined;
    return {
      authorizationCode: code.id,
      expiresAt: NOT_EXPIRED,
      redirectUri: code.redirectUri,
      scope: [...this.grantedScopes],
      client: this.client,
      user: {},
      codeChallenge: code.challenge,
      codeChallengeMethod: code.challengeMethod,
    };
  }

  /** Also ends a code that comes with a wrong verifier: nobody can try several. */
  async revokeAuthorizationCode({ authorizationCode: id }: { authorizationCode: string }): Promise<boolean> {
    const { affected } = await this.tx.update(AuthorizationCode, { id }, { usedAt: this.services.clock.now() });
    return affected === 1;
  }

  /**
   * A valid refresh token of this client. One that was used before gets the answer of its use again for a short time, as long
   * as nobody used the next one; after that it revokes the grant.
   */
  async getRefreshToken(text: string) {
    const { clock, vault } = this.services;
    const where = { id: hashOfSecret(text), kind: 'refresh' as const };
    const token = await this.tx.findOne(GrantToken, { where, lock: { mode: 'for_no_key_update' } });
    if (!token || !(await this.findGrant(token))) return undefined;
    this.refreshed = token;
    if (token.usedAt) {
      const isRepeated = token.usedAt.getTime() > clock.ms() - REPEATED_MS;
      if (!isRepeated || token.sealedAnswer === null) return this.revokeReplayed(token);
      this.answer = JSON.parse(vault.open(token.sealedAnswer)) as TokenAnswer;
      return { refreshToken: token.id, scope: this.answer.scope.split(' '), client: this.client, user: {} };
    } else if (token.expiresAt <= clock.now()) return undefined;
    this.grantedScopes = this.registered(token.scopes);
    if (this.grantedScopes.length === 0) return undefined;
    return { refreshToken: token.id, scope: [...this.grantedScopes], client: this.client, user: {} };
  }

  /** The scopes of these that the operator has not taken from the application. */
  private registered(scopes: readonly Scope[]): Scope[] {
    return scopes.filter((scope) => this.client.scopes.includes(scope));
  }

  /** Marks the token as used. The client has received the answers of earlier tokens, since this one was in the last. */
  async revokeToken(): Promise<boolean> {
    const { id, grantId } = this.refreshed!;
    if (this.answer) return true;
    await this.tx.update(GrantToken, { grantId, sealedAnswer: Not(IsNull()) }, { sealedAnswer: null });
    await this.tx.update(GrantToken, { id }, { usedAt: this.services.clock.now() });
    return true;
  }

  generateAccessToken(): Promise<string> {
    return Promise.resolve(secretText(TOKEN_LENGTH));
  }

  generateRefreshToken(): Promise<string> {
    return Promise.resolve(secretText(TOKEN_LENGTH));
  }

  async saveToken(given: OAuth2Server.Token, client: Client, user: User): Promise<OAuth2Server.Token> {
    const scopes = [...new Set(given.scope as Scope[])];
    if (this.answer && !areEqual(scopes, this.answer.scope.split(' ')))
      throw invalidScope('Value passed for the scope was invalid: the refresh token was used for other scopes.');
    this.answer ??= await this.store(given.accessToken, given.refreshToken!, scopes);
    return { accessToken: this.answer.access_token, client, user };
  }

  private async store(access: string, refresh: string, scopes: Scope[]): Promise<TokenAnswer> {
    const { clock, vault } = this.services;
    const { id: grantId, generation } = this.grant!;
    const rowOf = (text: string, kind: GrantToken['kind'], seconds: number, own: readonly Scope[]) => ({
      id: hashOfSecret(text),
      grantId,
      generation,
      kind,
      scopes: [...own],
      expiresAt: new Date(clock.ms() + seconds * 1_000),
    });
    const isOffline = this.grantedScopes.includes('offline.access');
    await this.tx.insert(GrantToken, [
      rowOf(access, 'access', ACCESS_SECONDS, scopes),
      // a refresh may ask for fewer scopes, and the next one for all again
      ...(isOffline ? [rowOf(refresh, 'refresh', REFRESH_SECONDS, this.grantedScopes)] : []),
    ]);
    const answer: TokenAnswer = {
      token_type: 'bearer',
      expires_in: ACCESS_SECONDS,
      access_token: access,
      scope: scopes.join(' '),
      ...(isOffline && { refresh_token: refresh }),
    };
    if (this.refreshed)
      await this.tx.update(GrantToken, { id: this.refreshed.id }, { sealedAnswer: vault.seal(JSON.stringify(answer)) });
    return answer;
  }

  /** The grant of a code or token, if it is valid, of this client, and of a user who may act. */
  private async findGrant({ grantId: id, generation }: { grantId: string; generation: number }): Promise<boolean> {
    const where = { id, generation, applicationId: this.client.id, revokedAt: IsNull() };
    const grant = await this.tx.findOneBy(Grant, where);
    if (!grant || !(await this.tx.existsBy(UserEntity, { id: grant.userId, suspendedAt: IsNull() }))) return false;
    this.grant = grant;
    return true;
  }

  private async revokeReplayed({
    grantId: id,
    generation,
  }: {
    grantId: string;
    generation: number;
  }): Promise<undefined> {
    await this.services.grants.revoke(this.tx, { id, generation });
    return undefined;
  }
}

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  isDeepStrictEqual(new Set(some), new Set(others));
