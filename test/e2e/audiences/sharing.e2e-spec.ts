import type { Type } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { Account } from '../../../src/accounts/entities/account.entity.js';
import { AudienceAccessService } from '../../../src/audiences/audience-permissions/audience-access.service.js';
import { AudiencePermission } from '../../../src/audiences/audience-permissions/audience-permission.entity.js';
import {
  CustomAudiencePermissionView,
  TailoredAudiencePermissionView,
} from '../../../src/audiences/audience-permissions/audience-permission.presenter.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-words.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { CustomAudienceView } from '../../../src/audiences/custom-audiences/custom-audience.presenter.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { ConflictRetry } from '../../../src/common/db/query/retry.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { write } from '../../../src/common/db/query/write.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { base36Ids, listConventions, unlike } from '../../support/list-conventions.js';

useSharedApp();

describe('shared audiences', () => {
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

  const access = () => world().get(AudienceAccessService);
  const permissions = () => world().get(AudiencePermissionsService);
  const path = (id?: string, { account } = partner) =>
    `/12/accounts/${account.id}/custom_audiences${id ? `/${id}` : ''}`;
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
      const { status, body } = await partner.api.put(path(audience.id), {
        query: { name: 'Ours', description: 'both' },
      });
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
        WHERE "entityId" = $1 AND "transactionId" IS NOT NULL ORDER BY id`,
        audience.id,
      );
      expect(history).toEqual([
        { account: owner.account.id, user: owner.account.userId, type: 'CREATE' },
        { account: owner.account.id, user: partner.account.userId, type: 'UPDATE' },
      ]);
      // what it shows may be sent back, by either
      expect((await partner.api.put(path(audience.id), { query: body.data })).body.data).toEqual(body.data);
    });

    it('as READ_WRITE is changed at the time of its owner, and not while the clock of the owner advances', async () => {
      await share('READ_WRITE');
      const { id } = owner.account;
      const time = '2027-03-01T12:00:00.000Z';
      // partners are production accounts here, which have no test clock by requests
      await world().sql(`UPDATE accounts SET "clockId" = $2, "frozenTime" = $3 WHERE id = $1`, id, 'clock', time);
      const users = () =>
        partner.api.post(`${path(audience.id)}/users`, {
          json: [{ operation_type: 'Update', params: { users: [{ email: ['c0de'.repeat(16)] }] } }],
        });
      expect((await rename('Later')).body.data).toMatchObject({ name: 'Later', updated_at: '2027-03-01T12:00:00Z' });
      expect((await users()).status).toBe(200);
      const [{ effectiveAt }] = await world().sql<{ effectiveAt: string }>(
        `SELECT "effectiveAt" FROM audience_identifiers WHERE "audienceId" = $1`,
        audience.id,
      );
      expect(new Date(effectiveAt)).toEqual(new Date(time));
      await world().sql(`UPDATE accounts SET "clockAdvancing" = true WHERE id = $1`, id);
      for (const answer of [await rename('Now'), await users()])
        expect([answer.status, answer.body.errors[0].code]).toEqual([409, 'TEST_CLOCK_ADVANCING']);
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
        const renames = (from: number) =>
          Array.from({ length: 8 }, (_, i) => rename(`Race ${taken.status} ${from + i}`));
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
      const unknown = () => thrownBy(access().writableBy(partner.account, audience.id));
      expect(await unknown()).toMatchObject({ status: 404, detail: { parameter: 'custom_audience_id' } });
      await share();
      expect(await unknown()).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' });
      await share('READ_WRITE');
      const writable = await access().writableBy(partner.account, audience.id);
      expect(writable).toMatchObject({
        audience: { id: audience.id },
        granted: 'READ_WRITE',
        by: { id: owner.account.id, userId: partner.account.userId },
      });
      await stored(writable.required);
      const own = await access().writableBy(owner.account, audience.id);
      expect(own).toMatchObject({ granted: null, by: { id: owner.account.id }, required: [] });
    });

    it('depends on that still when it is stored', async () => {
      const permission = await share('READ_WRITE');
      const { required } = await access().writableBy(partner.account, audience.id);
      await share('READ_ONLY');
      expect(await thrownBy(stored(required))).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' });
      await revoke(permission);
      expect(await thrownBy(stored(required))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      await share('READ_WRITE');
      const again = await access().writableBy(partner.account, audience.id);
      await given.deletedAccount('production', partner.account.id, partner.account.userId);
      expect(await thrownBy(stored(again.required))).toMatchObject({
        status: 404,
        detail: { parameter: 'account_id' },
      });
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
      const { audiences, required } = await access().usableBy(partner.account, [...ids, base36Ids(0)]);
      expect([...audiences.keys()].sort()).toEqual([own.id, written.id, audience.id].sort());
      expect([own, written, audience].map(({ id }) => audiences.get(id)!.granted)).toEqual([
        null,
        'READ_WRITE',
        'READ_ONLY',
      ]);
      await write(world().get(DataSource).manager, [], required);
      const none = await access().usableBy(partner.account, []);
      expect({ size: none.audiences.size, required: none.required }).toEqual({ size: 0, required: [] });
    });

    it('is asked again where that has changed before it is stored', async () => {
      const permission = await share();
      const usable = () => access().usableBy(partner.account, [audience.id]);
      const before = await usable();
      await revoke(permission);
      const again = await thrownBy(write(world().get(DataSource).manager, [], before.required));
      expect(again).toBeInstanceOf(ConflictRetry);
      expect((await usable()).audiences.size).toBe(0);
    });
  });
});

describe('audience permissions', () => {
  interface Identified {
    id: string;
  }

  let owner: Advertiser;
  let partner: Advertiser;
  let audience: Identified;
  beforeEach(async () => {
    [owner, partner] = await given.partners();
    audience = await given.customAudience({ account: owner.account });
  });

  const path = (id?: string, of = audience, account: Identified = owner.account) =>
    `/12/accounts/${account.id}/custom_audiences/${of.id}/permissions${id ? `/${id}` : ''}`;
  const grant = (to: Identified = partner.account, level = 'READ_ONLY', by = owner) =>
    by.api.post(path(undefined, audience, by.account), {
      query: { granted_account_id: to.id, permission_level: level },
    });
  const granted = async (to?: Identified, level?: string): Promise<Json> => {
    const { status, body } = await grant(to, level);
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
  });
  const listed = async (): Promise<Json[]> => (await owner.api.get(path())).body.data;
  const live = () =>
    world().sql<Identified>(
      `SELECT id FROM audience_permissions WHERE "customAudienceId" = $1 AND "deletedAt" IS NULL`,
      audience.id,
    );
  const history = (account: Identified = owner.account) =>
    world().sql<{ id: string; type: string; changes: Json; data: Json; user: string }>(
      `SELECT "entityId" AS id, "changeType" AS type, changes, "entityData" AS data, "userId" AS user FROM account_changes c
      WHERE "accountId" = $1 AND "entityType" = 'AUDIENCE_PERMISSION'
        AND "transactionId" IS NOT NULL ORDER BY c.id`,
      account.id,
    );

  /** The two names that the same rows have. */
  const VERSIONS: [kind: string, version: number, view: Type][] = [
    ['custom', 12, CustomAudiencePermissionView],
    ['tailored', 5, TailoredAudiencePermissionView],
  ];

  describe.each(VERSIONS)('permissions of %s audiences (version %i)', (kind, version, view) => {
    const at = (account: Identified, of: Identified, id = '') =>
      `/${version}/accounts/${account.id}/${kind}_audiences/${of.id}/permissions${id && `/${id}`}`;
    const params = (to: Identified, level = 'READ_ONLY') => ({
      query: { granted_account_id: to.id, permission_level: level },
    });

    listConventions({
      path: at,
      parent: {
        make: async (account) => {
          await given.sharesOutside(account);
          return given.customAudience({ account });
        },
        param: `${kind}_audience_id`,
      },
      make: async (account, _, of) =>
        given.sharedAudience({
          account,
          audience: of,
          to: await given.account({ userId: account.userId }),
        }),
      remove: ({ account }, id, of) => world().get(AudiencePermissionsService).revoke(account, of.id, id, CUSTOM),
      view,
      entity: AudiencePermission,
      idsFilter: `${kind}_audience_permission_ids`,
      sortable: ['created_at', 'updated_at', 'deleted'],
    });

    it('makes, changes, lists and deletes one, under its own names', async () => {
      const made = await owner.api.post(at(owner.account, audience), params(partner.account));
      expect({ status: made.status, params: made.body.request.params }).toEqual({
        status: 201,
        params: {
          account_id: owner.account.id,
          [`${kind}_audience_id`]: audience.id,
          granted_account_id: partner.account.id,
          permission_level: 'READ_ONLY',
        },
      });
      const { data } = made.body;
      expect(unlike(view, data)).toEqual([]);
      expect(Object.keys(data)).toEqual([
        `${kind}_audience_id`,
        'permission_level',
        'id',
        'created_at',
        'granted_account_id',
        'updated_at',
        'deleted',
      ]);
      expect(data).toEqual({
        id: expect.stringMatching(/^[0-9a-z]{13}$/),
        [`${kind}_audience_id`]: audience.id,
        granted_account_id: partner.account.id,
        permission_level: 'READ_ONLY',
        created_at: expect.stringMatching(/Z$/),
        updated_at: data.created_at,
        deleted: false,
      });

      world().clock.advance(5_000);
      const changed = await owner.api.post(at(owner.account, audience), params(partner.account, 'READ_WRITE'));
      expect(changed.status).toBe(200);
      expect(changed.body.data).toEqual({
        ...data,
        permission_level: 'READ_WRITE',
        updated_at: changed.body.data.updated_at,
      });
      expect(changed.body.data.updated_at > data.updated_at).toBe(true);
      expect((await owner.api.get(at(owner.account, audience))).body.data).toEqual([changed.body.data]);

      const gone = await owner.api.delete(at(owner.account, audience, data.id));
      expect({ status: gone.status, params: gone.body.request.params }).toEqual({
        status: 200,
        params: {
          account_id: owner.account.id,
          [`${kind}_audience_id`]: audience.id,
          [`${kind}_audience_permission_id`]: data.id,
        },
      });
      expect(gone.body.data).toEqual({
        ...changed.body.data,
        deleted: true,
        updated_at: gone.body.data.updated_at,
      });
      expect(refusal(await owner.api.delete(at(owner.account, audience, data.id)))).toEqual({
        status: 404,
        errors: [['NOT_FOUND', `${kind}_audience_permission_id`]],
      });
    });

    it('finds by granted_account_ids', async () => {
      const [first, second, third] = await given.partners(3);
      const shared = await given.customAudience({ account: first.account });
      for (const { account } of [second, third])
        await given.sharedAudience({ account: first.account, audience: shared, to: account });
      const list = (query: Params) => first.api.get(at(first.account, shared), { query });
      const accountsOf = ({ body }: Answer) =>
        body.data.map((each: Json) => each.granted_account_id).sort() as string[];
      expect(accountsOf(await list({ granted_account_ids: third.account.id }))).toEqual([third.account.id]);
      const both = `${third.account.id},${second.account.id},${base36Ids(0)}`;
      expect(accountsOf(await list({ granted_account_ids: both }))).toEqual(
        [second.account.id, third.account.id].sort(),
      );
      expect(accountsOf(await list({ granted_account_ids: first.account.id }))).toEqual([]);
      const many = Array.from({ length: 201 }, (_, i) => base36Ids(i)).join(',');
      expect(refusal(await list({ granted_account_ids: many }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'granted_account_ids']],
      });
    });

    it('is unknown to whoever does not see the audience, and closed to whoever does not own it', async () => {
      const { id } = await given.sharedAudience({
        account: owner.account,
        audience,
        to: partner.account,
        level: 'READ_WRITE',
      });
      const stranger = await given.advertiser();
      const asked = ({ account, api }: Advertiser) => [
        api.get(at(account, audience)),
        api.post(at(account, audience), params(owner.account)),
        api.delete(at(account, audience, id)),
      ];
      for (const answer of await Promise.all(asked(stranger)))
        expect(refusal(answer)).toEqual({ status: 404, errors: [['NOT_FOUND', `${kind}_audience_id`]] });
      for (const answer of await Promise.all(asked(partner)))
        expect(refusal(answer)).toEqual({ status: 403, errors: [['ACTION_NOT_ALLOWED', `${kind}_audience_id`]] });
      expect(await live()).toEqual([{ id }]);
    });

    it(`says which version it is${version === 5 ? ', and which to use instead' : ''}`, async () => {
      const { headers } = await owner.api.get(at(owner.account, audience));
      expect(headers).toHaveProperty('x-current-api-version', '12');
      if (version === 5) expect(headers['x-api-warn']).toContain('/12/accounts/:account_id/custom_audiences');
      else expect(headers).not.toHaveProperty('x-api-warn');
    });
  });

  describe('granting', () => {
    it('changes the permission that there is, and records what changed', async () => {
      const { id } = await granted();
      const again = await grant();
      expect({ status: again.status, id: again.body.data.id }).toEqual({ status: 200, id });
      await grant(partner.account, 'READ_WRITE');
      expect(await history()).toMatchObject([
        { id, type: 'CREATE', changes: {}, user: owner.account.userId },
        { id, type: 'UPDATE', changes: { permission_level: { old: 'READ_ONLY', new: 'READ_WRITE' } } },
      ]);
      const [{ data }] = await history();
      expect(unlike(CustomAudiencePermissionView, data)).toEqual([]);
      expect(await history(partner.account)).toEqual([]);
    });

    it('takes parameters from a form', async () => {
      const form = { granted_account_id: partner.account.id, permission_level: 'READ_WRITE' };
      expect((await owner.api.post(path(), { form })).body.data).toMatchObject(form);
    });

    it('makes one for 50 who ask at once', async () => {
      const levels = Array.from({ length: 50 }, (_, i) => (i % 2 ? 'READ_ONLY' : 'READ_WRITE'));
      const answers = await Promise.all(levels.map((level) => grant(partner.account, level)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(49).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
      const [only, ...others] = await listed();
      expect(others).toEqual([]);
      const changes = (await history()).filter(({ type }) => type === 'UPDATE');
      // each change begins where the one before ended
      const steps = changes.map(
        ({ changes: { permission_level } }) => permission_level as { old: string; new: string },
      );
      const [made] = await history();
      expect(steps.map((step) => step.old)).toEqual(
        [made.data.permission_level, ...steps.slice(0, -1).map((step) => step.new)].slice(0, steps.length),
      );
      expect(only.permission_level).toBe(steps.at(-1)?.new ?? made.data.permission_level);
    });

    it('makes another one after a revocation, however many do both', async () => {
      const { id } = await granted();
      await owner.api.delete(path(id));
      expect((await granted()).id).not.toBe(id);

      const revoked = async () => {
        const [{ id: next } = { id: base36Ids(0) }] = await live();
        return owner.api.delete(path(next));
      };
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => (i % 2 ? revoked() : grant(partner.account, 'READ_WRITE'))),
      );
      expect(answers.filter(({ status }) => ![200, 201, 404].includes(status))).toEqual([]);
      expect((await live()).length).toBeLessThanOrEqual(1);
      const created = answers.filter(({ status }) => status === 201).length;
      const types = (await history()).map(({ type }) => type);
      expect(types.filter((type) => type === 'CREATE')).toHaveLength(created + 2);
      expect(types.filter((type) => type === 'CREATE').length - types.filter((type) => type === 'DELETE').length).toBe(
        (await live()).length,
      );
    });

    it('refuses what is no other account of this environment', async () => {
      const sandbox = await given.advertiser({ environment: 'sandbox', businessId: owner.account.businessId });
      const gone = await given.advertiser({ businessId: owner.account.businessId });
      await given.deletedAccount('production', gone.account.id, gone.account.userId);
      const stranger = await given.advertiser();
      const foreign = await grant(stranger.account);
      expect(refusal(foreign)).toEqual({ status: 400, errors: [['FEATURE_NOT_AVAILABLE', 'granted_account_id']] });
      // nobody can tell by them which accounts there are
      for (const id of [base36Ids(0), sandbox.account.id, gone.account.id])
        expect((await grant({ id })).body.errors).toEqual(foreign.body.errors);
      for (const id of [owner.account.id, 'No-Id!', '']) {
        const answer = await grant({ id });
        expect({ id, ...refusal(answer) }).toEqual({
          id,
          status: 400,
          errors: [['INVALID_PARAMETER', 'granted_account_id']],
        });
        expect(answer.body.errors[0].value).toBe(id);
      }
      expect(await listed()).toEqual([]);
    });

    it.each([
      ['no account', { permission_level: 'READ_ONLY' }, [['MISSING_PARAMETER', 'granted_account_id']]],
      [
        'nothing',
        {},
        [
          ['MISSING_PARAMETER', 'granted_account_id'],
          ['MISSING_PARAMETER', 'permission_level'],
        ],
      ],
      [
        'another level, and an unknown account besides',
        { permission_level: 'OWNER', granted_account_id: base36Ids(0) },
        [
          ['INVALID_PARAMETER', 'permission_level'],
          ['FEATURE_NOT_AVAILABLE', 'granted_account_id'],
        ],
      ],
    ])('refuses %s', async (_, query: Params, errors) => {
      expect(refusal(await owner.api.post(path(), { query }))).toEqual({ status: 400, errors });
      // an unknown audience, or one of another account, is named beside all that
      const unknown = await owner.api.post(path().replace(audience.id, base36Ids(0)), { query });
      const ofParameters = errors.filter(([code]) => code !== 'FEATURE_NOT_AVAILABLE');
      expect(refusal(unknown)).toEqual({
        status: 400,
        errors: [...ofParameters, ['NOT_FOUND', 'custom_audience_id']],
      });
    });

    it('goes outside of the business with the feature alone', async () => {
      const stranger = await given.advertiser();
      const outside = { status: 400, errors: [['FEATURE_NOT_AVAILABLE', 'granted_account_id']] };
      expect(refusal(await grant(stranger.account))).toEqual(outside);
      // what the guard remembers of an account is not what this is judged on
      await given.sharesOutside(owner.account);
      await granted(stranger.account);
      await world().sql(`UPDATE accounts SET features = '{}' WHERE id = $1`, owner.account.id);
      expect(refusal(await grant(stranger.account, 'READ_WRITE'))).toEqual(outside);
      expect(await listed()).toMatchObject([
        { granted_account_id: stranger.account.id, permission_level: 'READ_ONLY' },
      ]);
      // two accounts without a business have none in common
      const [one, other] = [await given.advertiser(), await given.advertiser()];
      const alone = await given.customAudience({ account: one.account });
      const answer = await one.api.post(path(undefined, alone, one.account), {
        query: { granted_account_id: other.account.id, permission_level: 'READ_ONLY' },
      });
      expect(refusal(answer)).toEqual(outside);
    });

    it('is for those who manage campaigns', async () => {
      const analyst = await given.member(owner.account, 'CAMPAIGN_ANALYST');
      expect((await grant(partner.account, 'READ_ONLY', analyst)).status).toBe(403);
      expect((await analyst.api.get(path())).status).toBe(200);
      const { id } = await granted();
      expect((await analyst.api.delete(path(id))).status).toBe(403);
      const manager = await given.member(owner.account, 'AD_MANAGER');
      expect((await manager.api.delete(path(id))).status).toBe(200);
    });

    it('is over when the audience is deleted, however close they come', async () => {
      for (let round = 0; round < 5; round++) {
        audience = await given.customAudience({ account: owner.account });
        const { id } = audience;
        const grants = () =>
          Array.from({ length: 4 }, (_, i) => grant(partner.account, i % 2 ? 'READ_ONLY' : 'READ_WRITE'));
        const [deleted, ...answers] = await Promise.all([
          owner.api.delete(`/12/accounts/${owner.account.id}/custom_audiences/${id}`),
          ...grants(),
          ...grants(),
        ]);
        expect(deleted.status).toBe(200);
        for (const answer of answers.filter(({ status }) => ![200, 201].includes(status)))
          expect(refusal(answer)).toEqual({ status: 404, errors: [['NOT_FOUND', 'custom_audience_id']] });
        expect(await live()).toEqual([]);
      }
      expect(refusal(await grant())).toEqual({ status: 404, errors: [['NOT_FOUND', 'custom_audience_id']] });
      expect((await owner.api.get(path())).status).toBe(404);
    });

    it.each([
      ['audience', CustomAudience, () => audience.id, { status: 404, errors: [['NOT_FOUND', 'custom_audience_id']] }],
      [
        'granted account',
        Account,
        () => partner.account.id,
        { status: 400, errors: [['FEATURE_NOT_AVAILABLE', 'granted_account_id']] },
      ],
    ])(
      'stores nothing while the %s is being deleted',
      async (_, entity: Type<Account | CustomAudience>, id, refused) => {
        let answering: Promise<Answer>;
        await world()
          .get(DataSource)
          .transaction(async (tx) => {
            const gone = rows(tx, entity).ofAllAccounts().where('id', id());
            await gone.clone().setLock('pessimistic_write').getMany();
            const at = new Date(world().clock.now().getTime() + 1_000).toISOString();
            await gone.update({ deletedAt: at, updatedAt: at });
            // it reads what is stored so far, and has to wait before it stores
            answering = grant();
            await setTimeout(300);
          });
        expect(refusal(await answering!)).toEqual(refused);
        expect(await live()).toEqual([]);
      },
    );

    it('is over when the granted account is deleted, however close they come', async () => {
      for (let round = 0; round < 5; round++) {
        const other = await given.advertiser({ businessId: owner.account.businessId });
        const answers = await Promise.all([
          grant(other.account),
          world()
            .get(AccountsService)
            .delete(other.account)
            .then(() => undefined),
          ...Array.from({ length: 6 }, (_, i) => grant(other.account, i % 2 ? 'READ_ONLY' : 'READ_WRITE')),
        ]);
        for (const answer of answers)
          if (answer && ![200, 201].includes(answer.status))
            expect(refusal(answer)).toEqual({ status: 400, errors: [['FEATURE_NOT_AVAILABLE', 'granted_account_id']] });
        const younger = await world().sql(
          `SELECT p.id FROM audience_permissions p JOIN accounts a ON a.id = p."grantedAccountId"
          WHERE a.id = $1 AND p."updatedAt" > a."deletedAt"`,
          other.account.id,
        );
        expect(younger).toEqual([]);
      }
    });
  });

  describe('revoking', () => {
    it('does not find the permission of another audience', async () => {
      const { id } = await granted();
      const sibling = await given.customAudience({ account: owner.account });
      expect(refusal(await owner.api.delete(path(id, sibling)))).toEqual({
        status: 404,
        errors: [['NOT_FOUND', 'custom_audience_permission_id']],
      });
      expect(await live()).toEqual([{ id }]);
    });

    it('is done by one of many, and recorded once', async () => {
      const { id } = await granted();
      const answers = await Promise.all(Array.from({ length: 10 }, () => owner.api.delete(path(id))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
      expect((await history()).map(({ type }) => type)).toEqual(['CREATE', 'DELETE']);
      expect((await owner.api.get(path(), { query: { with_deleted: true } })).body.data).toMatchObject([
        { id, deleted: true },
      ]);
    });
  });
});
