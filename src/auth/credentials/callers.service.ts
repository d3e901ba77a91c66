import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { run } from '../../common/db/query/statement.js';
import type { Caller } from '../caller.js';
import type { AccessLevel } from './application.entity.js';
import { Vault } from './vault.js';

/** Why nobody stands behind a consumer key and token. */
export type Stranger = 'unknown-application' | 'unknown-token';

interface Found {
  applicationId: string | null;
  ownerId: string;
  consumerKey: string;
  applicationSecret: string;
  applicationLevel: AccessLevel;
  adsAccess: boolean;
  tokenId: string | null;
  tokenSecret: string;
  tokenLevel: AccessLevel;
  tokenApplicationId: string;
  revoked: boolean;
  userId: string;
  suspended: boolean;
}

const FIND = `
  SELECT a.id AS "applicationId", a."ownerId", a."consumerKey", a."sealedSecret" AS "applicationSecret", a."accessLevel" AS "applicationLevel",
    a."adsAccess", t.id AS "tokenId", t."sealedSecret" AS "tokenSecret", t."accessLevel" AS "tokenLevel", t."applicationId" AS "tokenApplicationId",
    t."revokedAt" IS NOT NULL AS revoked, t."userId", u."suspendedAt" IS NOT NULL OR u."deletedAt" IS NOT NULL AS suspended
  FROM (VALUES (1)) AS once (n)
  LEFT JOIN applications a ON a."consumerKey" = $1 AND a."deletedAt" IS NULL
  LEFT JOIN access_tokens t ON t.lookup = ANY($2)
  LEFT JOIN users u ON u.id = t."userId"`;

/** DatabaseNotifications on this channel empty the caches of callers: a token, application or user has changed. */
const CHANNEL = 'callers';
/** Nobody gets to try the same wrong key more often than this. */
const STRANGERS_MS = 1_000;

/**
 * Finds who a consumer key and token belong to. What is found is kept for ten seconds, and forgotten at once when any
 * replica says that a credential changed; while no such word can arrive it is kept for half a second only.
 */
@Injectable()
export class CallersService {
  private readonly known: SharedCache<Caller>;
  private readonly strangers: SharedCache<Stranger>;

  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 10_000 });
    this.strangers = new SharedCache(notifications, CHANNEL, { max: 10_000, ttlMs: STRANGERS_MS });
  }

  /** The caller, without a promise where one is remembered. */
  find(consumerKey: string, token: string): Caller | Stranger | Promise<Caller | Stranger> {
    const key = `${consumerKey} ${token}`;
    return this.known.get(key) ?? this.strangers.get(key) ?? this.load(key, consumerKey, token);
  }

  /** To be called in the transaction, or after the statement, that changed a credential. */
  invalidate(db = this.db.manager): Promise<void> {
    return this.known.invalidate(db);
  }

  private async load(key: string, consumerKey: string, token: string): Promise<Caller | Stranger> {
    const [keep, keepStranger] = [this.known.beginRead(), this.strangers.beginRead()];
    const [found] = await run<Found>(this.db.manager, { text: FIND, values: [consumerKey, this.vault.lookups(token)] });
    const caller = this.judge(found, token);
    if (typeof caller === 'string') keepStranger(key, caller);
    else keep(key, caller);
    return caller;
  }

  private judge(found: Found, token: string): Caller | Stranger {
    if (!found.applicationId) return 'unknown-application';
    if (!found.tokenId || found.revoked || found.suspended) return 'unknown-token';
    if (found.tokenApplicationId !== found.applicationId) return 'unknown-application';
    return {
      userId: found.userId,
      tokenId: found.tokenId,
      token,
      tokenSecret: this.vault.open(found.tokenSecret),
      accessLevel: found.applicationLevel === 'write' ? found.tokenLevel : 'read',
      application: {
        id: found.applicationId,
        ownerId: found.ownerId,
        consumerKey: found.consumerKey,
        consumerSecret: this.vault.open(found.applicationSecret),
        adsAccess: found.adsAccess,
      },
    };
  }
}
