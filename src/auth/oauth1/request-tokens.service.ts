import { randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import type { AccessLevel } from '../credentials/application.entity.js';
import { CredentialsService, type KeyAndSecret } from '../credentials/credentials.service.js';
import { secretText } from '../credentials/tokens.js';
import { Vault } from '../credentials/vault.js';
import { RequestToken } from './request-token.entity.js';

const LIFETIME_MS = 15 * 60_000;
/** A token is void after so many wrong verifiers. */
const MOST_WRONG_VERIFIERS = 5;
const PIN_DIGITS = 7;

/** What a flow ends in. */
export interface Exchanged extends KeyAndSecret {
  userId: string;
  username: string;
}

/** Why an exchange is refused: the request token cannot be used any more, or the verifier is not its own. */
export type ExchangeRefusal = 'gone' | 'wrong-verifier';

/** A request token that can still be exchanged. */
interface PendingToken {
  userId: string | null;
  username: string | null;
  applicationId: string;
  accessLevel: AccessLevel;
  sealedVerifier: string | null;
}

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
    const now = this.clock.now();
    const pair = { key: secretText(32), secret: secretText(32) };
    const token: Row<RequestToken> = {
      id: newId(now),
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
      applicationId,
      callback,
      accessLevel,
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      userId: null,
      sealedVerifier: null,
      attempts: 0,
      endedAt: null,
    };
    await retrying(() => write(this.db.manager, [insert(RequestToken, [token])]));
    return pair;
  }

  /** The token with this text, while it can still be used. */
  async find(token: string): Promise<Row<RequestToken> | undefined> {
    const open = this.open(this.db.manager).where`r.lookup = ANY(${this.vault.lookups(token)})`;
    const [found] = await run<Row<RequestToken>>(this.db.manager, open.statement());
    return found;
  }

  secretOf(token: Row<RequestToken>): string {
    return this.vault.open(token.sealedSecret);
  }

  /** The user says yes; answers the verifier. Saying it again gives the same one, another user comes too late. */
  async approve(id: string, userId: string): Promise<string | undefined> {
    const [token] = await run<{ callback: string | null }>(
      this.db.manager,
      this.open(this.db.manager).is('id', id).statement(),
    );
    if (!token) return undefined;
    const verifier = token.callback === null ? pin() : secretText(32);
    const values = [id, this.clock.now().toISOString(), userId, this.vault.seal(verifier)];
    const [approved] = await run<{ sealedVerifier: string }>(this.db.manager, {
      text: `UPDATE request_tokens SET "userId" = $3, "sealedVerifier" = COALESCE("sealedVerifier", $4)
        WHERE id = $1 AND "endedAt" IS NULL AND "expiresAt" > $2 AND ("userId" IS NULL OR "userId" = $3)
        RETURNING "sealedVerifier"`,
      values,
    });
    return approved && this.vault.open(approved.sealedVerifier);
  }

  /** The user says no; false when it was over before. */
  async refuse(id: string): Promise<boolean> {
    const ended = await run(this.db.manager, {
      text: 'UPDATE request_tokens SET "endedAt" = $2 WHERE id = $1 AND "endedAt" IS NULL AND "expiresAt" > $2 RETURNING id',
      values: [id, this.clock.now().toISOString()],
    });
    return ended.length > 0;
  }

  /** Gives the access token for a verifier, once. A wrong verifier is counted, and the last one voids the token. */
  async exchange(id: string, verifier: string): Promise<Exchanged | ExchangeRefusal> {
    return retrying(() => this.db.transaction((tx) => this.exchangeIn(tx, id, verifier)));
  }

  private async exchangeIn(tx: EntityManager, id: string, verifier: string): Promise<Exchanged | ExchangeRefusal> {
    const now = this.clock.now().toISOString();
    const [pending] = await run<PendingToken>(tx, {
      text: `SELECT r."userId", r."applicationId", r."accessLevel", r."sealedVerifier",
          (SELECT u.username FROM users u WHERE u.id = r."userId" AND u."suspendedAt" IS NULL AND u."deletedAt" IS NULL) AS username
        FROM request_tokens r WHERE r.id = $1 AND r."endedAt" IS NULL AND r."expiresAt" > $2 FOR UPDATE OF r`,
      values: [id, now],
    });
    if (!pending) return 'gone';
    if (pending.sealedVerifier === null || !isSame(this.vault.open(pending.sealedVerifier), verifier)) {
      await run(tx, {
        text: `UPDATE request_tokens SET attempts = attempts + 1, "endedAt" = CASE WHEN attempts + 1 >= $3 THEN $2::timestamptz END WHERE id = $1`,
        values: [id, now, MOST_WRONG_VERIFIERS],
      });
      return 'wrong-verifier';
    }
    await run(tx, { text: 'UPDATE request_tokens SET "endedAt" = $2 WHERE id = $1', values: [id, now] });
    if (pending.userId === null || pending.username === null) return 'gone';
    const pair = await this.credentials.flowToken(tx, pending.userId, pending.applicationId, pending.accessLevel);
    return { ...pair, userId: pending.userId, username: pending.username };
  }

  private open(db: EntityManager) {
    return rows(db, RequestToken).is('endedAt', null).where`r."expiresAt" > ${this.clock.now().toISOString()}`;
  }
}

const pin = () => String(randomInt(10 ** PIN_DIGITS)).padStart(PIN_DIGITS, '0');

/** Takes as long wherever they differ. */
function isSame(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
