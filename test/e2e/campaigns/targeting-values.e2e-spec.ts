import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import type { TargetingType } from '../../../src/campaigns/targeting-values/targeting-types.js';
import { TargetingValues } from '../../../src/campaigns/targeting-values/targeting-values.service.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { ConflictRetry } from '../../../src/common/db/query/retry.js';
import { DataSource, type QueryRunner } from 'typeorm';
import { LocationOfTheUnitedStates1795600200000 } from '../../../src/migrations/1795600200000-LocationOfTheUnitedStates.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

type Pair = [type: TargetingType, value: string];
const resolve = (pairs: Pair[], account: { id: string } = advertiser.account) =>
  world()
    .get(TargetingValues)
    .resolve(
      account,
      pairs.map(([type, value]) => ({ targeting_type: type, targeting_value: value })),
    );
/** Of each value its name, or what is wrong with it. */
const told = async (...pairs: Pair[]) =>
  (await resolve(pairs)).values.map((each) =>
    each instanceof ApiError ? [each.status, each.code, each.detail.parameter, each.detail.value] : each.name,
  );
const targetable = async (account = advertiser.account) => {
  const audience = await given.customAudience({ account });
  await world().sql(`UPDATE custom_audiences SET "reasonsNotTargetable" = '{}' WHERE id = $1`, audience.id);
  return audience;
};

describe('values that can be targeted', () => {
  it('are told in the order in which they were given, each with its name', async () => {
    const audience = await targetable();
    const campaign = await given.campaign({ account: advertiser.account, name: 'Spring' });
    const { values } = await resolve([
      ['LOCATION', '3B77CAF94BFC81FE'],
      ['CUSTOM_AUDIENCE', audience.id],
      ['BROAD_KEYWORD', ' cold  brew '],
      ['CAMPAIGN_ENGAGEMENT', campaign.id],
      ['PLATFORM', '9'],
    ]);
    expect(values.slice(0, 4)).toEqual([
      { value: '3b77caf94bfc81fe', name: 'Los Angeles, CA, US', locationType: 'CITY' },
      { value: audience.id, name: 'Custom audience targeting' },
      { value: 'cold brew', name: 'cold brew' },
      { value: campaign.id, name: 'Spring' },
    ]);
    expect(values[4]).toBeInstanceOf(ApiError);
  });

  it('of audiences are those that the account can use, and that are targetable', async () => {
    const [own, shared] = await given.partners();
    advertiser = own;
    const [audience, foreign, granted] = [
      await targetable(),
      await targetable(shared.account),
      await targetable(shared.account),
    ];
    const small = await given.customAudience({ account: own.account });
    await given.sharedAudience({ account: shared.account, audience: granted, to: own.account });
    const gone = await targetable();
    await world().get(CustomAudiencesService).delete(own.account, gone.id);
    const unknown = (id: string) => [404, 'NOT_FOUND', 'targeting_value', id];
    expect(
      await told(
        ['CUSTOM_AUDIENCE', audience.id],
        ['CUSTOM_AUDIENCE_EXPANDED', granted.id],
        ['CUSTOM_AUDIENCE', foreign.id],
        ['CUSTOM_AUDIENCE', small.id],
        ['CUSTOM_AUDIENCE', gone.id],
        ['CUSTOM_AUDIENCE', 'Not an id'],
      ),
    ).toEqual([
      'Custom audience targeting',
      'Custom audience targeting',
      unknown(foreign.id),
      [400, 'INVALID_PARAMETER', 'targeting_value', small.id],
      unknown(gone.id),
      [400, 'INVALID_PARAMETER', 'targeting_value', 'Not an id'],
    ]);
  });

  it('of followers and engagements are the FULL promotable user, of similar ones any user, publishers those of the platform', async () => {
    const reposted = await given.promotableUser(advertiser.account, 'RETWEETS_ONLY');
    const full = { userId: advertiser.user.id };
    const { user: anybody } = await given.client();
    const publisher = await given.publisher();
    const username = async (id: string) =>
      (await world().sql<{ username: string }>('SELECT username FROM users WHERE id = $1', id))[0].username;
    const name = `@${await username(full.userId)}`;
    expect(
      await told(
        ['FOLLOWERS_OF_USER', full.userId],
        ['USER_ENGAGEMENT', full.userId],
        ['USER_ENGAGEMENT_LOOKALIKE', full.userId],
        ['FOLLOWERS_OF_USER', anybody.id],
        ['USER_ENGAGEMENT', reposted.userId],
        ['SIMILAR_TO_FOLLOWERS_OF_USER', anybody.id],
        ['CONTENT_PUBLISHER_USER', anybody.id],
        ['CONTENT_PUBLISHER_USER', publisher.userId],
        ['SIMILAR_TO_FOLLOWERS_OF_USER', '999999999999999'],
        ['SIMILAR_TO_FOLLOWERS_OF_USER', '99999999999999999999999'],
        ['SIMILAR_TO_FOLLOWERS_OF_USER', 'ann'],
      ),
    ).toEqual([
      name,
      name,
      name,
      [400, 'INVALID_USER_ID', 'targeting_value', anybody.id],
      [400, 'INVALID_USER_ID', 'targeting_value', reposted.userId],
      `@${await username(anybody.id)}`,
      [400, 'INVALID_PARAMETER', 'targeting_value', anybody.id],
      `@${publisher.username}`,
      [400, 'INVALID_PARAMETER', 'targeting_value', '999999999999999'],
      [400, 'INVALID_PARAMETER', 'targeting_value', '99999999999999999999999'],
      [400, 'INVALID_PARAMETER', 'targeting_value', 'ann'],
    ]);
    await world().get(AdministrationService).removePromotableUser(advertiser.account.id, full.userId);
    expect(await told(['FOLLOWERS_OF_USER', full.userId])).toEqual([
      [400, 'INVALID_USER_ID', 'targeting_value', full.userId],
    ]);
  });

  it('of campaigns are those of the account that are not deleted', async () => {
    const [own, gone] = await given.campaigns({ account: advertiser.account, count: 2 });
    const foreign = await given.campaign({ account: (await given.advertiser()).account });
    await world().get(CampaignsService).delete(advertiser.account, gone.id);
    const answers = await told(
      ['CAMPAIGN_ENGAGEMENT', own.id],
      ['CAMPAIGN_ENGAGEMENT_LOOKALIKE', foreign.id],
      ['CAMPAIGN_ENGAGEMENT', gone.id],
    );
    expect(answers.slice(1)).toEqual([foreign, gone].map(({ id }) => [404, 'NOT_FOUND', 'targeting_value', id]));
    expect(typeof answers[0]).toBe('string');
  });

  it('are what the statement depends on that stores them', async () => {
    const audience = await targetable();
    const [campaign, other] = await given.campaigns({ account: advertiser.account, count: 2 });
    const full = (await world().get(PromotableUsersService).find(advertiser.account))!;
    const pairs: Pair[] = [
      ['CUSTOM_AUDIENCE', audience.id],
      ['CAMPAIGN_ENGAGEMENT', campaign.id],
      ['FOLLOWERS_OF_USER', full.userId],
      ['LOCATION', '96683cc9126741d1'],
    ];
    const { required } = await resolve(pairs);
    const db = world().get(DataSource).manager;
    const copy = { ...other, id: '0zzzzzzzzzzz1', name: 'a copy' };
    const store = () => write(db, [insert(Campaign, [copy])], required);
    const remove = () => world().sql('DELETE FROM campaigns WHERE id = $1', copy.id);
    for (const [table, id] of [
      ['custom_audiences', audience.id],
      ['campaigns', campaign.id],
      ['promotable_users', full.id],
      ['users', full.userId],
    ]) {
      await world().sql(`UPDATE ${table} SET "deletedAt" = now() WHERE id = $1`, id);
      await expect(store()).rejects.toBeInstanceOf(ConflictRetry);
      await world().sql(`UPDATE ${table} SET "deletedAt" = NULL WHERE id = $1`, id);
    }
    await store();
    await remove();
    expect((await resolve([['LOCATION', '96683cc9126741d1']])).required).toEqual([]);
  });
});

describe('the value of the United States', () => {
  const [before, known] = ['618435d5e02f0857', '96683cc9126741d1'];
  const migration = new LocationOfTheUnitedStates1795600200000();
  /** The embedded store has one connection, which has to be given back before anything else is asked. */
  const migrating = async (step: (runner: QueryRunner) => Promise<void>) => {
    const runner = world().get(DataSource).createQueryRunner();
    try {
      await step(runner);
    } finally {
      await runner.release();
    }
  };
  const traits = async (username: string) =>
    (
      await world().sql<{ traits: string[] }>(
        'SELECT d.traits FROM directory_users d JOIN users u ON u.id = d."userId" WHERE u.username = $1',
        username,
      )
    )[0].traits;

  it('is that which clients know, also of people who were stored with another', async () => {
    const directory = world().get(DirectoryService);
    const people = [
      { username: 'stored_before', locations: [before], interests: ['5001'] },
      { username: 'stored_with_both', locations: [before, known] },
      { username: 'stored_elsewhere', locations: ['6900329d162cb17c'] },
    ];
    await directory.store(people.map((each) => directory.read(each)));
    await migrating((runner) => migration.up(runner));
    expect(new Set(await traits('stored_before'))).toEqual(new Set([`L:${known}`, 'I:5001']));
    expect(await traits('stored_with_both')).toEqual([`L:${known}`]);
    expect(await traits('stored_elsewhere')).toEqual(['L:6900329d162cb17c']);
    await migrating((runner) => migration.down(runner));
    expect(await traits('stored_with_both')).toEqual([`L:${before}`]);
  });
});
