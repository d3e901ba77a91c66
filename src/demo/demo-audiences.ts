import type { INestApplicationContext } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { CUSTOM } from '../audiences/audience-permissions/audience-words.js';
import { AudiencePermissionsService } from '../audiences/audience-permissions/audience-permissions.service.js';
import { AudienceSizes } from '../audiences/audience-sizes/audience-sizes.service.js';
import { CustomAudienceUsersService } from '../audiences/audience-users/custom-audience-users.service.js';
import { CustomAudienceBatchService } from '../audiences/custom-audiences/custom-audience-batch.service.js';
import { CustomAudiencesService } from '../audiences/custom-audiences/custom-audiences.service.js';
import { DoNotReachListsService } from '../audiences/do-not-reach-lists/do-not-reach-lists.service.js';
import { Parsed } from '../common/http/params/parsed.js';
import { newsletterAddresses } from './demo-directory.js';

/** The size of last year's audience, which is too small to be targeted. */
const LAST_YEAR = 40;

const updateOf = (addresses: string[]) => [
  {
    operation_type: 'Update',
    params: { users: addresses.map((each) => ({ email: [createHash('sha256').update(each).digest('hex')] })) },
  },
];

/**
 * Audiences of the account: one that can be targeted, one that is too small, one that combines both, one that is shared
 * and may be deleted, and a do-not-reach list. Returns the ids for the examples.
 */
export async function makeAudiences(
  app: INestApplicationContext,
  account: ActingAccount,
  secondAccountId: string,
): Promise<Record<string, string>> {
  const audiences = app.get(CustomAudiencesService);
  const users = app.get(CustomAudienceUsersService);
  const sizes = app.get(AudienceSizes);
  const newsletter = await audiences.create(account, { name: 'Newsletter', description: 'Signed up on the website' });
  const lastYear = await audiences.create(account, { name: 'Newsletter of last year' });
  const members = await audiences.create(account, { name: 'Loyalty members' });
  await users.upload(account, newsletter.id, updateOf(newsletterAddresses()));
  await users.upload(account, lastYear.id, updateOf(newsletterAddresses().slice(0, LAST_YEAR)));
  const leaf = (id: string, negate: boolean) => ({ custom_audience_id: id, lookback_window: 30, negate });
  const { items } = await app.get(CustomAudienceBatchService).batch(account, [
    {
      operation_type: 'Create',
      params: {
        name: 'New readers',
        audience_type: 'FLEXIBLE',
        segments: { boolean_operator: 'AND', child_segments: [leaf(newsletter.id, false), leaf(lastYear.id, true)] },
      },
    },
  ]);
  // Processed now, so that they exist from the start and not some seconds later.
  for (const { id } of [newsletter, lastYear, items[0]])
    await sizes.resize({
      audienceId: id,
      kind: 'CUSTOM_AUDIENCE',
      accountId: account.id,
      userId: account.userId,
      generation: 0,
    });

  const sharing = app.get(AudiencePermissionsService);
  const toSecond = Parsed.complete({ granted_account_id: secondAccountId, permission_level: 'READ_ONLY' as const });
  const { result: sharedNewsletter } = await sharing.grant(account, newsletter.id, toSecond, CUSTOM);
  const { result: sharedMembers } = await sharing.grant(account, members.id, toSecond, CUSTOM);
  const unreached = await app.get(DoNotReachListsService).create(account, { description: 'Asked to be left alone' });
  return {
    custom_audience_id: newsletter.id,
    spare_custom_audience_id: lastYear.id,
    spare_custom_audience_permission_id: sharedNewsletter.id,
    tailored_audience_id: members.id,
    spare_tailored_audience_permission_id: sharedMembers.id,
    // The only list: after deleting it, a user has none to upload to.
    // The first account already has the only list it can have.
    'createDoNotReachList.account_id': secondAccountId,
    'uploadDoNotReachListUser.do_not_reach_list_id': unreached.id,
    spare_do_not_reach_list_id: unreached.id,
  };
}
