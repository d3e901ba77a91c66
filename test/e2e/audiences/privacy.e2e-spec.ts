import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import type { Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { sha256 } from '../../support/people.js';

useApp({ AUDIENCE_PRIVACY: 'protected', AUDIENCE_MATCHING: 'directory' });

const USERS = 600;
const TOO_FEW = { min: 0, max: 100 };
const userMail = (n: number) => `user${n}@example.com`;
const strangerMail = (n: number) => `stranger${n}@example.com`;
const mails = (from: number, count: number) => Array.from({ length: count }, (_, n) => userMail(from + n));

beforeAll(async () => {
  const directory = world().get(DirectoryService);
  const users = Array.from({ length: USERS }, (_, n) => ({
    username: `user${n}`,
    email: userMail(n),
    gender: n % 2 === 0 ? 'MALE' : 'FEMALE',
    country: 'US',
  }));
  await directory.store(users.map((each) => directory.read(each)));
});
afterEach(() => world().clock.set(null));

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id: string, { account } = advertiser) => `/12/accounts/${account.id}/custom_audiences/${id}`;
async function audience(addresses: string[], owner = advertiser): Promise<string> {
  const { id } = await given.customAudience({ account: owner.account });
  const users = addresses.map((address) => ({ email: [sha256(address)] }));
  const json = [{ operation_type: 'Update', params: { users } }];
  expect((await owner.api.post(`${path(id, owner)}/users`, { json })).status).toBe(200);
  return id;
}
const settle = async () => {
  world().clock.advance(6_000);
  await world().get(SizeAudiencesJob).sizeDue();
};
const shown = async (id: string): Promise<Json> => (await advertiser.api.get(path(id))).body.data;
const diagnostics = async (id: string, { api, account } = advertiser): Promise<Json> =>
  (await api.get(`/12/accounts/${account.id}/custom_audiences/${id}/diagnostics`)).body.data;
type Criterion = [type: string, value: string, operator?: string];
async function estimate(...criteria: Criterion[]): Promise<Json> {
  const { api, account } = advertiser;
  const answer = await api.post(`/12/accounts/${account.id}/audience_estimate`, {
    json: {
      targeting_criteria: criteria.map(([targeting_type, targeting_value, operator_type = 'EQ']) => ({
        targeting_type,
        targeting_value,
        operator_type,
      })),
    },
  });
  expect(answer.status).toBe(200);
  return answer.body.data.audience_size;
}
const digitsOf = (value: number) => `${value}`.replace(/0+$/, '').length;

describe('AUDIENCE_PRIVACY=protected', () => {
  it('says the same of an audience of one person whether that is a user or not', async () => {
    const [member, stranger] = [await audience([userMail(0)]), await audience([strangerMail(0)])];
    const told = async (id: string) => [await diagnostics(id), (await shown(id)).audience_size];
    const waiting = await told(member);
    expect(waiting).toEqual(await told(stranger));
    expect(waiting[0]).toMatchObject({ persons_uploaded: 1, persons_valid: 1, persons_matched: null });
    await settle();
    expect(await told(member)).toEqual(waiting);
    expect(await told(stranger)).toEqual(waiting);
    expect(await shown(member)).toMatchObject({ targetable: false, reasons_not_targetable: ['TOO_SMALL'] });
  });

  it('tells the reported size alone to whom an audience was shared with', async () => {
    const [owner, partner] = await given.partners();
    for (const count of [1, 400]) {
      const id = await audience(mails(0, count), owner);
      await settle();
      for (const level of ['READ_ONLY', 'READ_WRITE'] as const) {
        await given.sharedAudience({ account: owner.account, audience: { id }, to: partner.account, level });
        const { audience_size } = (await partner.api.get(path(id, partner))).body.data;
        expect(audience_size === null).toBe(count === 1);
        expect(await diagnostics(id, partner)).toEqual({
          persons_uploaded: null,
          persons_valid: null,
          persons_matched: audience_size,
          persons_not_yet_effective: null,
          persons_expired: null,
          identifiers: null,
        });
      }
    }
  });

  it('reports near sizes with two digits, the same for the same people, and lists what it reports', async () => {
    const [one, same] = [await audience(mails(0, 500)), await audience(mails(0, 500).toReversed())];
    await settle();
    const { audience_size: size } = await shown(one);
    expect((await shown(same)).audience_size).toBe(size);
    expect(digitsOf(size)).toBeLessThanOrEqual(2);
    // six deviations of the noise of 500 weights and of the question
    expect(Math.abs(size - 500)).toBeLessThan(6 * Math.hypot(25, Math.sqrt(500 * 10)) + 50);
    expect((await diagnostics(one)).persons_matched).toBe(size);
    const history = await world().sql<{ size: number }>(
      `SELECT DISTINCT "audienceSize" AS size FROM custom_audiences WHERE id = ANY($1::varchar[])`,
      [one, same],
    );
    expect(history).toEqual([{ size }]);
  });

  it('decides by noise whether 99 users and one more person are enough', async () => {
    const made: string[] = [];
    for (let n = 0; n < 24; n++) made.push(await audience([...mails(0, 99), userMail(100 + n)]));
    await settle();
    const sizes = await Promise.all(made.map(async (id) => (await shown(id)).audience_size as number | null));
    // 24 coins that fall alike would be one case in eight million
    expect(sizes).toContain(null);
    expect(sizes.filter((size) => size !== null).length).toBeGreaterThan(0);
  });

  it('changes a size for one more stranger as it does for one more user', async () => {
    const made: string[] = [];
    for (let n = 0; n < 12; n++) made.push(await audience([...mails(0, 300), strangerMail(n)]));
    await settle();
    const sizes = await Promise.all(made.map(async (id) => (await shown(id)).audience_size as number));
    expect(new Set(sizes).size).toBeGreaterThan(2);
  });

  it('estimates nothing below the floor, and ranges above it, the same for the same question', async () => {
    const [many, target] = [await audience(mails(0, 400)), await audience([userMail(7)])];
    await settle();
    await world().sql(`UPDATE custom_audiences SET "reasonsNotTargetable" = '{}' WHERE id = ANY($1::varchar[])`, [
      many,
      target,
    ]);
    expect(await estimate(['CUSTOM_AUDIENCE', target])).toEqual(TOO_FEW);
    expect(await estimate(['CUSTOM_AUDIENCE', target], ['GENDER', '2'])).toEqual(TOO_FEW);
    expect(await estimate(['CUSTOM_AUDIENCE', target], ['GENDER', '1'])).toEqual(TOO_FEW);
    expect(await estimate(['CUSTOM_AUDIENCE', target], ['CUSTOM_AUDIENCE', many, 'NE'])).toEqual(TOO_FEW);
    const question: Criterion[] = [
      ['CUSTOM_AUDIENCE', many],
      ['CUSTOM_AUDIENCE', target, 'NE'],
    ];
    const answer = await estimate(...question);
    expect(await estimate(...question.toReversed())).toEqual(answer);
    expect(answer.min).toBeLessThanOrEqual(0.95 * (399 + 290));
    expect(answer.max).toBeGreaterThanOrEqual(1.05 * (399 - 290));
    expect(Math.max(digitsOf(answer.min), digitsOf(answer.max))).toBeLessThanOrEqual(2);
    // every upload makes another question of it, whoever is uploaded
    const answers = [];
    for (let n = 0; n < 12; n++) {
      const users = [{ email: [sha256(strangerMail(n))] }];
      await advertiser.api.post(`${path(target)}/users`, { json: [{ operation_type: 'Update', params: { users } }] });
      answers.push((await estimate(...question)).max);
    }
    expect(new Set(answers).size).toBeGreaterThan(2);
  });

  it('sizes flexible audiences by the same rule', async () => {
    const [many, few] = [await audience(mails(0, 500)), await audience([userMail(3)])];
    await settle();
    const leaf = (id: string) => ({ custom_audience_id: id, lookback_window: 30 });
    const flexible = async (...leaves: string[]): Promise<string> => {
      const { api, account } = advertiser;
      const params = {
        name: `Of ${leaves.join()}`,
        audience_type: 'FLEXIBLE',
        boolean_operator: 'AND',
        child_segments: leaves.map(leaf),
      };
      const json = [{ operation_type: 'Create', params }];
      const { status, body } = await api.post(`/12/batch/accounts/${account.id}/custom_audiences`, { json });
      expect({ status, errors: body.operation_errors }).toMatchObject({ status: 200 });
      return body.data[0].id;
    };
    const [large, small] = [await flexible(many), await flexible(many, few)];
    await settle();
    expect((await shown(small)).audience_size).toBeNull();
    const { audience_size: size } = await shown(large);
    expect(digitsOf(size)).toBeLessThanOrEqual(2);
    expect(Math.abs(size - 500)).toBeLessThan(350);
  });
});
