import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Batch } from '../../common/batch/batch.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { requireUploadable } from '../custom-audiences/flexible-audience.rules.js';
import { CUSTOM_AUDIENCES, CustomAudience } from '../entities/custom-audience.entity.js';
import { MAX_OPERATIONS, USER_OPERATIONS } from './audience-users.dto.js';
import { AudienceUsersService } from './audience-users.service.js';
import type { WhenTooMany } from './membership.rules.js';
import { Upload, countsOf, type UploadCounts } from './upload.js';
import { windowInAudience } from './validity-window.rules.js';

/** Uploads the users of custom audiences. */
@Injectable()
export class CustomAudienceUsersService {
  constructor(
    private readonly access: AudienceAccessService,
    private readonly users: AudienceUsersService,
  ) {}

  /** Performs up to 2,500 operations in order, all or none. */
  async upload(account: ActingAccount, audienceId: string, body: unknown): Promise<UploadCounts> {
    const { audience, required, by } = await this.access.writableBy(account, audienceId);
    requireUploadable(audience);
    return this.store(account, { audience, required, now: by.now() }, body);
  }

  /**
   * Adds people to an audience of the account that accepts no uploads; `body` as for `upload`. People who share an identifier
   * stay apart if they would be a person with too many.
   */
  addVisitors(account: ActingAccount, audience: Row<CustomAudience>, body: unknown): Promise<UploadCounts> {
    return this.store(account, { audience, required: [], now: account.now() }, body, 'keep apart');
  }

  private async store(
    account: ActingAccount,
    { audience, required, now }: { audience: Row<CustomAudience>; required: Precondition[]; now: Date },
    body: unknown,
    whenTooMany?: WhenTooMany,
  ): Promise<UploadCounts> {
    const { id: audienceId } = audience;
    this.users.assertRoom(audienceId);
    const path = { account_id: account.id, custom_audience_id: audienceId };
    const batch = await Batch.readLarge(body, MAX_OPERATIONS, USER_OPERATIONS, path, ['users']);
    const { items } = batch.run({
      Update: ({ params }) => ({ people: params.users, window: windowInAudience(params, now) }),
      Delete: ({ params }) => ({ people: params.users }),
    });
    const unknown = () => CUSTOM_AUDIENCES.notFoundError(account)(audienceId);
    const target = { id: audienceId, kind: 'CUSTOM_AUDIENCE', accountId: audience.accountId } as const;
    const holder = { ...target, entity: CustomAudience, unknown, required };
    await this.users.upload(account, holder, await Upload.of(batch, items, whenTooMany));
    return countsOf(items);
  }
}
