import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import type { Newest } from '../../common/list/newest.js';
import { AccessToken } from './access-token.entity.js';
import type { AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { tokenRevoked } from './token-revoked.event.js';
import { accessTokenText, secretText, type KeyAndSecret } from './tokens.js';
import { Vault } from './vault.js';

/** An access token without its secret. */
export interface KnownToken extends Omit<AccessToken, 'lookup' | 'sealedToken' | 'sealedSecret'> {
  /** The token itself, which is useless without its secret. */
  key: string;
}

/** Issues, finds and revokes access tokens. */
@Injectable()
export class AccessTokensService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
  ) {}

  /** Creates an access token for the application to act for the user. Authorization flows never return this one. */
  async issue(userId: string, applicationId: string, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    return retrying(async () => {
      const { pair, token } = this.newToken(userId, applicationId, accessLevel, 'command');
      await this.db.manager.insert(AccessToken, token);
      return pair;
    });
  }

  /**
   * The access token that flows return for this user, application and level: the existing one, or a new one. Two flows that
   * end at the same time get the same token, since a unique index allows only one.
   */
  async issueForFlow(
    tx: EntityManager,
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
  ): Promise<KeyAndSecret> {
    for (;;) {
      const { token } = this.newToken(userId, applicationId, accessLevel, 'flow');
      await tx.createQueryBuilder().insert().into(AccessToken).values(token).orIgnore().execute();
      const valid = { userId, applicationId, accessLevel, source: 'flow' as const, revokedAt: IsNull() };
      const found = await tx.findOneBy(AccessToken, valid);
      // Revoked between the two statements, or its id was taken: the next iteration creates another.
      if (found) return { key: this.vault.open(found.sealedToken), secret: this.vault.open(found.sealedSecret) };
    }
  }

  private newToken(
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
    source: 'command' | 'flow',
  ): { pair: KeyAndSecret; token: AccessToken } {
    const now = this.clock.now();
    const pair = { key: accessTokenText(userId), secret: secretText(45) };
    const token: AccessToken = {
      id: newId(now),
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
      userId,
      applicationId,
      accessLevel,
      source,
      createdAt: now,
      revokedAt: null,
    };
    return { pair, token };
  }

  /** Access tokens, the newest first: all, or those of a user, of an application or of both; revoked ones on request. */
  async newest({
    userId,
    applicationId,
    revokedToo = false,
    before,
    limit,
  }: Newest & { userId?: string; applicationId?: string; revokedToo?: boolean }): Promise<KnownToken[]> {
    const where = {
      ...(userId !== undefined && { userId }),
      ...(applicationId !== undefined && { applicationId }),
      ...(!revokedToo && { revokedAt: IsNull() }),
      ...(before !== undefined && { id: LessThan(before) }),
    };
    const found = await this.db.manager.find(AccessToken, { where, order: { id: 'DESC' }, take: limit });
    return found.map((each) => this.known(each));
  }

  /** The access token with this text or id, valid or revoked. */
  async find(keyOrId: string): Promise<KnownToken | undefined> {
    const where = [{ id: keyOrId }, { lookup: In(this.vault.lookups(keyOrId)) }];
    const found = await this.db.manager.findOneBy(AccessToken, where);
    return found ? this.known(found) : undefined;
  }

  private known({ lookup: _lookup, sealedToken, sealedSecret: _sealedSecret, ...token }: AccessToken): KnownToken {
    return { ...token, key: this.vault.open(sealedToken) };
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
