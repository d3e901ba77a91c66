import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { LeadForm } from '../../../src/creatives/lead-forms/lead-form.entity.js';
import { LeadFormView } from '../../../src/creatives/lead-forms/lead-form.presenter.js';
import { LeadFormsService } from '../../../src/creatives/lead-forms/lead-forms.service.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { listConventions } from '../../support/list-conventions.js';

useSharedApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const at = (id?: string) => `/12/accounts/${advertiser.account.id}/lead_forms${id ? `/${id}` : ''}`;
const create = (json: object) => advertiser.api.post(at(), { json });
const update = (id: string, json: object) => advertiser.api.put(at(id), { json });
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const GONE = { status: 404, errors: [['NOT_FOUND', 'lead_form_id']] };
const REQUIRED = {
  name: 'Tasting <1>',
  purpose: 'Invitations',
  fields: [{ key: 'FULL_NAME' }, { key: 'CITY', optional: true }],
  privacy_policy: { url: 'https://example.com/privacy', company_name: 'Northwind "Coffee"' },
};
const FIELDS = [
  { key: 'FULL_NAME', optional: false },
  { key: 'CITY', optional: true },
];
const closing = { created_at: expect.any(String), updated_at: expect.any(String), deleted: false };
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('lead forms', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/lead_forms`,
    make: (account) => given.leadForm({ account }),
    makeMany: async (account: ActingAccount, count) => {
      const { id } = await given.leadForm({ account });
      await world().sql(
        `INSERT INTO lead_forms SELECT (jsonb_populate_record(r, jsonb_build_object('id', '0' || substr(r.id, 2, 30) || lpad(to_hex(n), 5, '0')))).*
          FROM lead_forms r, generate_series(1, $2::int) n WHERE r.id = $1`,
        id,
        count - 1,
      );
    },
    remove: ({ account }, id) => world().get(LeadFormsService).delete(account, id),
    view: LeadFormView,
    entity: LeadForm,
    idsFilter: null,
    countDefault: 100,
    countMax: 200,
  });

  it('have UUIDs in the order of their creation, and leave unset pages out', async () => {
    const made = [];
    for (let i = 0; i < 3; i++) made.push((await create(REQUIRED)).body.data);
    expect(made[0]).toEqual({ ...REQUIRED, fields: FIELDS, id: expect.stringMatching(UUID_7), ...closing });
    const ids = made.map(({ id }: Json) => id as string);
    expect(ids).toEqual([...ids].sort());
    const { body } = await advertiser.api.get(at());
    expect(body.data.map(({ id }: Json) => id)).toEqual([...ids].reverse());
  });

  it('replace each object as a whole, and unset none', async () => {
    const { id } = (await create({ ...REQUIRED, final_page: { headline: 'Thanks', description: 'All' } })).body.data;
    const cta_button = { url: 'https://example.com/menu', title: 'Menu' };
    const introduction = { headline: 'Taste' };
    const changed = await update(id, { introduction, final_page: { headline: 'Bye', cta_button } });
    const expected = {
      ...REQUIRED,
      fields: FIELDS,
      introduction,
      final_page: { headline: 'Bye', cta_button },
      id,
      ...closing,
    };
    expect(changed.body.data).toEqual(expected);
    expect((await advertiser.api.get(at(id))).body.data).toEqual(changed.body.data);
    const unset = await update(id, { introduction: null, final_page: '', privacy_policy: null, fields: [] });
    expect(refusal(unset).status).toBe(400);
    expect(
      refusal(unset)
        .errors.map(([, parameter]: string[]) => parameter)
        .sort(),
    ).toEqual(['fields', 'final_page', 'introduction', 'privacy_policy']);
  });

  it.each<[object, string, string]>([
    [{ name: undefined }, 'MISSING_PARAMETER', 'name'],
    [{ name: 'x'.repeat(256) }, 'INVALID_PARAMETER', 'name'],
    [{ purpose: 'x'.repeat(1_001) }, 'INVALID_PARAMETER', 'purpose'],
    [{ fields: [] }, 'INVALID_PARAMETER', 'fields'],
    [{ fields: [{ key: 'AGE' }] }, 'INVALID_PARAMETER', 'fields[0].key'],
    [{ fields: [{ key: 'EMAIL' }, { key: 'EMAIL' }] }, 'INVALID_PARAMETER', 'fields[1].key'],
    [{ fields: [{ key: 'EMAIL', optional: true }] }, 'INVALID_PARAMETER', 'fields'],
    [{ privacy_policy: undefined }, 'MISSING_PARAMETER', 'privacy_policy'],
    [{ privacy_policy: { url: 'http://example.com', company_name: 'A' } }, 'INVALID_PARAMETER', 'privacy_policy.url'],
    [{ introduction: null }, 'INVALID_PARAMETER', 'introduction'],
    [{ final_page: '' }, 'INVALID_PARAMETER', 'final_page'],
    [{ introduction: { headline: 'x'.repeat(191) } }, 'INVALID_PARAMETER', 'introduction.headline'],
    [
      { final_page: { headline: 'Bye', cta_button: { title: 'Menu' } } },
      'MISSING_PARAMETER',
      'final_page.cta_button.url',
    ],
  ])('are not created with %j', async (params, code, parameter) => {
    const answer = await create({ ...REQUIRED, ...params });
    expect(refusal(answer)).toEqual({ status: 400, errors: [[code, parameter]] });
  });

  it('are archived, with a response that lacks pages and fields', async () => {
    const { id } = (await create({ ...REQUIRED, introduction: { headline: 'Taste' } })).body.data;
    const { body } = await advertiser.api.delete(at(id));
    const { name, purpose } = REQUIRED;
    expect(body.data).toEqual({ name, purpose, id, ...closing, deleted: true });
    expect(refusal(await advertiser.api.delete(at(id)))).toEqual(GONE);
    expect(refusal(await advertiser.api.get(at(id)))).toEqual(GONE);
    expect(refusal(await update(id, { name: 'Again' }))).toEqual(GONE);
    const archived = await advertiser.api.get(at(id), { query: { with_deleted: true } });
    expect(archived.body.data).toMatchObject({ id, deleted: true, introduction: { headline: 'Taste' } });
    const other = await given.advertiser();
    expect((await other.api.get(`/12/accounts/${other.account.id}/lead_forms/${id}`)).status).toBe(404);
  });

  it('are at most as many as the limit of the account', async () => {
    await create(REQUIRED);
    await world().sql(
      `UPDATE counters SET "limit" = 2 WHERE "ownerId" = $1 AND kind = 'lead forms'`,
      advertiser.account.id,
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(REQUIRED)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(400)]);
    expect(refusal(answers.find(({ status }) => status === 400)!).errors).toEqual([
      ['TOO_MANY_LEAD_FORMS', 'account_id'],
    ]);
  });
});
