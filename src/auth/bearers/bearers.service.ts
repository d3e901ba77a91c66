import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { retrying } from '../../common/db/query/retry.js';
import { newId } from '../../common/entity/ids.js';
import { Application } from '../credentials/application.entity.js';
import { secretText } from '../credentials/tokens.js';
import { Vault } from '../credentials/vault.js';
import { BearerToken } from './bearer-token.entity.js';

/** A valid bearer token and its application. */
export interface Bearer {
  tokenId: string;
  applicationId: string;
}

/** The result of revoking a bearer token. */
export type Revocation = 'revoked' | 'unknown' | 'of-another';

const CHANNEL = 'bearers';
const TOKEN_LENGTH = 100;

/** Bearer tokens. An application has one at a time, which stays the same until it is revoked. */
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

  /** The application's bearer token, created if there is none. Concurrent calls return the same one. */
  async issue(applicationId: string): Promise<string> {
    for (;;) {
      const outstanding = await this.outstanding(applicationId);
      if (outstanding) return this.vault.open(outstanding.sealedToken);
      const text = secretText(TOKEN_LENGTH);
      const [lookup, sealedToken] = [this.vault.lookup(text), this.vault.seal(text)];
      const createdAt = this.clock.now();
      // one of several concurrent inserts is stored, and the next read of each finds it
      await retrying(() => {
        const token = { id: newId(createdAt), lookup, sealedToken, applicationId, createdAt };
        return this.db.createQueryBuilder().insert().into(BearerToken).values(token).orIgnore().execute();
      });
    }
  }

  /** Revokes a bearer token of this application. */
  async revoke(applicationId: string, text: string): Promise<Revocation> {
    const { manager } = this.db;
    const { affected } = await manager.update(BearerToken, this.valid(text, { applicationId }), {
      revokedAt: this.clock.now(),
    });
    if (affected) {
      await this.bearers.invalidate(manager);
      return 'revoked';
    }
    const other = await manager.findOneBy(BearerToken, this.valid(text));
    return other && other.applicationId !== applicationId ? 'of-another' : 'unknown';
  }

  /** Revokes every bearer token of an application, in the transaction of `tx`; returns how many. */
  async revokeAll(tx: EntityManager, applicationId: string): Promise<number> {
    const valid = { applicationId, revokedAt: IsNull() };
    const { affected = 0 } = await tx.update(BearerToken, valid, { revokedAt: this.clock.now() });
    await this.bearers.invalidate(tx);
    return affected;
  }

  /** The application of a valid bearer token; undefined for a revoked or unknown one. */
  async find(text: string): Promise<Bearer | undefined> {
    const cached = this.bearers.get(text);
    if (cached) return cached;
    const keep = this.bearers.beginRead();
    const found = await this.db.manager.findOneBy(BearerToken, this.valid(text));
    if (!found || !(await this.db.manager.existsBy(Application, { id: found.applicationId }))) return undefined;
    const bearer = { tokenId: found.id, applicationId: found.applicationId };
    keep(text, bearer);
    return bearer;
  }

  private valid(text: string, which: FindOptionsWhere<BearerToken> = {}): FindOptionsWhere<BearerToken> {
    return { revokedAt: IsNull(), lookup: In(this.vault.lookups(text)), ...which };
  }

  private outstanding(applicationId: string): Promise<BearerToken | null> {
    return this.db.manager.findOneBy(BearerToken, { applicationId, revokedAt: IsNull() });
  }
}
