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

/** Why a consumer key and token are no caller's, and whose they were: for who answers for the service, and nobody else. */
export interface UnknownCredentials {
  unknown: 'unknown-application' | 'unknown-token' | 'token-of-another';
  /** What there is to say beyond it. */
  because?: 'revoked-token' | 'suspended-user';
  applicationId?: string;
  tokenId?: string;
}

/** A notification on this channel says that a token, application or user has changed: the caches are emptied. */
const CHANNEL = 'callers';
/** How long a refusal is kept, so that a client that repeats a wrong key costs one query a second. */
const UNKNOWN_KEPT_MS = 1_000;

/**
 * Finds who a consumer key and token belong to. What is found is kept for ten seconds, and forgotten at once when any
 * replica says that a credential changed; while no such word can arrive it is kept for half a second only.
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
    this.callers = new SharedCache(notifications, CHANNEL, { max: 10_000 });
    this.unknownCredentials = new SharedCache(notifications, CHANNEL, { max: 10_000, ttlMs: UNKNOWN_KEPT_MS });
  }

  /** The caller, without a promise where one is remembered. */
  find(consumerKey: string, token: string): Caller | UnknownCredentials | Promise<Caller | UnknownCredentials> {
    const key = `${consumerKey} ${token}`;
    return this.callers.get(key) ?? this.unknownCredentials.get(key) ?? this.load(key, consumerKey, token);
  }

  /** To be called in the transaction, or after the statement, that changed a credential. */
  invalidate(db = this.db.manager): Promise<void> {
    return this.callers.invalidate(db);
  }

  private async load(key: string, consumerKey: string, token: string): Promise<Caller | UnknownCredentials> {
    const [keep, keepUnknown] = [this.callers.beginRead(), this.unknownCredentials.beginRead()];
    const db = this.db.manager;
    const tokens = rows(db, AccessToken).whereIn('lookup', this.vault.lookups(token));
    // started together, so that a miss takes one round trip; no request waits for this again while the answer is kept
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
      },
    };
  }
}
