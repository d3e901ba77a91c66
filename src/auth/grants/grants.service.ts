import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { newId } from '../../common/entity/ids.js';
import { Clock } from '../../common/time/clock.js';
import type { Caller } from '../caller.js';
import { Application } from '../credentials/application.entity.js';
import { CALLERS_CHANNEL, CallersService } from '../credentials/callers.service.js';
import { storeTokensRevoked } from '../credentials/token-revoked.event.js';
import { hashOfSecret, secretText } from '../credentials/tokens.js';
import { User } from '../credentials/user.entity.js';
import { AuthorizationCode, Grant, GrantToken, type ChallengeMethod } from './grant.entity.js';
import { storeApproval } from './grants.statements.js';
import type { Scope } from '../credentials/scopes.js';

const CODE_LIFETIME_MS = 30_000;
const CODE_LENGTH = 50;
/** Grants that one statement revokes. */
const BATCH = 5_000;
/** The time for which unknown tokens are cached: a client that repeats one costs one query a second. */
const UNKNOWN_KEPT_MS = 1_000;

/** What a user approves. */
export interface Approved {
  userId: string;
  applicationId: string;
  scopes: readonly Scope[];
  redirectUri: string;
  challenge: string;
  challengeMethod: ChallengeMethod;
}

/** Why a bearer token identifies no user, and what it names. For the log only. */
export interface UnknownBearer {
  because?: 'revoked-token' | 'expired-token' | 'suspended-user';
  applicationId?: string;
  tokenId?: string;
}

interface KnownBearer {
  caller: Caller;
  expiresAt: number;
}

/** The permissions that users give applications by OAuth 2.0, and the callers of their access tokens. */
@Injectable()
export class GrantsService {
  private readonly bearers: SharedCache<KnownBearer>;
  private readonly unknownBearers: SharedCache<UnknownBearer>;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly callers: CallersService,
    notifications: DatabaseNotifications,
  ) {
    this.bearers = new SharedCache(notifications, CALLERS_CHANNEL, { max: 10_000 });
    this.unknownBearers = new SharedCache(notifications, CALLERS_CHANNEL, { max: 10_000, ttlMs: UNKNOWN_KEPT_MS });
  }

  /** The caller of an access token, or why there is none. */
  async find(token: string): Promise<Caller | UnknownBearer> {
    const key = hashOfSecret(token);
    const known = this.bearers.get(key) ?? this.unknownBearers.get(key) ?? (await this.load(key));
    if (!('caller' in known)) return known;
    const { caller, expiresAt } = known;
    if (expiresAt > this.clock.ms()) return caller;
    return { because: 'expired-token', applicationId: caller.application.id, tokenId: caller.tokenId };
  }

  /** Stores an approval, which ends all earlier codes and tokens of the application for the user. Returns the code. */
  approve({ userId, applicationId, scopes, ...given }: Approved): Promise<string> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now();
        const code = secretText(CODE_LENGTH);
        const approval = { id: newId(now), userId, applicationId, scopes, now: now.toISOString() };
        const { id: grantId, generation } = await storeApproval(tx, approval);
        await tx.insert(AuthorizationCode, {
          id: hashOfSecret(code),
          grantId,
          generation,
          scopes: [...scopes],
          expiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
          ...given,
        });
        if (generation > 1) await this.callers.invalidate(tx);
        return code;
      }),
    );
  }

  /**
   * Revokes grants and sends an event about each to its application. With a generation, only if there was no approval since.
   * Returns those that were revoked: at most `take`, if it is given.
   */
  async revoke(tx: EntityManager, which: FindOptionsWhere<Grant>, take?: number): Promise<Grant[]> {
    const now = this.clock.now();
    const where = { ...which, revokedAt: IsNull() };
    const grants = await tx.find(Grant, { where, lock: { mode: 'for_no_key_update' }, order: { id: 'ASC' }, take });
    if (grants.length === 0) return [];
    await tx.update(Grant, { id: In(grants.map(({ id }) => id)) }, { revokedAt: now });
    await storeTokensRevoked(tx, grants, now);
    await this.callers.invalidate(tx);
    return grants;
  }

  /** The same for any number of grants, some at a time. Returns their number. */
  async revokeAll(tx: EntityManager, which: FindOptionsWhere<Grant>): Promise<number> {
    let revoked = 0;
    for (;;) {
      const some = await this.revoke(tx, which, BATCH);
      if (some.length === 0) return revoked;
      revoked += some.length;
    }
  }

  /** Revokes a grant in a transaction of its own; false if it is revoked already. */
  async revokeOne(id: string): Promise<boolean> {
    return (await retrying(() => this.db.transaction((tx) => this.revoke(tx, { id })))).length > 0;
  }

  private async load(key: string): Promise<KnownBearer | UnknownBearer> {
    const [keep, keepUnknown] = [this.bearers.beginRead(), this.unknownBearers.beginRead()];
    const db = this.db.manager;
    const tokens = rows(db, GrantToken).where('id', key).where('kind', 'access');
    const grants = rows(db, Grant).whereInSubquery('id', tokens, 'grantId');
    // together, so that a miss takes one round trip
    const [token, grant, application, user] = await Promise.all([
      tokens.getOne(),
      grants.getOne(),
      rows(db, Application).whereInSubquery('id', grants, 'applicationId').getOne(),
      rows(db, User).whereInSubquery('id', grants, 'userId').where('suspendedAt', null).getOne(),
    ]);
    const found = bearerOf(token, grant, application, user);
    if ('caller' in found) keep(key, found);
    else keepUnknown(key, found);
    return found;
  }
}

function bearerOf(
  token: Row<GrantToken> | undefined,
  grant: Row<Grant> | undefined,
  application: Row<Application> | undefined,
  user: Row<User> | undefined,
): KnownBearer | UnknownBearer {
  if (!token || !grant) return {};
  const ids = { applicationId: grant.applicationId, tokenId: grant.id };
  if (!application || grant.revokedAt !== null || token.generation !== grant.generation)
    return { because: 'revoked-token', ...ids };
  if (!user) return { because: 'suspended-user', ...ids };
  const { id, ownerId, consumerKey, accessLevel, adsAccess, conversionsOnly } = application;
  const caller: Caller = {
    userId: user.id,
    tokenId: grant.id,
    token: grant.id,
    tokenSecret: '',
    scopes: token.scopes,
    accessLevel,
    application: { id, ownerId, consumerKey, consumerSecret: '', adsAccess, conversionsOnly },
  };
  return { caller, expiresAt: Date.parse(token.expiresAt) };
}
