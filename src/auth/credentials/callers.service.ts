import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Caller } from '../caller.js';
import { AccessToken } from './access-token.entity.js';
import { Application } from './application.entity.js';
import { User } from './user.entity.js';
import { Vault } from './vault.js';
import { createHash, timingSafeEqual } from 'node:crypto';

/** Why a consumer key and token identify no caller, and the rows they name. For the log only: clients never see it. */
export interface UnknownCredentials {
  unknown: 'unknown-application' | 'unknown-token' | 'token-of-another';
  /** The detailed reason, where there is one. */
  because?: 'revoked-token' | 'suspended-user';
  applicationId?: string;
  tokenId?: string;
}

/** A notification on this channel means that a token, application or user has changed. It empties the caches. */
export const CALLERS_CHANNEL = 'callers';
/** The time for which unknown credentials are cached: a client that repeats a wrong key costs one query a second. */
const UNKNOWN_KEPT_MS = 1_000;

/**
 * Finds the caller that a consumer key and token identify. Callers are cached for ten seconds, and dropped at once when a
 * replica notifies that a credential changed. While notifications cannot arrive they are cached for half a second.
 */
@Injectable()
export class CallersService {
  private readonly callers: SharedCache<Caller>;
  private readonly unknownCredentials: SharedCache<UnknownCredentials>;

  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    notifications: DatabaseNotifications,
  ) {
    this.callers = new SharedCache(notifications, CALLERS_CHANNEL, { max: 10_000 });
    this.unknownCredentials = new SharedCache(notifications, CALLERS_CHANNEL, { max: 10_000, ttlMs: UNKNOWN_KEPT_MS });
  }

  /** The caller; without a promise where it is cached. */
  find(consumerKey: string, token: string): Caller | UnknownCredentials | Promise<Caller | UnknownCredentials> {
    const key = `${consumerKey} ${token}`;
    return this.callers.get(key) ?? this.unknownCredentials.get(key) ?? this.load(key, consumerKey, token);
  }

  /** The caller of a token and its secret, which are sent instead of a signature; undefined for wrong ones. */
  async authenticate(token: string, secret: string): Promise<Caller | undefined> {
    // no consumer key is empty
    const key = ` ${token}`;
    const caller = this.callers.get(key) ?? this.unknownCredentials.get(key) ?? (await this.loadByToken(key, token));
    return !('unknown' in caller) && isSameSecret(caller.tokenSecret, secret) ? caller : undefined;
  }

  /** Empties the caches of all replicas. Call it in the transaction, or after the statement, that changed a credential. */
  invalidate(db = this.db.manager): Promise<void> {
    return this.callers.invalidate(db);
  }

  private async load(key: string, consumerKey: string, token: string): Promise<Caller | UnknownCredentials> {
    const [keep, keepUnknown] = [this.callers.beginRead(), this.unknownCredentials.beginRead()];
    const db = this.db.manager;
    const tokens = rows(db, AccessToken).whereIn('lookup', this.vault.lookups(token));
    // together, so that a miss takes one round trip
    const [application, pair, user] = await Promise.all([
      rows(db, Application).where('consumerKey', consumerKey).getOne(),
      tokens.getOne(),
      rows(db, User).whereInSubquery('id', tokens, 'userId').where('suspendedAt', null).getOne(),
    ]);
    const caller = this.callerFrom(token, application, pair, user);
    if ('unknown' in caller) keepUnknown(key, caller);
    else keep(key, caller);
    return caller;
  }

  private async loadByToken(key: string, token: string): Promise<Caller | UnknownCredentials> {
    const [keep, keepUnknown] = [this.callers.beginRead(), this.unknownCredentials.beginRead()];
    const db = this.db.manager;
    const tokens = rows(db, AccessToken).whereIn('lookup', this.vault.lookups(token));
    const application = await rows(db, Application).whereInSubquery('id', tokens, 'applicationId').getOne();
    const caller: Caller | UnknownCredentials = application
      ? await this.find(application.consumerKey, token)
      : { unknown: 'unknown-token' };
    if ('unknown' in caller) keepUnknown(key, caller);
    else keep(key, caller);
    return caller;
  }

  private callerFrom(
    token: string,
    application: Row<Application> | undefined,
    pair: Row<AccessToken> | undefined,
    user: Row<User> | undefined,
  ): Caller | UnknownCredentials {
    const ids = { applicationId: application?.id, tokenId: pair?.id };
    if (!application) return { unknown: 'unknown-application', ...ids };
    if (!pair) return { unknown: 'unknown-token', ...ids };
    if (pair.revokedAt !== null) return { unknown: 'unknown-token', because: 'revoked-token', ...ids };
    if (!user) return { unknown: 'unknown-token', because: 'suspended-user', ...ids };
    if (pair.applicationId !== application.id) return { unknown: 'token-of-another', ...ids };
    return {
      userId: user.id,
      tokenId: pair.id,
      token,
      tokenSecret: this.vault.open(pair.sealedSecret),
      accessLevel: application.accessLevel === 'write' ? pair.accessLevel : 'read',
      application: {
        id: application.id,
        ownerId: application.ownerId,
        consumerKey: application.consumerKey,
        consumerSecret: this.vault.open(application.sealedSecret),
        adsAccess: application.adsAccess,
        conversionsOnly: application.conversionsOnly,
      },
    };
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Constant-time comparison of secrets of any length. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
