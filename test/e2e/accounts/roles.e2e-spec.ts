import { ROLES, type Role } from '../../../src/accounts/access/roles.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { useApp } from '../../support/app.js';
import type { Sending } from '../../support/api.js';
import { given } from '../../support/given.js';

useApp();

interface Action {
  what: string;
  call(account: ActingAccount): [method: string, path: string, sending?: Sending];
}

const under = (account: ActingAccount, path: string) => `/12/accounts/${account.id}${path}`;
const read = (path: string, query?: Sending['query']): Action => ({
  what: `GET ${path || '/'}`,
  call: (account) => ['GET', under(account, path), { query }],
});
const write = (method: string, path: string, sending?: Sending): Action => ({
  what: `${method} ${path || '/'}`,
  call: (account) => [method, under(account, path), sending],
});
const NOTHING = '0zzzzzzzzzzzz';

const everybody = [...ROLES];
const viewers: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST'];
const managers: Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
const admins: Role[] = ['ACCOUNT_ADMIN'];

/** Who may do what (Part 3, 4.3). What is named by an id is not there, so that whoever may ask changes nothing. */
const MATRIX: [allowed: Role[], actions: Action[]][] = [
  [
    everybody,
    [
      read(''),
      read('/features'),
      read('/authenticated_user_access'),
      read('/promotable_users'),
      read(`/promotable_users/${NOTHING}`),
    ],
  ],
  [
    viewers,
    [
      read('/campaigns'),
      read(`/campaigns/${NOTHING}`),
      read('/funding_instruments'),
      read(`/funding_instruments/${NOTHING}`),
    ],
  ],
  [
    managers,
    [
      read('/account_history', {
        entity_type: 'CAMPAIGN',
        entity_id: NOTHING,
        start_time: '2026-01-01',
        end_time: '2026-02-01',
      }),
      write('POST', '/campaigns', { query: { funding_instrument_id: NOTHING, name: 'x' } }),
      write('PUT', `/campaigns/${NOTHING}`, { query: { name: 'x' } }),
      write('DELETE', `/campaigns/${NOTHING}`),
      {
        what: 'POST batch campaigns',
        call: (account) => [
          'POST',
          `/12/batch/accounts/${account.id}/campaigns`,
          { json: [{ operation_type: 'Delete', params: { campaign_id: NOTHING } }] },
        ],
      },
    ],
  ],
  [
    admins,
    [
      write('PUT', '', { query: { name: 'Renamed' } }),
      write('POST', '/features', { query: { feature_keys: 'DR_TAP' } }),
      write('DELETE', '/features', { query: { feature_keys: 'DR_TAP' } }),
      write('POST', '/funding_instruments'),
      write('DELETE', `/funding_instruments/${NOTHING}`),
      write('DELETE', ''),
    ],
  ],
];

describe.each(ROLES)('%s', (role) => {
  it.each(
    MATRIX.flatMap(([allowed, actions]) => actions.map((action) => ({ ...action, may: allowed.includes(role) }))),
  )('may $what: $may', async ({ call, may }) => {
    const { account, api } = await given.advertiser({ role, environment: 'sandbox' });
    const { status, body } = await api.call(...call(account));
    if (may) {
      expect({ status, error: body.errors?.[0]?.code }).not.toMatchObject({ status: 403 });
      expect(status).toBeLessThan(500);
      expect(status).not.toBe(401);
    } else {
      expect({ status, body }).toMatchObject({ status: 403, body: { errors: [{ code: 'ACTION_NOT_ALLOWED' }] } });
    }
  });
});

it('takes a role of the account asked for, not of another one', async () => {
  const admin = await given.advertiser();
  const foreign = await given.advertiser();
  const { api } = await given.member(foreign.account, 'ANALYST');
  expect((await api.get(`/12/accounts/${foreign.account.id}/campaigns`)).status).toBe(403);
  expect((await api.get(`/12/accounts/${admin.account.id}/campaigns`)).status).toBe(404);
});
