import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/answers/made.js';
import { AudienceAccessService } from './audience-access.service.js';
import type { AudiencePermission } from './audience-permission.entity.js';
import type { AudienceWords } from './audience-permission.resource.js';
import type { GrantAudiencePermission } from './audience-permissions.dto.js';
import { AudienceSharing } from './audience-sharing.service.js';

/** The data for the rules of a grant. */
interface SharingContext {
  account: ActingAccount;
  problems: ApiError[];
}

/** Grants other accounts permissions on audiences. */
@Injectable()
export class AudiencePermissionWrites {
  constructor(
    private readonly access: AudienceAccessService,
    private readonly sharing: AudienceSharing,
  ) {}

  /** Creates the permission of an account on an audience, or changes the existing one. */
  grant(audienceId: string, words: AudienceWords) {
    return defineWrite<AudiencePermission, GrantAudiencePermission, SharingContext, Made<Row<AudiencePermission>>>(
      words.permissions,
      {
        target: 'granted_account_id',
        targetColumn: 'grantedAccountId',
        upserts: true,
        narrow: (permissions) => permissions.where('customAudienceId', audienceId),
        locking: ([request]) => ({ name: `permission of ${request.value('granted_account_id')} on ${audienceId}` }),
        context: async ({ account, unitOfWork, db }, [request]) => {
          await this.access.ownedBy(account, audienceId, words, db);
          const granteeId = request.value('granted_account_id');
          if (granteeId === undefined) return { account, problems: [] };
          const { problems, parties } = await this.sharing.validate(account, granteeId, db);
          // The rows were just read, so no cached copy needs invalidation.
          unitOfWork.require(...parties.map((party) => unchanged(Account, [party], () => undefined)));
          return { account, problems };
        },
        problems: (_, { problems }) => problems,
        apply: (unitOfWork, params, { account }, before?: Row<AudiencePermission>) => {
          const { granted_account_id: grantedAccountId, permission_level: permissionLevel } = params;
          if (before) return new Made(unitOfWork.update(before.id, { permissionLevel }), false);
          const created = { accountId: account.id, customAudienceId: audienceId, grantedAccountId, permissionLevel };
          return new Made(unitOfWork.create(created), true);
        },
      },
    );
  }
}
