import { createHash } from 'node:crypto';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import type { PermissionLevel } from '../../../src/audiences/audience-permissions/audience-permission.entity.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-words.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { AudienceSizes } from '../../../src/audiences/audience-sizes/audience-sizes.service.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import type { CreateCustomAudience } from '../../../src/audiences/custom-audiences/custom-audiences.dto.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { world } from '../app.js';
import { accounts, type Advertiser } from './accounts.js';
import { fresh, type Some } from './fresh.js';

export const audiences = {
  /** An audience that nobody is in yet. */
  customAudience: ({ account, name = fresh('Audience'), ...params }: Some<CreateCustomAudience>) =>
    world()
      .get(CustomAudiencesService)
      .create(account, { name, ...params }),

  /** An audience of as many people as make it one that can be targeted. */
  async targetableAudience(params: Some<CreateCustomAudience>) {
    const { account } = params;
    const { id } = await audiences.customAudience(params);
    const users = Array.from({ length: 100 }, (_, i) => ({
      email: [createHash('sha256').update(`${id} ${i}`).digest('hex')],
    }));
    await world()
      .get(CustomAudienceUsersService)
      .upload(account, id, [{ operation_type: 'Update', params: { users } }]);
    await audiences.sized(account, id);
    return { id };
  },

  /** Has an audience the size that its job will find. */
  async sized({ id: accountId, userId }: Pick<ActingAccount, 'id' | 'userId'>, audienceId: string): Promise<void> {
    const [{ generation }] = await world().sql<{ generation: number }>(
      'SELECT generation FROM audience_sizings WHERE "accountId" = $1 AND "audienceId" = $2',
      accountId,
      audienceId,
    );
    await world().get(AudienceSizes).resize({ audienceId, kind: 'CUSTOM_AUDIENCE', accountId, userId, generation });
  },

  /** Advertisers whose accounts belong to one business, so that they may share. */
  async partners(count = 2): Promise<Advertiser[]> {
    const { id } = await world().get(BusinessesService).create(fresh('Business'));
    return Promise.all(Array.from({ length: count }, () => accounts.advertiser({ businessId: id })));
  },

  /** Lets an account share with any other. */
  async sharesOutside(account: ActingAccount): Promise<void> {
    await world().get(FeaturesService).add(account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']);
  },

  /** Lets another account read an audience, or change it. */
  async sharedAudience({
    account,
    audience,
    to,
    level = 'READ_ONLY',
  }: {
    account: ActingAccount;
    audience: { id: string };
    to: { id: string };
    level?: PermissionLevel;
  }) {
    const request = Parsed.complete({ granted_account_id: to.id, permission_level: level });
    return (await world().get(AudiencePermissionsService).grant(account, audience.id, request, CUSTOM)).result;
  },
};
