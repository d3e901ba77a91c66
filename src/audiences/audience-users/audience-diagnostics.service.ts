import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { one } from '../../common/list/one.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { AudienceSizes } from '../audience-sizes/audience-sizes.service.js';
import { countMembers } from '../audience-sizes/audience-sizings.statements.js';
import { IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';
import { CUSTOM_AUDIENCES } from '../entities/custom-audience.entity.js';
import type { AudienceDiagnosticsView } from './audience-users.presenter.js';

/** Diagnoses the users of custom audiences. */
@Injectable()
export class AudienceDiagnosticsService {
  constructor(
    private readonly db: DataSource,
    private readonly access: AudienceAccessService,
    private readonly sizes: AudienceSizes,
  ) {}

  /** The diagnostics of an audience that the account sees: complete for the owner, the size only for others. */
  async diagnose(account: ActingAccount, audienceId: string) {
    const audience = await one(this.access.visibleTo(account), audienceId, CUSTOM_AUDIENCES.notFoundError(account));
    if (audience.accountId !== account.id) return sharedDiagnostics(audience.audienceSize);
    const at = account.now().toISOString();
    const { identifiers, ...census } = await countMembers(this.db, audience.id, at);
    return {
      persons_uploaded: census.uploaded,
      persons_valid: census.valid,
      persons_matched: await this.sizes.matched(audience, census.valid),
      persons_not_yet_effective: census.notYetEffective,
      persons_expired: census.expired,
      identifiers: Object.fromEntries(IDENTIFIER_KINDS.map((name, kind) => [name, identifiers[kind]])),
    };
  }
}

/**
 * Accounts with which an audience is shared can at most upload to it. Exact counts would reveal who was in it before.
 */
const sharedDiagnostics = (audienceSize: number | null): AudienceDiagnosticsView => ({
  persons_uploaded: null,
  persons_valid: null,
  persons_matched: audienceSize,
  persons_not_yet_effective: null,
  persons_expired: null,
  identifiers: null,
});
