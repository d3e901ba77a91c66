import { randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThan, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { newId } from '../../common/entity/ids.js';
import { FlowTokensService } from '../credentials/access-tokens.service.js';
import type { AccessLevel } from '../credentials/application.entity.js';
import type { KeyAndSecret } from '../credentials/tokens.js';
import { secretText } from '../credentials/tokens.js';
import { User } from '../credentials/user.entity.js';
import { Vault } from '../credentials/vault.js';
import { RequestToken } from './request-token.entity.js';

const LIFETIME_MS = 15 * 60_000;
/** A request token is void after this many wrong verifiers. */
const MAX_WRONG_VERIFIERS = 5;
const PIN_DIGITS = 7;

/** The access token that a flow ends with, and its user. */
export interface ExchangedToken extends KeyAndSecret {
  userId: string;
  username: string;
}

/** Why an exchange is refused: the request token is no longer valid, or the verifier is wrong. */
export type ExchangeRefusal = 'gone' | 'wrong-verifier';

/** Request tokens, from issue to exchange. The row of a token decides which steps are still possible. */
@Injectable()
export class RequestTokensService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly flowTokens: FlowTokensService,
  ) {}

  async issue(applicationId: string, callback: string | null, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    const pair = { key: secretText(32), secret: secretText(32) };
    const now = this.clock.now();
    const token = {
      applicationId,
      callback,
      accessLevel,
      createdAt: now,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
    };
    await retrying(() => this.db.manager.insert(RequestToken, { id: newId(now), ...token }));
    return pair;
  }

  /** The request token with this text, while it is valid. */
  find(token: string): Promise<RequestToken | null> {
    return this.db.manager.findOneBy(RequestToken, this.valid({ lookup: In(this.vault.lookups(token)) }));
  }

  secretOf(token: RequestToken): string {
    return this.vault.open(token.sealedSecret);
  }

  /**
   * Records that the user approved, and returns the verifier. Repeating it returns the same verifier. Undefined where the
   * token is no longer valid or another user approved it.
   */
  approve(id: string, userId: string): Promise<string | undefined> {
    return this.db.transaction(async (tx) => {
      const token = await this.lock(tx, id);
      if (!token || (token.userId !== null && token.userId !== userId)) return undefined;
      if (token.sealedVerifier !== null) return this.vault.open(token.sealedVerifier);
      const verifier = token.callback === null ? pin() : secretText(32);
      await tx.update(RequestToken, { id }, { userId, sealedVerifier: this.vault.seal(verifier) });
      return verifier;
    });
  }

  /** Records that the user refused; false where the token is no longer valid. */
  async refuse(id: string): Promise<boolean> {
    const { affected } = await this.db.manager.update(RequestToken, this.valid({ id }), { endedAt: this.clock.now() });
    return affected === 1;
  }

  /** Exchanges a verifier for the access token, once. Wrong verifiers are counted, and the last one voids the token. */
  async exchange(id: string, verifier: string): Promise<ExchangedToken | ExchangeRefusal> {
    return retrying(() => this.db.transaction((tx) => this.exchangeIn(tx, id, verifier)));
  }

  private async exchangeIn(tx: EntityManager, id: string, verifier: string): Promise<ExchangedToken | ExchangeRefusal> {
    const now = this.clock.now();
    const pending = await this.lock(tx, id);
    if (!pending) return 'gone';
    if (pending.sealedVerifier === null || !isSame(this.vault.open(pending.sealedVerifier), verifier)) {
      const attempts = pending.attempts + 1;
      await tx.update(RequestToken, { id }, { attempts, endedAt: attempts >= MAX_WRONG_VERIFIERS ? now : null });
      return 'wrong-verifier';
    }
    await tx.update(RequestToken, { id }, { endedAt: now });
    const { userId, applicationId, accessLevel } = pending;
    if (userId === null) return 'gone';
    const user = await tx.findOneBy(User, { id: userId, suspendedAt: IsNull() });
    if (!user) return 'gone';
    const pair = await this.flowTokens.issue(tx, userId, applicationId, accessLevel);
    return { ...pair, userId, username: user.username };
  }

  private lock(tx: EntityManager, id: string): Promise<RequestToken | null> {
    return tx.findOne(RequestToken, { where: this.valid({ id }), lock: { mode: 'for_no_key_update' } });
  }

  private valid(which: FindOptionsWhere<RequestToken>): FindOptionsWhere<RequestToken> {
    return { endedAt: IsNull(), expiresAt: MoreThan(this.clock.now()), ...which };
  }
}

const pin = () => String(randomInt(10 ** PIN_DIGITS)).padStart(PIN_DIGITS, '0');

/** Constant-time comparison of texts of the same length. */
function isSame(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
