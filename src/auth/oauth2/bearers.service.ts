import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { newId } from '../../common/entity/ids.js';
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
      const now = this.clock.now();
      const text = secretText(TOKEN_LENGTH);
      const values = [newId(now), this.vault.lookup(text), this.vault.seal(text), applicationId, now.toISOString()];
      await retrying(() =>
        run(this.db.manager, {
          text: `INSERT INTO bearer_tokens (id, lookup, "sealedToken", "applicationId", "createdAt") VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT ("applicationId") WHERE "revokedAt" IS NULL DO NOTHING`,
          values,
        }),
      );
    }
  }

  /** Revokes a bearer token, if it is this application's. */
  async revoke(applicationId: string, text: string): Promise<Revocation> {
    const [ended] = await run(this.db.manager, {
      text: `UPDATE bearer_tokens SET "revokedAt" = $3 WHERE lookup = ANY($1) AND "applicationId" = $2 AND "revokedAt" IS NULL RETURNING id`,
      values: [this.vault.lookups(text), applicationId, this.clock.now().toISOString()],
    });
    if (ended) {
      await this.bearers.invalidate(this.db.manager);
      return 'revoked';
    }
    const [other] = await run<Row<BearerToken>>(this.db.manager, this.valid(text).statement());
    return other && other.applicationId !== applicationId ? 'of-another' : 'unknown';
  }

  /** The application of a valid bearer token; undefined for a revoked or unknown one. */
  async find(text: string): Promise<Bearer | undefined> {
    const cached = this.bearers.get(text);
    if (cached) return cached;
    const keep = this.bearers.beginRead();
    const [found] = await run<Row<BearerToken>>(
      this.db.manager,
      this.valid(text)
        .where`EXISTS (SELECT FROM applications a WHERE a.id = r."applicationId" AND a."deletedAt" IS NULL)`.statement(),
    );
    if (!found) return undefined;
    const bearer = { tokenId: found.id, applicationId: found.applicationId };
    keep(text, bearer);
    return bearer;
  }

  private valid(text: string) {
    return rows(this.db.manager, BearerToken).is('revokedAt', null).where`r.lookup = ANY(${this.vault.lookups(text)})`;
  }

  private async outstanding(applicationId: string): Promise<Row<BearerToken> | undefined> {
    const [found] = await run<Row<BearerToken>>(
      this.db.manager,
      rows(this.db.manager, BearerToken).is('applicationId', applicationId).is('revokedAt', null).statement(),
    );
    return found;
  }
}
