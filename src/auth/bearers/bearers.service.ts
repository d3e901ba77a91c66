import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { Application } from '../credentials/application.entity.js';
import { secretText } from '../credentials/tokens.js';
import { Vault } from '../credentials/vault.js';
import { BearerToken } from './bearer-token.entity.js';

/** The application behind a bearer. */
export interface Bearer {
  tokenId: string;
  applicationId: string;
}

/** What became of an attempt to revoke a bearer. */
export type Revocation = 'revoked' | 'unknown' | 'of-another';

const CHANNEL = 'bearers';
const TOKEN_LENGTH = 100;

/** Bearer tokens: one per application, the same until it is invalidated. */
@Injectable()
export class BearersService {
  private readonly bearers: SharedCache<Bearer>;

  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly clock: Clock,
    notifications: DatabaseNotifications,
  ) {
    this.bearers = new SharedCache(notifications, CHANNEL, { max: 10_000 });
  }

  /** The application's outstanding bearer token, which is made if there is none. Concurrent calls get the same one. */
  async issue(applicationId: string): Promise<string> {
    for (;;) {
      const outstanding = await this.outstanding(applicationId);
      if (outstanding) return this.vault.open(outstanding.sealedToken);
      const text = secretText(TOKEN_LENGTH);
      const [lookup, sealedToken] = [this.vault.lookup(text), this.vault.seal(text)];
      await retrying(() => {
        const now = this.clock.now();
        const token = {
          id: newId(now),
          lookup,
          sealedToken,
          applicationId,
          createdAt: now.toISOString(),
          revokedAt: null,
        };
        return write(this.db.manager, [insertOrIgnore(BearerToken, [token])]);
      });
    }
  }

  /** Revokes a bearer token, if it is this application's. */
  async revoke(applicationId: string, text: string): Promise<Revocation> {
    const revokedAt = this.clock.now().toISOString();
    const [ended] = await this.valid(text).where('applicationId', applicationId).update({ revokedAt });
    if (ended) {
      await this.bearers.invalidate(this.db.manager);
      return 'revoked';
    }
    const other = await this.valid(text).getOne();
    return other && other.applicationId !== applicationId ? 'of-another' : 'unknown';
  }

  /** Revokes every bearer token of an application, in the transaction of `tx`; returns how many. */
  async revokeAll(tx: EntityManager, applicationId: string): Promise<number> {
    const revokedAt = this.clock.now().toISOString();
    const ended = await rows(tx, BearerToken)
      .where('applicationId', applicationId)
      .where('revokedAt', null)
      .update({ revokedAt });
    await this.bearers.invalidate(tx);
    return ended.length;
  }

  /** The application of a valid bearer token; undefined for a revoked or unknown one. */
  async find(text: string): Promise<Bearer | undefined> {
    const cached = this.bearers.get(text);
    if (cached) return cached;
    const keep = this.bearers.beginRead();
    const found = await this.valid(text)
      .whereInSubquery('applicationId', rows(this.db.manager, Application), 'id')
      .getOne();
    if (!found) return undefined;
    const bearer = { tokenId: found.id, applicationId: found.applicationId };
    keep(text, bearer);
    return bearer;
  }

  private valid(text: string) {
    return rows(this.db.manager, BearerToken).where('revokedAt', null).whereIn('lookup', this.vault.lookups(text));
  }

  private outstanding(applicationId: string): Promise<Row<BearerToken> | undefined> {
    return rows(this.db.manager, BearerToken).where('applicationId', applicationId).where('revokedAt', null).getOne();
  }
}
