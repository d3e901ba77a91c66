import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import { newId } from '../../common/entity/ids.js';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { AccessToken } from './access-token.entity.js';
import type { AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { storeTokensRevoked } from './token-revoked.event.js';
import { accessTokenText, secretText, type KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

/** Issues and revokes access tokens. */
@Injectable()
export class AccessTokensService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
  ) {}

  /** Creates an access token for the application to act for the user. Authorization flows never return this one. */
  async issue(
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
    db = this.db.manager,
  ): Promise<KeyAndSecret> {
    return retrying(async () => {
      const owner = { userId, applicationId, accessLevel, source: 'command' } as const;
      const { pair, token } = newAccessToken(this.vault, owner, this.clock.now());
      await db.insert(AccessToken, token);
      return pair;
    });
  }

  /** Revokes a token and sends an event to its application; false where there is no such valid token. */
  revoke(key: string): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now();
        const where = { lookup: In(this.vault.lookups(key)), revokedAt: IsNull() };
        const token = await tx.findOne(AccessToken, { where, lock: { mode: 'for_no_key_update' } });
        if (!token) return false;
        await tx.update(AccessToken, { id: token.id }, { revokedAt: now });
        await storeTokensRevoked(tx, [token], now);
        await this.callers.invalidate(tx);
        return true;
      }),
    );
  }
}

/** Issues the access tokens that authorization flows return. */
@Injectable()
export class FlowTokensService {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * The access token that flows return for this user, application and level: the existing one, or a new one. Two flows that
   * end at the same time get the same token, since a unique index allows only one.
   */
  async issue(
    tx: EntityManager,
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
  ): Promise<KeyAndSecret> {
    const owner = { userId, applicationId, accessLevel, source: 'flow' } as const;
    for (;;) {
      const { token } = newAccessToken(this.vault, owner, this.clock.now());
      await tx.createQueryBuilder().insert().into(AccessToken).values(token).orIgnore().execute();
      const found = await tx.findOneBy(AccessToken, { ...owner, revokedAt: IsNull() });
      // Revoked between the two statements, or its id was taken: the next iteration creates another.
      if (found) return { key: this.vault.open(found.sealedToken), secret: this.vault.open(found.sealedSecret) };
    }
  }
}

/** A new access token for an application to act for a user, not stored yet. */
function newAccessToken(
  vault: Vault,
  owner: Pick<AccessToken, 'userId' | 'applicationId' | 'accessLevel' | 'source'>,
  now: Date,
): { pair: KeyAndSecret; token: AccessToken } {
  const pair = { key: accessTokenText(owner.userId), secret: secretText(45) };
  const token: AccessToken = {
    id: newId(now),
    lookup: vault.lookup(pair.key),
    sealedToken: vault.seal(pair.key),
    sealedSecret: vault.seal(pair.secret),
    createdAt: now,
    revokedAt: null,
    ...owner,
  };
  return { pair, token };
}
