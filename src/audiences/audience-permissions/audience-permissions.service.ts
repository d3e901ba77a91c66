import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Rows } from '../../common/db/query/rows.js';
import { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { PageQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { AudienceAccessService } from './audience-access.service.js';
import type { AudiencePermission } from './audience-permission.entity.js';
import type { AudienceWords } from './audience-words.js';
import type { GrantAudiencePermission } from './audience-permissions.dto.js';
import { AudienceSharing } from './audience-sharing.service.js';

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
    private readonly sharing: AudienceSharing,
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
    return this.resources.changeLocked(account, words.permissions, [request], async (unit) => {
      await this.access.ownedBy(account, audienceId, words, unit.db);
      const granteeId = request.required('granted_account_id');
      await unit.lockName(`permission of ${granteeId} on ${audienceId}`);
      const [before] = await unit.lock([granteeId], {
        column: 'grantedAccountId',
        narrow: (permissions) => permissions.where('customAudienceId', audienceId),
      });
      const { problems, parties } = await this.sharing.validate(unit.db, account, granteeId);
      // The rows were just read, so no cached copy needs invalidation.
      unit.require(...parties.map((party) => unchanged(Account, [party], () => undefined)));
      const { permission_level: permissionLevel } = request.paramsUnless(problems);
      if (before) return new Created(unit.update(before.id, { permissionLevel }), false);
      const created = { accountId: account.id, customAudienceId: audienceId, grantedAccountId: granteeId };
      return new Created(unit.create({ ...created, permissionLevel }), true);
    });
  }

  /** The other account no longer sees or targets the audience. Running campaigns continue. */
  async revoke(account: ActingAccount, audienceId: string, id: string, words: AudienceWords) {
    await this.access.ownedBy(account, audienceId, words);
    const narrow = (permissions: Rows<AudiencePermission>) => permissions.where('customAudienceId', audienceId);
    return this.resources.delete(account, words.permissions, id, narrow);
  }
}
