import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newestTokens, type NewestTokensQuery } from '../credentials/access-token.queries.js';
import { hashOfSecret } from '../credentials/tokens.js';
import { Grant, GrantToken } from './grant.entity.js';

/** Finds the grants of OAuth 2.0 for the command line and the workbench. */
@Injectable()
export class GrantQueries {
  constructor(private readonly db: DataSource) {}

  newest(query: NewestTokensQuery): Promise<Grant[]> {
    return this.db.manager.find(Grant, newestTokens(query));
  }

  /** The grant with this id, or of this access or refresh token, valid or revoked. */
  async find(tokenOrId: string): Promise<Grant | null> {
    const token = await this.db.manager.findOneBy(GrantToken, { id: hashOfSecret(tokenOrId) });
    return this.db.manager.findOneBy(Grant, { id: token?.grantId ?? tokenOrId });
  }
}
