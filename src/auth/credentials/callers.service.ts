import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { run } from '../../common/db/query/statement.js';
import type { Caller } from '../caller.js';
import type { AccessLevel } from './application.entity.js';
import { Vault } from './vault.js';

/** Why a consumer key and token are no caller's. */
export type UnknownCredentials = 'unknown-application' | 'unknown-token';

/** What is stored of a consumer key and a token; nulls where there is no such application or token. */
interface CredentialsRow {
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

const SELECT_CREDENTIALS = `
  SELECT a.id AS "applicationId", a."ownerId", a."consumerKey", a."sealedSecret" AS "applicationSecret", a."accessLevel" AS "applicationLevel",
    a."adsAccess", t.id AS "tokenId", t."sealedSecret" AS "tokenSecret", t."accessLevel" AS "tokenLevel", t."applicationId" AS "tokenApplicationId",
    t."revokedAt" IS NOT NULL AS revoked, t."userId", u."suspendedAt" IS NOT NULL OR u."deletedAt" IS NOT NULL AS suspended
  FROM (VALUES (1)) AS once (n)
  LEFT JOIN applications a ON a."consumerKey" = $1 AND a."deletedAt" IS NULL
  LEFT JOIN access_tokens t ON t.lookup = ANY($2)
  LEFT JOIN users u ON u.id = t."userId"`;

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
    const [found] = await run<CredentialsRow>(this.db.manager, {
      text: SELECT_CREDENTIALS,
      values: [consumerKey, this.vault.lookups(token)],
    });
    const caller = this.callerFrom(found, token);
    if (typeof caller === 'string') keepUnknown(key, caller);
    else keep(key, caller);
    return caller;
  }

  private callerFrom(found: CredentialsRow, token: string): Caller | UnknownCredentials {
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
