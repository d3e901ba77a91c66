import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { write } from '../../common/db/query/write.js';
import { AccessToken } from './access-token.entity.js';
import type { AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { newAccessToken } from './new-access-token.js';
import { tokenRevoked } from './token-revoked.event.js';
import type { KeyAndSecret } from './tokens.js';
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
        await write(tx, [tokenRevoked(token, now)]);
        await this.callers.invalidate(tx);
        return true;
      }),
    );
  }
}
