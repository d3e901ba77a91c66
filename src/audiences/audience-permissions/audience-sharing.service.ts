import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { FeaturesService } from '../../accounts/features/features.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { OUTSIDE_BUSINESS, sharingProblems } from './audience-permission.rules.js';

/** Decides with which accounts an account may share its audiences. */
@Injectable()
export class AudienceSharing {
  constructor(
    private readonly db: DataSource,
    private readonly features: FeaturesService,
  ) {}

  /** The problems of a grant, and the accounts that the rules used. */
  async validate(
    account: { id: string },
    granteeId: string,
    db: EntityManager = this.db.manager,
  ): Promise<{ problems: ApiError[]; parties: Row<Account>[] }> {
    const parties = await rows(db, Account).whereIn('id', [account.id, granteeId]).getMany();
    const owner = parties.find(({ id }) => id === account.id);
    if (!owner) throw accountNotFound(account.id);
    const grantee = parties.find(({ id }) => id === granteeId);
    const problems = sharingProblems(owner, granteeId, grantee, this.features.has(owner, OUTSIDE_BUSINESS));
    return { problems, parties };
  }
}
