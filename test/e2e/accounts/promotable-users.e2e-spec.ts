import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { PromotableUser } from '../../../src/accounts/promotable-users/promotable-user.entity.js';
import { PromotableUserView } from '../../../src/accounts/promotable-users/promotable-user.presenter.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

describe('promotable users', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/promotable_users`,
    make: (account) => given.promotableUser(account),
    remove: async ({ account }, id) => {
      const [{ userId }] = await world().sql<{ userId: string }>(
        `SELECT "userId" FROM promotable_users WHERE id = $1`,
        id,
      );
      await world().get(AdministrationService).removePromotableUser(account.id, userId);
    },
    view: PromotableUserView,
    entity: PromotableUser,
    idsFilter: 'promotable_user_ids',
    // Whoever makes an account is its FULL one.
    already: 1,
  });

  it('have the maker of the account as the FULL one', async () => {
    const { account, api, user } = await given.advertiser();
    const other = await given.promotableUser(account);
    const path = `/12/accounts/${account.id}/promotable_users`;
    const { body } = await api.get(path);
    expect(body.data).toMatchObject([
      { id: other.id, user_id: other.userId, promotable_user_type: 'RETWEETS_ONLY', deleted: false },
      { user_id: user.id, promotable_user_type: 'FULL', deleted: false },
    ]);
    const single = await api.get(`${path}/${other.id}`);
    expect(single.body).toEqual({
      request: { params: { account_id: account.id, promotable_user_id: other.id } },
      data: body.data[0],
    });
  });

  it('are read singly, deleted ones with with_deleted only', async () => {
    const { account, api } = await given.advertiser();
    const other = await given.promotableUser(account);
    const path = `/12/accounts/${account.id}/promotable_users/${other.id}`;
    await world().get(AdministrationService).removePromotableUser(account.id, other.userId);
    expect(await api.get(path)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'NOT_FOUND', parameter: 'promotable_user_id' }] },
    });
    expect(await api.get(path, { query: { with_deleted: true } })).toMatchObject({
      status: 200,
      body: { data: { id: other.id, deleted: true } },
    });
  });

  it('of other accounts are not found', async () => {
    const { account, api } = await given.advertiser();
    const stranger = await given.advertiser();
    const theirs = await given.promotableUser(stranger.account);
    expect((await api.get(`/12/accounts/${account.id}/promotable_users/${theirs.id}`)).status).toBe(404);
  });
});
