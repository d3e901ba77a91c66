import { randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { unlessSet } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import type { AccessLevel } from '../credentials/application.entity.js';
import { CredentialsService, type KeyAndSecret } from '../credentials/credentials.service.js';
import { secretText } from '../credentials/tokens.js';
import { User } from '../credentials/user.entity.js';
import { Vault } from '../credentials/vault.js';
import { RequestToken } from './request-token.entity.js';

const LIFETIME_MS = 15 * 60_000;
/** A token is void after so many wrong verifiers. */
const MAX_WRONG_VERIFIERS = 5;
const PIN_DIGITS = 7;

/** What a flow ends in. */
export interface Exchanged extends KeyAndSecret {
  userId: string;
  username: string;
}

/** Why an exchange is refused: the request token cannot be used any more, or the verifier is not its own. */
export type ExchangeRefusal = 'gone' | 'wrong-verifier';

/** Request tokens, from being asked for to being exchanged. Every step that may happen once is decided by its row. */
@Injectable()
export class RequestTokensService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly credentials: CredentialsService,
  ) {}

  async issue(applicationId: string, callback: string | null, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    const pair = { key: secretText(32), secret: secretText(32) };
    const sealed = {
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
    };
    await retrying(() => {
      const now = this.clock.now();
      const token: Row<RequestToken> = {
        id: newId(now),
        applicationId,
        callback,
        accessLevel,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
        userId: null,
        sealedVerifier: null,
        attempts: 0,
        endedAt: null,
        ...sealed,
      };
      return write(this.db.manager, [insert(RequestToken, [token])]);
    });
    return pair;
  }

  /** The token with this text, while it can still be used. */
  async find(token: string): Promise<Row<RequestToken> | undefined> {
    return this.open(this.db.manager).whereIn('lookup', this.vault.lookups(token)).getOne();
  }

  secretOf(token: Row<RequestToken>): string {
    return this.vault.open(token.sealedSecret);
  }

  /** The user says yes; answers the verifier. Saying it again gives the same one, another user comes too late. */
  async approve(id: string, userId: string): Promise<string | undefined> {
    const token = await this.open(this.db.manager).where('id', id).getOne();
    if (!token) return undefined;
    const verifier = token.callback === null ? pin() : secretText(32);
    const [approved] = await this.open(this.db.manager)
      .where('id', id)
      .whereAny(
        (tokens) => tokens.where('userId', null),
        (tokens) => tokens.where('userId', userId),
      )
      .update({ userId, sealedVerifier: unlessSet(this.vault.seal(verifier)) });
    return approved?.sealedVerifier ? this.vault.open(approved.sealedVerifier) : undefined;
  }

  /** The user says no; false when it was over before. */
  async refuse(id: string): Promise<boolean> {
    const endedAt = this.clock.now().toISOString();
    return (await this.open(this.db.manager).where('id', id).update({ endedAt })).length > 0;
  }

  /** Gives the access token for a verifier, once. A wrong verifier is counted, and the last one voids the token. */
  async exchange(id: string, verifier: string): Promise<Exchanged | ExchangeRefusal> {
    return retrying(() => this.db.transaction((tx) => this.exchangeIn(tx, id, verifier)));
  }

  private async exchangeIn(tx: EntityManager, id: string, verifier: string): Promise<Exchanged | ExchangeRefusal> {
    const now = this.clock.now().toISOString();
    const pending = await this.open(tx).where('id', id).setLock('for_no_key_update').getOne();
    if (!pending) return 'gone';
    const token = rows(tx, RequestToken).where('id', id);
    if (pending.sealedVerifier === null || !isSame(this.vault.open(pending.sealedVerifier), verifier)) {
      const attempts = pending.attempts + 1;
      await token.update({ attempts, endedAt: attempts >= MAX_WRONG_VERIFIERS ? now : null });
      return 'wrong-verifier';
    }
    await token.update({ endedAt: now });
    const { userId, applicationId, accessLevel } = pending;
    if (userId === null) return 'gone';
    const user = await rows(tx, User).where('id', userId).where('suspendedAt', null).getOne();
    if (!user) return 'gone';
    const pair = await this.credentials.flowToken(tx, userId, applicationId, accessLevel);
    return { ...pair, userId, username: user.username };
  }

  private open(db: EntityManager) {
    return rows(db, RequestToken).where('endedAt', null).whereMoreThan('expiresAt', this.clock.now().toISOString());
  }
}

const pin = () => String(randomInt(10 ** PIN_DIGITS)).padStart(PIN_DIGITS, '0');

/** Takes as long wherever they differ. */
function isSame(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
