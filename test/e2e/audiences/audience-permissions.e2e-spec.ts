import { setTimeout } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../../src/accounts/entities/account.entity.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { AudiencePermission } from '../../../src/audiences/audience-permissions/audience-permission.entity.js';
import {
  CustomAudiencePermissionView,
  TailoredAudiencePermissionView,
} from '../../../src/audiences/audience-permissions/audience-permission.presenter.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-permission.resource.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { rows } from '../../../src/common/db/query/rows.js';
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
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY c.id`,
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
    const accountsOf = ({ body }: Answer) => body.data.map((each: Json) => each.granted_account_id).sort() as string[];
    expect(accountsOf(await list({ granted_account_ids: third.account.id }))).toEqual([third.account.id]);
    const both = `${third.account.id},${second.account.id},${base36Ids(0)}`;
    expect(accountsOf(await list({ granted_account_ids: both }))).toEqual([second.account.id, third.account.id].sort());
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
    const steps = changes.map(({ changes: { permission_level } }) => permission_level as { old: string; new: string });
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
    expect(await listed()).toMatchObject([{ granted_account_id: stranger.account.id, permission_level: 'READ_ONLY' }]);
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
  ])('stores nothing while the %s is being deleted', async (_, entity: Type<Account | CustomAudience>, id, refused) => {
    let answering: Promise<Answer>;
    await world()
      .get(DataSource)
      .transaction(async (tx) => {
        const gone = rows(tx, entity).where('id', id());
        await gone.clone().setLock('pessimistic_write').getMany();
        const at = new Date(world().clock.now().getTime() + 1_000).toISOString();
        await gone.update({ deletedAt: at, updatedAt: at });
        // it reads what is stored so far, and has to wait before it stores
        answering = grant();
        await setTimeout(300);
      });
    expect(refusal(await answering!)).toEqual(refused);
    expect(await live()).toEqual([]);
  });

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
