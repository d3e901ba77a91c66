import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-permission.resource.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { CustomAudienceView } from '../../../src/audiences/custom-audiences/custom-audience.presenter.js';
import { ConflictRetry } from '../../../src/common/db/query/retry.js';
import { write } from '../../../src/common/db/query/write.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids, listConventions, unlike } from '../../support/list-conventions.js';

useApp();

interface Identified {
  id: string;
}

let owner: Advertiser;
let partner: Advertiser;
let audience: Identified;
beforeEach(async () => {
  [owner, partner] = await given.partners();
  audience = await given.customAudience({ account: owner.account, name: 'Shared' });
});

const permissions = () => world().get(AudiencePermissionsService);
const path = (id?: string, { account } = partner) => `/12/accounts/${account.id}/custom_audiences${id ? `/${id}` : ''}`;
const share = (level: 'READ_ONLY' | 'READ_WRITE' = 'READ_ONLY', of = audience) =>
  given.sharedAudience({ account: owner.account, audience: of, to: partner.account, level });
const revoke = ({ id }: Identified) => permissions().revoke(owner.account, audience.id, id, CUSTOM);
const rename = (name: string) => partner.api.put(path(audience.id), { query: { name } });
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const UNKNOWN = { status: 404, errors: [['NOT_FOUND', 'custom_audience_id']] };
const CLOSED = { status: 403, errors: [['ACTION_NOT_ALLOWED', 'custom_audience_id']] };
const shared = async (query: Params = {}): Promise<Json[]> =>
  (await partner.api.get(path(), { query: { permission_scope: 'SHARED', ...query } })).body.data;
/** What is refused, whether at once or by a promise. */
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Json) => error,
  );

describe('the list of shared audiences', () => {
  const lenders = new Map<string, ActingAccount>();
  const lenderTo = async ({ id }: Identified): Promise<ActingAccount> => {
    const known = lenders.get(id);
    if (known) return known;
    const { account } = await given.advertiser();
    await given.sharesOutside(account);
    lenders.set(id, account);
    return account;
  };
  const lend = async (to: ActingAccount, name?: string) => {
    const account = await lenderTo(to);
    const lent = await given.customAudience({ account, name });
    await given.sharedAudience({ account, audience: lent, to });
    return lent;
  };

  listConventions({
    path: ({ id }) => `/12/accounts/${id}/custom_audiences`,
    required: () => ({ permission_scope: 'SHARED' }),
    make: (account, n) =>
      lend(account, ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n]),
    makeMany: async (account, count) => {
      for (let n = 0; n < count; n++) await lend(account);
    },
    // a deleted audience is shared with nobody
    remove: 'never',
    view: CustomAudienceView,
    entity: CustomAudience,
    idsFilter: 'custom_audience_ids',
    sortable: ['created_at', 'updated_at', 'name'],
    q: true,
  });
});

describe('an audience that is shared', () => {
  it.each(['READ_ONLY', 'READ_WRITE'] as const)(
    'as %s is read by the granted account as its own view of it',
    async (level) => {
      await share(level);
      const own = (await owner.api.get(path(audience.id, owner))).body.data;
      const { body } = await partner.api.get(path(audience.id));
      expect(unlike(CustomAudienceView, body.data)).toEqual([]);
      expect(body.data).toEqual({ ...own, is_owner: false, permission_level: level });
      expect(body.data.owner_account_id).toBe(owner.account.id);
      expect(own).toMatchObject({ is_owner: true, permission_level: 'READ_WRITE' });
      expect(await shared()).toEqual([body.data]);
      expect((await partner.api.get(path())).body.data).toEqual([]);
      const answer = await partner.api.get(path(), { query: { permission_scope: 'OWNER' } });
      expect(answer.body.data).toEqual([]);
    },
  );

  it('as READ_ONLY is not changed by the granted account', async () => {
    await share();
    expect(refusal(await rename('Mine'))).toEqual(CLOSED);
    expect((await owner.api.get(path(audience.id, owner))).body.data.name).toBe('Shared');
  });

  it('as READ_WRITE is changed by it, in the name of its owner', async () => {
    await share('READ_WRITE');
    const { status, body } = await partner.api.put(path(audience.id), { query: { name: 'Ours', description: 'both' } });
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { name: 'Ours', description: 'both', is_owner: false, permission_level: 'READ_WRITE' },
    });
    expect((await owner.api.get(path(audience.id, owner))).body.data).toMatchObject({
      name: 'Ours',
      description: 'both',
      is_owner: true,
    });
    const history = await world().sql<{ account: string; user: string; type: string }>(
      `SELECT "accountId" AS account, "userId" AS user, "changeType" AS type FROM account_changes c
        WHERE "entityId" = $1 AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
      audience.id,
    );
    expect(history).toEqual([
      { account: owner.account.id, user: owner.account.userId, type: 'CREATE' },
      { account: owner.account.id, user: partner.account.userId, type: 'UPDATE' },
    ]);
    // what it shows may be sent back, by either
    expect((await partner.api.put(path(audience.id), { query: body.data })).body.data).toEqual(body.data);
  });

  it('keeps the names of its owner apart', async () => {
    await share('READ_WRITE');
    await given.customAudience({ account: owner.account, name: 'Taken' });
    await given.customAudience({ account: partner.account, name: 'Own' });
    expect(refusal(await rename('Taken'))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'name']] });
    expect((await rename('Own')).status).toBe(200);
  });

  it('is deleted by its owner alone', async () => {
    await share('READ_WRITE');
    expect(refusal(await partner.api.delete(path(audience.id)))).toEqual(CLOSED);
    const stranger = await given.advertiser();
    expect(refusal(await stranger.api.delete(path(audience.id, stranger)))).toEqual(UNKNOWN);
    expect((await owner.api.delete(path(audience.id, owner))).status).toBe(200);
    expect(refusal(await partner.api.get(path(audience.id), { query: { with_deleted: true } }))).toEqual(UNKNOWN);
    expect(await shared({ with_deleted: true })).toEqual([]);
    expect(refusal(await rename('Late'))).toEqual(UNKNOWN);
  });

  it('is gone for the granted account once that is revoked', async () => {
    const permission = await share('READ_WRITE');
    await revoke(permission);
    for (const answer of [
      await partner.api.get(path(audience.id)),
      await partner.api.get(path(audience.id), { query: { with_deleted: true } }),
      await rename('Mine'),
      await partner.api.delete(path(audience.id)),
    ])
      expect(refusal(answer)).toEqual(UNKNOWN);
    expect(await shared({ with_deleted: true })).toEqual([]);
    await share();
    expect(await shared()).toMatchObject([{ id: audience.id, permission_level: 'READ_ONLY' }]);
  });

  it('is gone with the account that owns it', async () => {
    await share('READ_WRITE');
    await given.deletedAccount('production', owner.account.id, owner.account.userId);
    expect(refusal(await partner.api.get(path(audience.id)))).toEqual(UNKNOWN);
    expect(refusal(await rename('Mine'))).toEqual(UNKNOWN);
    expect(await shared()).toEqual([]);
  });

  it('is changed by nobody after the answer that took the right away', async () => {
    for (const [taken, end] of [
      [CLOSED, () => share('READ_ONLY')],
      [UNKNOWN, async () => revoke(await share('READ_WRITE'))],
    ] as const) {
      await share('READ_WRITE');
      const renames = (from: number) => Array.from({ length: 8 }, (_, i) => rename(`Race ${taken.status} ${from + i}`));
      const [, ...answers] = await Promise.all([end(), ...renames(0)]);
      for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(taken);
      const { name } = (await owner.api.get(path(audience.id, owner))).body.data;
      for (const answer of await Promise.all(renames(8))) expect(refusal(answer)).toEqual(taken);
      expect((await owner.api.get(path(audience.id, owner))).body.data.name).toBe(name);
    }
  });
});

describe('what an account may write', () => {
  const stored = (required: Parameters<typeof write>[2]) => write(world().get(DataSource).manager, [], required);

  it('is its own, and what it was granted READ_WRITE', async () => {
    const unknown = () => thrownBy(permissions().writableBy(partner.account, audience.id));
    expect(await unknown()).toMatchObject({ status: 404, detail: { parameter: 'custom_audience_id' } });
    await share();
    expect(await unknown()).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' });
    await share('READ_WRITE');
    const writable = await permissions().writableBy(partner.account, audience.id);
    expect(writable).toMatchObject({
      audience: { id: audience.id },
      granted: 'READ_WRITE',
      by: { id: owner.account.id, userId: partner.account.userId },
    });
    await stored(writable.required);
    const own = await permissions().writableBy(owner.account, audience.id);
    expect(own).toMatchObject({ granted: null, by: { id: owner.account.id }, required: [] });
  });

  it('depends on that still when it is stored', async () => {
    const permission = await share('READ_WRITE');
    const { required } = await permissions().writableBy(partner.account, audience.id);
    await share('READ_ONLY');
    expect(await thrownBy(stored(required))).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' });
    await revoke(permission);
    expect(await thrownBy(stored(required))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    await share('READ_WRITE');
    const again = await permissions().writableBy(partner.account, audience.id);
    await given.deletedAccount('production', partner.account.id, partner.account.userId);
    expect(await thrownBy(stored(again.required))).toMatchObject({ status: 404, detail: { parameter: 'account_id' } });
  });
});

describe('what an account may target', () => {
  it('is its own, and what it was granted', async () => {
    const make = (account: ActingAccount) => given.customAudience({ account });
    const [own, kept, written, gone] = [
      await make(partner.account),
      await make(owner.account),
      await make(owner.account),
      await make(owner.account),
    ];
    await share();
    await share('READ_WRITE', written);
    await share('READ_ONLY', gone);
    await owner.api.delete(path(gone.id, owner));
    const ids = [own, kept, written, gone, audience].map(({ id }) => id);
    const { audiences, required } = await permissions().usableBy(partner.account, [...ids, base36Ids(0)]);
    expect([...audiences.keys()].sort()).toEqual([own.id, written.id, audience.id].sort());
    expect([own, written, audience].map(({ id }) => audiences.get(id)!.granted)).toEqual([
      null,
      'READ_WRITE',
      'READ_ONLY',
    ]);
    await write(world().get(DataSource).manager, [], required);
    const none = await permissions().usableBy(partner.account, []);
    expect({ size: none.audiences.size, required: none.required }).toEqual({ size: 0, required: [] });
  });

  it('is asked again where that has changed before it is stored', async () => {
    const permission = await share();
    const usable = () => permissions().usableBy(partner.account, [audience.id]);
    const before = await usable();
    await revoke(permission);
    const again = await thrownBy(write(world().get(DataSource).manager, [], before.required));
    expect(again).toBeInstanceOf(ConflictRetry);
    expect((await usable()).audiences.size).toBe(0);
  });
});
