import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { sha256 } from '../../support/people.js';

useApp();

const NOBODY = '0zzzzzzzzzzzz';

let advertiser: Advertiser;
let list: string;
beforeEach(async () => {
  advertiser = await given.advertiser();
  list = (await advertiser.api.post(path())).body.data.id;
});
afterEach(() => world().clock.set(null));

const path = (of = advertiser) => `/12/accounts/${of.account.id}/do_not_reach_lists`;
const upload = (operations: unknown, id = list): Promise<Answer> =>
  advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/do_not_reach_lists/${id}/users`, {
    json: operations,
  });
const shown = async (): Promise<Json> => (await advertiser.api.get(path())).body.data[0];
const settle = async () => {
  world().clock.advance(6_000);
  await world().get(SizeAudiencesJob).sizeDue();
};
const people = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, n) => ({ email: [sha256(`quiet ${from + n}`)] }));
const inDays = (days: number) =>
  `${new Date(world().clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
const refusal = ({ status, body }: Answer) => ({
  status,
  operations: body.operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => [code, parameter])),
});

describe('the users of a do-not-reach list', () => {
  it('are counted operation by operation, and not echoed', async () => {
    const expires_at = inDays(30);
    const { status, body } = await upload([
      { operation_type: 'Update', params: { users: [...people(0, 2), { phone_number: [sha256('+49')] }], expires_at } },
      { operation_type: 'Update', params: { emails: [sha256('a'), sha256('b').toUpperCase()] } },
      { operation_type: 'Delete', params: { users: people(1, 2) } },
    ]);
    const own = { do_not_reach_list_id: list, account_id: advertiser.account.id };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [3, 2, 1].map((count) => ({ success_count: count, total_count: count })),
        request: [
          { params: { expires_at, ...own }, operation_type: 'Update' },
          { params: own, operation_type: 'Update' },
          { params: own, operation_type: 'Delete' },
        ],
      },
    });
    const stored = await world().sql<{ people: number }>(
      'SELECT count(*)::int AS people FROM audience_identifiers WHERE "audienceId" = $1 AND first',
      list,
    );
    expect(stored).toEqual([{ people: 4 }]);
  });

  it('make the list take effect from 100 on', async () => {
    await upload([{ operation_type: 'Update', params: { users: people(0, 99) } }]);
    await settle();
    expect(await shown()).toMatchObject({ targetable: false, reasons_not_targetable: ['TOO_SMALL'], list_size: null });
    await upload([{ operation_type: 'Update', params: { users: people(99, 100), expires_at: inDays(1) } }]);
    expect(await shown()).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
    await settle();
    expect(await shown()).toMatchObject({ targetable: true, reasons_not_targetable: [], list_size: 100 });
    world().clock.advance(86_400_000);
    await world().get(SizeAudiencesJob).sizeDue();
    expect(await shown()).toMatchObject({ targetable: false, list_size: null });
  });

  it('leave the sizes of custom audiences as they are', async () => {
    const { id } = await given.customAudience({ account: advertiser.account });
    const audience = `/12/accounts/${advertiser.account.id}/custom_audiences/${id}`;
    const operations = [{ operation_type: 'Update', params: { users: people(0, 120) } }];
    await advertiser.api.post(`${audience}/users`, { json: operations });
    await upload(operations);
    await settle();
    expect((await advertiser.api.get(audience)).body.data).toMatchObject({ audience_size: 120 });
  });

  it('may come with empty fields, which are not set; a wrong end names what it was compared with', async () => {
    const { status } = await upload([
      { operation_type: 'Update', params: { users: null, emails: [sha256('a')], expires_at: '' } },
      { operation_type: 'Update', params: { users: people(0, 1), emails: '', expires_at: null } },
    ]);
    expect(status).toBe(200);
    world().clock.set(new Date('2027-03-01T10:00:00Z'));
    const { body } = await upload([
      { operation_type: 'Update', params: { users: people(0, 1), expires_at: '2027-02-01' } },
      { operation_type: 'Update', params: { users: people(0, 1), expires_at: '2028-05-01' } },
    ]);
    expect(body.operation_errors.map(([{ message }]: Json[]) => message)).toEqual([
      'expires_at must be later than now, 2027-03-01T10:00:00Z',
      'expires_at must be within 13 months, 2028-04-01T10:00:00Z at the latest',
    ]);
  });

  it('are refused whole, each fault at its operation', async () => {
    const answer = await upload([
      { operation_type: 'Update', params: { users: people(0, 1) } },
      { operation_type: 'Update', params: {} },
      { operation_type: 'Update', params: { users: [{ handle: [sha256('h')] }] } },
      { operation_type: 'Update', params: { emails: ['plain@example.com'] } },
      { operation_type: 'Update', params: { users: people(0, 1), expires_at: inDays(-1) } },
      { operation_type: 'Update', params: { users: people(0, 1), expires_at: inDays(400) } },
    ]);
    expect(refusal(answer)).toEqual({
      status: 400,
      operations: [
        [],
        [['MISSING_PARAMETER', 'users']],
        [['MISSING_PARAMETER', 'users[0]']],
        [['INVALID_PARAMETER', 'emails[0]']],
        [['INVALID_TIME_WINDOW', 'expires_at']],
        [['INVALID_TIME_WINDOW', 'expires_at']],
      ],
    });
    await settle();
    expect(await shown()).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
  });

  it('belong to the list of the account that is there', async () => {
    const foreign = await given.advertiser();
    const theirs = (await foreign.api.post(path(foreign))).body.data.id as string;
    await advertiser.api.delete(`${path()}/${list}`);
    for (const id of [NOBODY, theirs, list]) {
      const { status, body } = await upload([{ operation_type: 'Update', params: { users: people(0, 1) } }], id);
      expect([status, body.errors[0].parameter]).toEqual([404, 'do_not_reach_list_id']);
    }
  });
});
