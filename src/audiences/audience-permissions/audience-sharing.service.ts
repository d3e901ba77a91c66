import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { FeaturesService } from '../../accounts/features/features.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { OUTSIDE_BUSINESS, sharingProblems } from './audience-permission.rules.js';

/** Decides with which accounts an account may share its audiences. */
@Injectable()
export class AudienceSharing {
  constructor(private readonly features: FeaturesService) {}

  /** The problems of a grant, and the accounts that the rules used. */
  async validate(
    db: EntityManager,
    account: { id: string },
    granteeId: string,
  ): Promise<{ problems: ApiError[]; parties: Row<Account>[] }> {
    const { problems, parties } = await this.validateAll(db, account, [granteeId]);
    return { problems: problems.get(granteeId)!, parties };
  }

  /** The same for grants to several accounts: the problems of each. */
  async validateAll(
    db: EntityManager,
    account: { id: string },
    granteeIds: readonly string[],
  ): Promise<{ problems: Map<string, ApiError[]>; parties: Row<Account>[] }> {
    const parties = await rows(db, Account)
      .whereIn('id', [account.id, ...granteeIds])
      .getMany();
    const byId = new Map(parties.map((each) => [each.id, each]));
    const owner = byId.get(account.id);
    if (!owner) throw accountNotFound(account.id);
    const mayShare = this.features.has(owner, OUTSIDE_BUSINESS);
    const problems = granteeIds.map((id) => [id, sharingProblems(owner, id, byId.get(id), mayShare)] as const);
    return { problems: new Map(problems), parties };
  }
}
