import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { PageQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { AudienceAccessService } from './audience-access.service.js';
import type { AudiencePermission } from './audience-permission.entity.js';
import type { AudienceWords } from './audience-permission.resource.js';
import { AudiencePermissionWrites } from './audience-permission.writes.js';
import type { GrantAudiencePermission } from './audience-permissions.dto.js';

/** The filters of a list of permissions, for both API versions. */
interface PermissionsQuery extends PageQuery<AudiencePermission> {
  granted_account_ids?: string[];
  custom_audience_permission_ids?: string[];
  tailored_audience_permission_ids?: string[];
}

/** Lists, grants and revokes the permissions of other accounts on the audiences of an account. */
@Injectable()
export class AudiencePermissionsService {
  constructor(
    private readonly resources: Resources,
    private readonly access: AudienceAccessService,
    private readonly writes: AudiencePermissionWrites,
  ) {}

  /** The permissions on an audience of the account. */
  async list(account: ActingAccount, audienceId: string, query: PermissionsQuery, words: AudienceWords) {
    await this.access.ownedBy(account, audienceId, words);
    const permissions = this.resources
      .of(account, words.permissions)
      .where('customAudienceId', audienceId)
      .whereIn('grantedAccountId', query.granted_account_ids)
      .whereIn('id', query.custom_audience_permission_ids ?? query.tailored_audience_permission_ids);
    return page(permissions, query);
  }

  /** Creates the permission of an account on an audience, or changes the existing one. */
  grant(account: ActingAccount, audienceId: string, request: Parsed<GrantAudiencePermission>, words: AudienceWords) {
    return this.resources.perform(account, this.writes.grant(audienceId, words), request);
  }

  /** The other account no longer sees or targets the audience. Running campaigns continue. */
  async revoke(account: ActingAccount, audienceId: string, id: string, words: AudienceWords) {
    await this.access.ownedBy(account, audienceId, words);
    return this.resources.edit(
      account,
      words.permissions,
      (permissions) => permissions.where('customAudienceId', audienceId).where('id', id),
      (unitOfWork) => unitOfWork.delete(id),
      { lock: 'pessimistic_write' },
    );
  }
}
