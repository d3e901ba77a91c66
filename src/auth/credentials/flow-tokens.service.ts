import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { AccessToken } from './access-token.entity.js';
import type { AccessLevel } from './application.entity.js';
import { newAccessToken } from './new-access-token.js';
import type { KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

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
