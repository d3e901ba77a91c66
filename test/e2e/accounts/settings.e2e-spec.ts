import fc from 'fast-check';
import type { Role } from '../../../src/accounts/access/roles.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { AccountsExport } from '../../../src/accounts/accounts-export.service.js';
import { exportText } from '../../../src/auth/user-export.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';

useSharedApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const forbidden = (parameter?: string) => ({ status: 403, errors: [['ACTION_NOT_ALLOWED', parameter]] });

describe('tax settings', () => {
  const path = () => `/12/accounts/${advertiser.account.id}/tax_settings`;
  const get = async () => (await advertiser.api.get(path())).body.data;
  const put = (form: Params) => advertiser.api.call('PUT', path(), { form });

  const PARTS = [
    ...['name', 'first_name', 'last_name', 'street1', 'street2', 'city', 'region', 'postal_code'],
    ...['country', 'email'],
  ];
  const ADDRESSES = ['address', 'client_address'].flatMap((party) => PARTS.map((part) => `${party}_${part}`));
  const shown = (name: string) => name.replace(/address_name$/, 'address_company');
  const NOTHING = {
    ...Object.fromEntries(ADDRESSES.map((name) => [shown(name), null])),
    bill_to: 'NOT_SET',
    business_relationship: null,
    invoice_jurisdiction: 'NOT_SET',
    tax_category: null,
    tax_exemption_id: null,
    tax_id: null,
    id: null,
    created_at: null,
    updated_at: null,
  };

  it('are empty until something is set, and an empty change sets nothing', async () => {
    expect(await get()).toEqual(NOTHING);
    expect((await put({})).body.data).toEqual(NOTHING);
    expect(await get()).toEqual(NOTHING);
  });

  const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((each) => each.trim() !== '');
  const valueOf = (name: string) =>
    name.endsWith('email')
      ? fc.constantFrom('a@b.example', 'x.y+z@mail.example')
      : name.endsWith('country')
        ? fc.constantFrom('US', 'de', 'Jp')
        : text.map((each) => `a${each}`);
  const changes = fc.record(
    {
      ...Object.fromEntries(ADDRESSES.map((name) => [name, fc.oneof(valueOf(name), fc.constant(''))])),
      bill_to: fc.constantFrom('ADVERTISER', 'AGENCY', 'NOT_SET'),
      business_relationship: fc.constantFrom('AGENCY', 'SELF', ''),
      invoice_jurisdiction: fc.constantFrom('LOI_SAPIN', 'NONE', 'NOT_SET'),
      tax_category: fc.constantFrom('BUSINESS_NO_VAT', 'BUSINESS_WITH_VAT', 'INDIVIDUAL', ''),
      tax_id: fc.oneof(text, fc.constant('')),
      tax_exemption_id: fc.oneof(text, fc.constant('')),
    },
    { requiredKeys: [] },
  );

  it('are, after any changes, what each of them set last', () =>
    fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 4 }), async (requests) => {
        advertiser = await given.advertiser();
        const expected: Json = { ...NOTHING };
        for (const request of requests) {
          const answer = await put(request);
          expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200 });
          for (const [name, value] of Object.entries(request as Record<string, string>))
            expected[shown(name)] = value === '' ? null : name.endsWith('country') ? value.toUpperCase() : value;
          const { id: _, created_at: __, updated_at: ___, ...data } = answer.body.data;
          const { id: ____, created_at: _____, updated_at: ______, ...rest } = expected;
          expect(data).toEqual(rest);
        }
        expect(await get()).toMatchObject({ bill_to: expected.bill_to, address_company: expected.address_company });
      }),
      { numRuns: 12 },
    ));

  it.each([
    [{ bill_to: 'CLIENT' }, 'bill_to'],
    [{ bill_to: '' }, 'bill_to'],
    [{ business_relationship: 'NOT_SET' }, 'business_relationship'],
    [{ invoice_jurisdiction: 'FRANCE' }, 'invoice_jurisdiction'],
    [{ tax_category: 'BUSINESS' }, 'tax_category'],
    [{ address_country: 'XX' }, 'address_country'],
    [{ address_country: 'USA' }, 'address_country'],
    [{ client_address_email: 'ann@example' }, 'client_address_email'],
    [{ address_email: 'ann lee@example.com' }, 'address_email'],
    [{ address_name: ' ' }, 'address_name'],
    [{ tax_id: '1'.repeat(256) }, 'tax_id'],
  ])('refuse %j', async (form, parameter) => {
    expect(refusal(await put(form))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', parameter]] });
    expect(await get()).toEqual(NOTHING);
  });

  it('are one row, whoever writes first, and lose no field', async () => {
    const forms = ADDRESSES.slice(0, 8).map((name) => ({ [name]: 'Somebody' }));
    const answers = await Promise.all(forms.map(put));
    expect(answers.map(({ status }) => status)).toEqual(forms.map(() => 200));
    expect(await get()).toMatchObject(
      Object.fromEntries(ADDRESSES.slice(0, 8).map((name) => [shown(name), 'Somebody'])),
    );
  });

  it('have a history with who changed what', async () => {
    const { id } = (await put({ address_name: 'Old' })).body.data;
    await put({ address_name: 'New' });
    await put({ address_name: 'New' });
    const changes = await world().sql(
      `SELECT "changeType", "userId", changes->'address_company' AS company FROM account_changes
        WHERE "accountId" = $1 AND "entityType" = 'TAX_SETTINGS' AND "entityId" = $2 ORDER BY id`,
      advertiser.account.id,
      id,
    );
    const userId = advertiser.user.id;
    expect(changes).toEqual([
      { changeType: 'CREATE', userId, company: null },
      { changeType: 'UPDATE', userId, company: { old: 'Old', new: 'New' } },
    ]);
  });

  it.each<[Role, boolean]>([
    ['AD_MANAGER', true],
    ['CREATIVE_MANAGER', false],
    ['CAMPAIGN_ANALYST', false],
    ['ANALYST', false],
    ['PARTNER_AUDIENCE_MANAGER', false],
  ])('are not changed by %s, who reads them: %s', async (role, reads) => {
    const { api } = await given.member(advertiser.account, role);
    expect(refusal(await api.call('PUT', path(), { form: { tax_id: '1' } }))).toEqual(forbidden());
    expect((await api.get(path())).status).toBe(reads ? 200 : 403);
  });

  it('lose the name of a user who is removed', async () => {
    const { user, account } = await given.member(advertiser.account, 'AD_MANAGER');
    await put({ address_name: `c/o ${user.username}`, address_city: 'Portland' });
    const { id } = await get();
    await world().get(UserRemoval).delete(user.id);
    await world().get(UserRemoval).finish(user.id);
    expect(await get()).toMatchObject({ id, address_company: `c/o deleted_${user.id}`, address_city: 'Portland' });
    const [{ n }] = await world().sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM account_changes WHERE "accountId" = $1 AND "entityData"::text LIKE '%' || $2 || '%'`,
      account.id,
      user.username,
    );
    expect(n).toBe(0);
  });
});

describe('user settings', () => {
  const pathOf = (userId: string) => `/12/accounts/${advertiser.account.id}/user_settings/${userId}`;
  const NOTHING = {
    notification_email: null,
    contact_phone: null,
    contact_phone_extension: null,
    subscribed_email_types: [],
  };
  const put = ({ api, user }: Pick<Advertiser, 'api' | 'user'>, form: Params) =>
    api.call('PUT', pathOf(user.id), { form });

  it.each<Role>(['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST'])(
    'are read and changed by their user, as %s',
    async (role) => {
      const member = await given.member(advertiser.account, role);
      const get = async () => (await member.api.get(pathOf(member.user.id))).body.data;
      expect(await get()).toEqual(NOTHING);
      const set = {
        notification_email: 'ann@example.com',
        contact_phone: '+1 (503) 555-0100',
        contact_phone_extension: '042',
        subscribed_email_types: ['PERFORMANCE_IMPROVEMENT', 'ACCOUNT_PERFORMANCE'],
      };
      const form = { ...set, subscribed_email_types: set.subscribed_email_types.join() };
      const { status, body } = await put(member, form);
      expect({ status, data: body.data }).toEqual({ status: 200, data: set });
      const changed = { ...set, contact_phone: null, subscribed_email_types: ['ACCOUNT_PERFORMANCE'] };
      const other = { contact_phone: '', subscribe_email_types: 'ACCOUNT_PERFORMANCE' };
      expect((await put(member, other)).body.data).toEqual(changed);
      expect((await put(member, {})).body.data).toEqual(changed);
      expect((await put(member, { subscribed_email_types: '' })).body.data.subscribed_email_types).toEqual([]);
      expect(await get()).toEqual({ ...changed, subscribed_email_types: [] });
    },
  );

  it.each([
    [{ notification_email: 'ann' }, 'notification_email'],
    [{ contact_phone: 'call me' }, 'contact_phone'],
    [{ contact_phone_extension: '1x' }, 'contact_phone_extension'],
    [{ subscribed_email_types: 'NEWS' }, 'subscribed_email_types'],
    [{ subscribed_email_types: 'ACCOUNT_PERFORMANCE', subscribe_email_types: '' }, 'subscribe_email_types'],
  ])('refuse %j', async (form, parameter) => {
    expect(refusal(await put(advertiser, form))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', parameter]] });
  });

  it('of others are changed by nobody, and read by administrators', async () => {
    const member = await given.member(advertiser.account, 'AD_MANAGER');
    await put(member, { contact_phone: '+1 503 555 0100' });
    const form = { contact_phone: '' };
    expect(refusal(await advertiser.api.call('PUT', pathOf(member.user.id), { form }))).toEqual(forbidden('user_id'));
    expect((await advertiser.api.get(pathOf(member.user.id))).body.data.contact_phone).toBe('+1 503 555 0100');
    expect(refusal(await member.api.get(pathOf(advertiser.user.id)))).toEqual(forbidden());
    const stranger = await given.advertiser();
    const unknown = { status: 404, errors: [['NOT_FOUND', 'user_id']] };
    expect(refusal(await advertiser.api.get(pathOf(stranger.user.id)))).toEqual(unknown);
    expect((await stranger.api.get(pathOf(stranger.user.id))).status).toBe(404);
  });

  it('keep the fields of requests at the same time', async () => {
    const forms = [
      { notification_email: 'a@b.example' },
      { contact_phone: '5550100' },
      { contact_phone_extension: '7' },
    ];
    await Promise.all(forms.map((form) => put(advertiser, form)));
    const { body } = await advertiser.api.get(pathOf(advertiser.user.id));
    expect(body.data).toMatchObject(Object.assign({}, ...forms));
  });

  it('end with the access to the account, are in the export of the user, and are removed with the user', async () => {
    const member = await given.member(advertiser.account, 'ANALYST');
    const { id } = member.user;
    const stored = async () =>
      (await world().sql<{ n: number }>(`SELECT count(*)::int AS n FROM user_settings WHERE "userId" = $1`, id))[0].n;
    await put(member, { notification_email: 'ann@example.com' });
    let text = '';
    for await (const part of exportText(world().get(AccountsExport).sections(id))) text += part;
    expect(JSON.parse(text).user_settings).toEqual([
      {
        account_id: advertiser.account.id,
        notification_email: 'ann@example.com',
        contact_phone: null,
        contact_phone_extension: null,
        subscribed_email_types: [],
        updated_at: expect.any(String),
      },
    ]);
    await world().get(MembershipsService).revoke(advertiser.account.id, id);
    expect(await stored()).toBe(0);
    expect((await put(member, { notification_email: 'ann@example.com' })).status).toBe(404);

    await world().get(MembershipsService).grant(advertiser.account.id, id, 'ANALYST');
    expect((await put(member, { notification_email: 'ann@example.com' })).status).toBe(200);
    await world().get(UserRemoval).delete(id);
    await world().get(UserRemoval).finish(id);
    expect(await stored()).toBe(0);
  });
});
