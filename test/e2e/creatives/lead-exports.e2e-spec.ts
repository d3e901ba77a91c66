import { readXlsx } from 'hucre/xlsx';
import { setTimeout as pause } from 'node:timers/promises';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { FileJobs } from '../../../src/accounts/file-jobs/file-jobs.service.js';
import { fileKeyOf } from '../../../src/accounts/file-jobs/file-job.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { BlobStore } from '../../../src/common/blobs/blob-store.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { LeadFormsService } from '../../../src/creatives/lead-forms/lead-forms.service.js';
import { LeadsService, type NewLead } from '../../../src/creatives/leads/leads.service.js';
import { LEAD_FILES, type LeadExport } from '../../../src/lead-exports/lead-export.entity.js';
import { LeadExportView } from '../../../src/lead-exports/lead-export.presenter.js';
import { LeadExportsService } from '../../../src/lead-exports/lead-exports.service.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { unlike } from '../../support/list-conventions.js';

useSharedApp();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_772_000_000;
const END = START + 1_000;

let advertiser: Advertiser;
let form: { id: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  form = await given.leadForm({
    account: advertiser.account,
    fields: [{ key: 'FULL_NAME' }, { key: 'PHONE_NUMBER', optional: true }],
  });
});

const path = (id = '', accountId = advertiser.account.id) =>
  `/12/accounts/${accountId}/ad-export/api/v1/exports${id && `/${id}`}`;
const asked = (params: object = {}) => ({
  entity_type: 'leads',
  lead_form_id: form.id,
  start_epoch: START,
  end_epoch: END,
  ...params,
});
const post = (params: object = {}, headers: Record<string, string> = {}) =>
  advertiser.api.post(path(), { json: asked(params), headers });
const refusal = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map(({ code, parameter }: Json) => `${code} ${parameter}`),
];
const created = ({ status, body }: Answer): Json => {
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
async function ended(id: string, headers: Record<string, string> = {}): Promise<Json> {
  for (;;) {
    const { data } = (await advertiser.api.get(path(id), { headers })).body;
    if (!['QUEUED', 'PROCESSING'].includes(data.status as string)) return data;
    await pause(20);
  }
}
const store = (...leads: Partial<NewLead>[]) =>
  world()
    .get(LeadsService)
    .store(
      advertiser.account.db,
      advertiser.account.id,
      leads.map((lead, i) => ({
        ...{ leadFormId: form.id, fieldValues: {}, postId: null, campaignId: null, lineItemId: null },
        submittedAt: new Date((START + i) * 1_000).toISOString(),
        ...lead,
      })),
    );
const fetched = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${world().url}${new URL(url).pathname}`, { headers });
const exported = async (params: object = {}, headers: Record<string, string> = {}) => {
  const done = await ended(created(await post(params, headers)).id, headers);
  expect(done.status).toBe('SUCCESS');
  const file = await fetched(done.download_url);
  expect(file.status).toBe(200);
  return { done, file, bytes: Buffer.from(await file.arrayBuffer()) };
};
/** An export that no worker takes. */
const idle = (params: object = {}): Promise<Row<LeadExport>> =>
  world()
    .get(LeadExportsService)
    .createIdle(advertiser.account, asked(params) as never, HOUR);
const run = (job: Row<LeadExport>) =>
  world().get(LeadExportsService).write(job, { number: 1, signal: new AbortController().signal });
const stored = async (id: string): Promise<Row<LeadExport>> =>
  (await world().sql<Row<LeadExport>>('SELECT * FROM lead_exports WHERE id = $1', id))[0];
const fileOf = (job: Row<LeadExport>) => world().app.get(BlobStore).stat(fileKeyOf(LEAD_FILES, job));
const counted = async () => (await world().get(FileJobs).loadOf(LEAD_FILES, advertiser.account)).value;

describe('exports of leads', () => {
  it('are created, read and fetched, with the leads of the range in the order of their submission', async () => {
    const [first, second] = await store(
      {
        fieldValues: { FULL_NAME: 'Ann "A" <x>', PHONE_NUMBER: '+15035550100' },
        postId: '7',
        campaignId: 'c',
        lineItemId: 'l',
      },
      { fieldValues: { FULL_NAME: 'Böb' }, submittedAt: new Date(END * 1_000 - 1).toISOString() },
      { fieldValues: { FULL_NAME: 'late' }, submittedAt: new Date(END * 1_000).toISOString() },
      { fieldValues: { FULL_NAME: 'early' }, submittedAt: new Date(START * 1_000 - 1).toISOString() },
    );
    const answer = await post();
    const job = created(answer);
    expect(unlike(LeadExportView, job)).toEqual([]);
    expect(job).toMatchObject({ ...asked(), response_format: 'json', download_url: null, expires_at: null });
    expect(['QUEUED', 'PROCESSING']).toContain(job.status);
    expect([answer.headers['x-concurrent-job-limit']]).toEqual(['20']);
    const done = await ended(job.id);
    expect(Date.parse(done.expires_at) - Date.parse(done.updated_at)).toBe(2 * DAY);
    const file = await fetched(done.download_url);
    expect(file.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('private, no-store');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="leads-${job.id}.json"`);
    const content = await file.text();
    expect(JSON.parse(content)).toEqual({
      data_type: 'leads',
      data: [
        {
          ...{ id: first.id, FULL_NAME: 'Ann "A" <x>', PHONE_NUMBER: '+15035550100' },
          ...{ submitted_at: '2026-02-25T06:13:20Z', lead_form_id: form.id },
          ...{ post_id: '7', campaign_id: 'c', line_item_id: 'l' },
        },
        expect.objectContaining({ id: second.id, FULL_NAME: 'Böb', PHONE_NUMBER: null, post_id: null }),
      ],
    });
    const download = await advertiser.api.get(path(`${job.id}/download`));
    expect([download.status, download.text]).toEqual([200, content]);
    expect((await advertiser.api.get(path(job.id.toUpperCase()))).body.data.id).toBe(job.id);
  });

  it('have formulas of nobody in CSV, and texts alone in XLSX', async () => {
    await store(
      { fieldValues: { FULL_NAME: '=HYPERLINK("https://example.com")', PHONE_NUMBER: '+15035550100' } },
      { fieldValues: { FULL_NAME: '@sum, -1', CITY: 'Bremen' } },
    );
    const csv = await exported({ response_format: 'csv' });
    const lines = csv.bytes.toString().split('\r\n');
    const names = ['id', 'FULL_NAME', 'PHONE_NUMBER', 'CITY', 'submitted_at', 'lead_form_id', 'post_id', 'campaign_id', 'line_item_id']; // prettier-ignore
    expect(lines[0]).toBe(names.join());
    expect(lines[1]).toContain(`,"'=HYPERLINK(""https://example.com"")",'+15035550100,,`);
    expect(lines[2]).toContain(`,"'@sum, -1",,Bremen,`);
    expect([lines.length, csv.file.headers.get('content-type')]).toEqual([4, 'text/csv; charset=utf-8']);
    const xlsx = await exported({ response_format: 'xlsx' });
    const { sheets } = await readXlsx(xlsx.bytes);
    expect(sheets[0].name).toBe('Leads');
    expect(sheets[0].rows[0]).toEqual(names);
    expect(sheets[0].rows[1].slice(1, 3)).toEqual(['=HYPERLINK("https://example.com")', '+15035550100']);
    expect(sheets[0].rows).toHaveLength(3);
  });

  it('have any text unchanged in XLSX, without what XML cannot contain', async () => {
    const texts = ['_x000D_', 'a_x000d_x0041_b', '_x000D\u0001', '_x000D', 'a\rb\tc\nd', ' <&> 𝔸 '];
    await store({ fieldValues: { FULL_NAME: 'a\ufffe_x0041\uffff_' } }, ...texts.map((text) => ({ fieldValues: { FULL_NAME: text } }))); // prettier-ignore
    const { bytes } = await exported({ response_format: 'xlsx' });
    const { sheets } = await readXlsx(bytes);
    expect(sheets[0].rows.slice(1).map((row) => row[1])).toEqual(['a_x0041_', ...texts]);
  });

  it('have every lead once, however many there are', async () => {
    await world().sql(
      `INSERT INTO leads ("accountId", id, "leadFormId", "fieldValues", "submittedAt")
        SELECT $1, 'x' || lpad(n::text, 12, '0'), $2, '{"FULL_NAME":"Ann"}', to_timestamp($3 + n / 100) FROM generate_series(1, 1700) n`,
      ...[advertiser.account.id, form.id, START],
    );
    const { bytes } = await exported();
    const ids = JSON.parse(bytes.toString()).data.map(({ id }: Json) => id as string);
    expect([ids.length, new Set(ids).size, ids.join() === [...ids].sort().join()]).toEqual([1700, 1700, true]);
    const other = await given.leadForm({ account: advertiser.account });
    const empty = await exported({ lead_form_id: other.id.toUpperCase() });
    expect(JSON.parse(empty.bytes.toString())).toEqual({ data_type: 'leads', data: [] });
  });

  it("have X's names where the request has them, and the values of people unchanged", async () => {
    await store({ fieldValues: { FULL_NAME: 'PROMOTED_POST post_id' }, postId: '7' });
    const { bytes } = await exported({}, { 'x-marquee-names': 'x' });
    expect(JSON.parse(bytes.toString()).data).toEqual([
      expect.objectContaining({ tweet_id: '7', FULL_NAME: 'PROMOTED_POST post_id' }),
    ]);
  });

  it('are created once with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one export' };
    const [one, other] = [created(await post({}, headers)), created(await post({}, headers))];
    expect(other).toEqual(one);
  });

  it.each<[object, string, string]>([
    [{ entity_type: undefined }, 'MISSING_PARAMETER', 'entity_type'],
    [{ entity_type: 'posts' }, 'INVALID_PARAMETER', 'entity_type'],
    [{ lead_form_id: 'x' }, 'INVALID_PARAMETER', 'lead_form_id'],
    [{ start_epoch: undefined }, 'MISSING_PARAMETER', 'start_epoch'],
    [{ start_epoch: -1 }, 'INVALID_PARAMETER', 'start_epoch'],
    [{ end_epoch: START }, 'INVALID_PARAMETER', 'end_epoch'],
    [{ response_format: 'pdf' }, 'INVALID_PARAMETER', 'response_format'],
  ])('are not created with %j', async (params, code, parameter) => {
    expect(refusal(await post(params))).toEqual([400, `${code} ${parameter}`]);
  });

  it('are of forms that the account has and has not archived', async () => {
    const foreign = await given.leadForm({ account: (await given.advertiser()).account });
    expect(refusal(await post({ lead_form_id: foreign.id }))).toEqual([404, 'NOT_FOUND lead_form_id']);
    const job = await idle();
    await world().get(LeadFormsService).delete(advertiser.account, form.id);
    expect(refusal(await post())).toEqual([404, 'NOT_FOUND lead_form_id']);
    // what was asked for before is written
    await store({ fieldValues: { FULL_NAME: 'Ann' } });
    await run(job);
    expect((await ended(job.id)).status).toBe('SUCCESS');
  });

  it('are cancelled until they end', async () => {
    const job = await idle();
    expect(await counted()).toBe(1);
    expect(refusal(await advertiser.api.get(path(`${job.id}/download`)))).toEqual([
      400,
      'ACTION_NOT_ALLOWED export_id',
    ]);
    const { status, body } = await advertiser.api.delete(path(job.id));
    expect([status, body.data.status, await counted()]).toEqual([200, 'CANCELLED', 0]);
    expect(refusal(await advertiser.api.delete(path(job.id)))).toEqual([400, 'ACTION_NOT_ALLOWED export_id']);
    await run(job);
    expect(await fileOf({ ...(await stored(job.id)), attempt: 1 })).toBeUndefined();
    for (const answer of [
      await advertiser.api.get(path('zzz')),
      await advertiser.api.delete(path('zzz')),
      await advertiser.api.get(path('zzz/download')),
    ])
      expect(refusal(answer)).toEqual([404, 'NOT_FOUND export_id']);
  });

  it('are at most 20 in progress', async () => {
    for (let i = 0; i < 20; i++) await idle();
    expect(refusal(await post())).toEqual([400, 'TOO_MANY_JOBS undefined']);
    world().clock.advance(HOUR + 1);
    await world().get(LeadExportsService).keepUp();
    expect(await counted()).toBe(0);
    created(await post());
  });

  it('are for administrators alone, and a link ends with the role of its user', async () => {
    await store({ fieldValues: { FULL_NAME: 'Ann' } });
    const { done } = await exported();
    const { api: manager } = await given.member(advertiser.account, 'AD_MANAGER');
    expect(refusal(await manager.post(path(), { json: asked() }))).toEqual([403, 'ACTION_NOT_ALLOWED undefined']);
    for (const answer of [
      await manager.get(path(done.id)),
      await manager.get(path(`${done.id}/download`)),
      await manager.delete(path(done.id)),
    ])
      expect(answer.status).toBe(403);
    const tampered = done.download_url.replace(/\.json$/, '.csv');
    expect((await fetched(tampered)).status).toBe(404);
    expect((await fetched(done.download_url.replace(done.id, '0'))).status).toBe(404);
    await world().get(MembershipsService).grant(advertiser.account.id, advertiser.account.userId, 'AD_MANAGER');
    expect((await fetched(done.download_url)).status).toBe(404);
  });

  it('have a file for 48 hours, and end with their account', async () => {
    await store({ fieldValues: { FULL_NAME: 'Ann' } });
    const { done } = await exported();
    const job = await stored(done.id);
    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 2 * DAY));
    expect((await fetched(done.download_url)).status).toBe(404);
    expect((await advertiser.api.get(path(done.id))).body.data.download_url).toBeNull();
    expect(refusal(await advertiser.api.get(path(`${done.id}/download`)))).toEqual([
      400,
      'ACTION_NOT_ALLOWED export_id',
    ]);
    await world().get(LeadExportsService).keepUp();
    expect(await fileOf(job)).toBeUndefined();
    clock.set(now);

    const other = await exported();
    const queued = await idle();
    await world().get(AccountsService).delete(advertiser.account);
    expect((await fetched(other.done.download_url)).status).toBe(404);
    await world().get(FileJobs).endAllOf(LEAD_FILES, advertiser.account.id);
    await world().get(LeadExportsService).keepUp();
    expect([(await stored(other.done.id)).folder, (await stored(queued.id)).status]).toEqual([null, 'CANCELLED']);
    // a worker may still write its file
    expect((await stored(queued.id)).folder).not.toBeNull();
    await world().get(FileJobs).endAllOf(LEAD_FILES, advertiser.account.id);
    clock.set(new Date(now.getTime() + HOUR + 60_000));
    await world().get(LeadExportsService).keepUp();
    clock.set(now);
    expect((await stored(queued.id)).folder).toBeNull();
  });

  it('leave nothing of people in the request journal', async () => {
    await store({ fieldValues: { FULL_NAME: 'Zebedee Quux' } });
    const { done } = await exported();
    await advertiser.api.get(path(`${done.id}/download`));
    const journaled = async () => {
      const [{ text, n }] = await world().sql<{ text: string | null; n: number }>(
        `SELECT string_agg(r::text, ' ') AS text, count(*) FILTER (WHERE path LIKE '%/download')::int AS n
          FROM journaled_requests r WHERE "accountId" = $1`,
        advertiser.account.id,
      );
      return n > 0 ? text! : undefined;
    };
    let text: string | undefined;
    while (text === undefined) text = (await journaled()) ?? (await pause(50, undefined));
    expect(text).toContain('download_url');
    expect(text).not.toMatch(/Zebedee|lead-exports\//);
  });
});
