import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan } from 'typeorm';
import type { NewestQuery } from '../../common/list/newest.js';
import { AccessToken } from './access-token.entity.js';
import { Vault } from './vault.js';

/** An access token without its secret. */
export interface KnownToken extends Omit<AccessToken, 'lookup' | 'sealedToken' | 'sealedSecret'> {
  /** The token itself, which is useless without its secret. */
  key: string;
}

/** Access tokens or grants, the newest first: all, or those of a user, of an application or of both; revoked ones on request. */
export interface NewestTokensQuery extends NewestQuery {
  userId?: string;
  applicationId?: string;
  withRevoked?: boolean;
}

/** What a repository needs to find them. */
export const newestTokens = ({ userId, applicationId, withRevoked = false, before, limit }: NewestTokensQuery) => ({
  where: {
    ...(userId !== undefined && { userId }),
    ...(applicationId !== undefined && { applicationId }),
    ...(!withRevoked && { revokedAt: IsNull() }),
    ...(before !== undefined && { id: LessThan(before) }),
  },
  order: { id: 'DESC' as const },
  take: limit,
});

/** Finds access tokens for the command line. */
@Injectable()
export class AccessTokenQueries {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
  ) {}

  /** Access tokens without their secrets. */
  async newest(query: NewestTokensQuery): Promise<KnownToken[]> {
    const found = await this.db.manager.find(AccessToken, newestTokens(query));
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
}
