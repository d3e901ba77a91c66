import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { createMarqueeClient, type MarqueeClient, type UploadProgress } from '../../../packages/client/src/index.js';
import { Api, type Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { jpeg, mp4 } from '../../support/media/files.js';

const CAMPAIGNS = '/12/accounts/{account_id}/campaigns';
const AUDIENCES = '/12/batch/accounts/{account_id}/custom_audiences';

useSharedApp();

let application: Application;
let advertiser: Advertiser;
let marquee: MarqueeClient;
let path: { account_id: string };
/** The headers of each attempt. */
let attempts: Headers[];

beforeEach(async () => {
  application = await given.application();
  advertiser = await given.advertiser({ application });
  path = { account_id: advertiser.account.id };
  attempts = [];
  marquee = clientOf();
});

function clientOf(options: object = {}): MarqueeClient {
  const { consumer, token } = advertiser.credentials;
  return createMarqueeClient({
    baseUrl: world().url,
    consumerKey: consumer.key,
    consumerSecret: consumer.secret,
    accessToken: token.key,
    accessTokenSecret: token.secret,
    fetch: (url, init) => {
      attempts.push(init!.headers as Headers);
      return fetch(url, init);
    },
    ...options,
  });
}

/** Makes the next requests of the application fail. */
async function fault(form: Params): Promise<void> {
  const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
  const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
  const { status, body } = await new Api({ consumer: application.consumer, token }).post('/workbench/faults', { form });
  expect({ status, body }).toMatchObject({ status: 201 });
  await world().caughtUp();
}

async function campaignBody(name = 'Autumn') {
  const { id } = await given.fundingInstrument({ account: advertiser.account });
  return {
    name,
    funding_instrument_id: id,
    daily_budget_amount_local_micro: 5_000_000,
    entity_status: 'PAUSED' as const,
  };
}

const audience = (name: string) => ({
  operation_type: 'Create' as const,
  params: { audience_type: 'MOBILE_AUDIENCE' as const, name },
});

async function namesOf(query: { q?: string; count?: number } = {}): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of marquee.iterate(CAMPAIGNS, { params: { path, query } })) names.push(name);
  return names;
}

const different = (name: string) => new Set(attempts.map((headers) => headers.get(name))).size;

it('signs queries, forms and JSON with odd characters', async () => {
  const name = "Ä!*'() +%20&=~,/?# 😀";
  const { data, response } = await marquee.POST(CAMPAIGNS, { params: { path }, body: await campaignBody(name) });
  expect([response.status, data.data.name]).toEqual([201, name]);
  expect(await namesOf({ q: name })).toEqual([name]);
  const campaign = { ...path, campaign_id: data.data.id };
  const renamed = await marquee.PUT(`${CAMPAIGNS}/{campaign_id}`, {
    params: { path: campaign },
    body: { name: `${name}2` },
  });
  expect(renamed.data.data.name).toBe(`${name}2`);
  const [made] = await marquee.batch(AUDIENCES, [audience(name)], {
    params: { path },
  });
  expect(made.name).toBe(name);
  await marquee.DELETE(`${CAMPAIGNS}/{campaign_id}`, { params: { path: campaign } });
  expect(await namesOf()).toEqual([]);
});

it('works in the sandbox', async () => {
  advertiser = await given.advertiser({ application, environment: 'sandbox' });
  const { data } = await clientOf({ sandbox: true }).GET('/12/accounts');
  expect(data.data.map(({ id }) => id)).toEqual([advertiser.account.id]);
});

describe('a lost response', () => {
  it.each([
    { error_status: 503 },
    { fault: 'CONNECTION_RESET_BY_PEER' },
    { fault: 'EMPTY_RESPONSE' },
    { fault: 'MALFORMED_RESPONSE_CHUNK' },
  ])('of a create is repeated with one effect: %j', async (form) => {
    await fault({ ...form, applied: 'AFTER_COMMIT', times: 2, operation: 'createCampaign' });
    const { data, response } = await marquee.POST(CAMPAIGNS, { params: { path }, body: await campaignBody() });
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect([attempts.length, different('idempotency-key'), different('authorization')]).toEqual([3, 1, 3]);
    expect(await namesOf()).toEqual([data.data.name]);
  });

  it('of a batch and of a delete is repeated with one effect', async () => {
    await fault({ error_status: 502, applied: 'AFTER_COMMIT', times: 1, operation: 'batchCustomAudiences' });
    await fault({ error_status: 504, applied: 'AFTER_COMMIT', times: 1, operation: 'deleteCustomAudience' });
    const [{ id }] = await marquee.batch(AUDIENCES, [audience('Once')], {
      params: { path },
    });
    const { response } = await marquee.DELETE('/12/accounts/{account_id}/custom_audiences/{custom_audience_id}', {
      params: { path: { ...path, custom_audience_id: id } },
    });
    expect([response.status, attempts.length]).toEqual([200, 4]);
  });
});

it('waits for the next window after a 429', async () => {
  await fault({ rate_limit_remaining: 0, rate_limit_reset_in: 1 });
  expect((await marquee.GET(CAMPAIGNS, { params: { path } })).data.data).toEqual([]);
  expect(attempts.length).toBeGreaterThan(1);
});

it('throws an error with what the service says about it', async () => {
  const failed = marquee.GET(CAMPAIGNS, { params: { path, query: { count: 1_001 } } });
  await expect(failed).rejects.toMatchObject({
    name: 'MarqueeError',
    status: 400,
    code: 'INVALID_PARAMETER',
    parameter: 'count',
    message: expect.stringContaining('1001'),
    requestId: expect.stringMatching(/./),
    rateLimit: { limit: expect.any(Number), remaining: expect.any(Number), reset: expect.any(Date) },
    attempts: 1,
  });
  await fault({ error_status: 503, times: 2 });
  await expect(clientOf({ retries: 1 }).GET('/12/accounts')).rejects.toMatchObject({ status: 503, attempts: 2 });
  const nobody = clientOf({ baseUrl: 'http://127.0.0.1:1', retries: 1 });
  await expect(nobody.GET('/12/accounts')).rejects.toMatchObject({ name: 'MarqueeConnectionError', attempts: 2 });
});

it('reads a list over its pages', async () => {
  const names = ['A', 'B', 'C', 'D', 'E'];
  for (const name of names) await given.campaign({ account: advertiser.account, name });
  const query = { count: 2, sort_by: ['name-asc' as const], with_total_count: true };
  const found: string[][] = [];
  const counts: (number | undefined)[] = [];
  for await (const page of marquee.pages(CAMPAIGNS, { params: { path, query } })) {
    found.push(page.data.map(({ name }) => name));
    counts.push(page.total_count);
  }
  expect(found).toEqual([['A', 'B'], ['C', 'D'], ['E']]);
  expect(counts).toEqual([5, undefined, undefined]);
  for await (const _first of marquee.iterate(CAMPAIGNS, { params: { path, query } })) break;
  expect(attempts).toHaveLength(4);
});

it('divides a batch, keeps the order, and says what became of each operation', async () => {
  const named = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => audience(`Audience ${from + i}`));
  const created = await marquee.batch(AUDIENCES, named(0, 12), { params: { path } });
  expect(created.map(({ name }) => name)).toEqual(named(0, 12).map(({ params }) => params.name));
  expect(attempts).toHaveLength(2);

  const operations = named(12, 37);
  operations[13].params.name = '';
  const error = await marquee.batch(AUDIENCES, operations, { params: { path } }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'MarqueeBatchError', message: expect.stringMatching(/^10 of 25 .*name/) });
  const { outcomes } = error as { outcomes: { state: string; errors?: object[]; result?: object }[] };
  expect(outcomes.map(({ state }) => state)).toEqual([
    ...Array<string>(10).fill('DONE'),
    ...Array<string>(10).fill('FAILED'),
    ...Array<string>(5).fill('NOT_SENT'),
  ]);
  expect(outcomes[3]).toMatchObject({ result: { name: 'Audience 15' } });
  expect([outcomes[12].errors, outcomes[13].errors]).toEqual([[], [expect.objectContaining({ parameter: 'name' })]]);
  expect(attempts).toHaveLength(4);
});

it('repeats a batch of several requests with the key of the caller', async () => {
  const operations = Array.from({ length: 12 }, (_, i) => audience(`Audience ${i}`));
  const headers = { 'Idempotency-Key': 'mine' };
  const created = await marquee.batch(AUDIENCES, operations, { params: { path }, headers });
  expect(created).toHaveLength(12);
  expect(await marquee.batch(AUDIENCES, operations, { params: { path }, headers })).toEqual(created);
});

describe('an upload', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marquee-client-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('takes bytes, blobs, files and streams, and reports its progress', async () => {
    const bytes = await jpeg();
    const file = join(folder, 'image.jpg');
    writeFileSync(file, bytes);
    const sources = [
      bytes,
      new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }),
      file,
      { stream: Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), size: bytes.length },
    ];
    const segmentBytes = Math.ceil(bytes.length / 2) - 1;
    for (const source of sources) {
      const reported: UploadProgress[] = [];
      const media = await marquee.upload(source, {
        category: 'post_image',
        segmentBytes,
        onProgress: (each) => reported.push(each),
      });
      expect(media).toMatchObject({ media_key: expect.stringMatching(/^3_\d+$/), size: bytes.length });
      expect(reported.map(({ uploadedBytes }) => uploadedBytes)).toEqual([
        0,
        segmentBytes,
        2 * segmentBytes,
        bytes.length,
      ]);
    }
  });

  it('survives lost responses, and ends with the media processed or an error', async () => {
    await fault({ fault: 'EMPTY_RESPONSE', applied: 'AFTER_COMMIT', probability: 0.5, times: 4 });
    const media = await marquee.upload(await mp4(), { category: 'post_video', type: 'video/mp4', segmentBytes: 2_000 });
    expect(media).toMatchObject({ processing_info: { state: 'succeeded' }, video: { video_type: 'video/mp4' } });
    await expect(marquee.upload(Buffer.from('no media'))).rejects.toMatchObject({ status: 400 });
  });
});

it('does not compile what the document does not have', () => {
  const mistakes = [
    // @ts-expect-error an unknown path
    () => marquee.GET('/12/nowhere'),
    // @ts-expect-error a path without this method
    () => marquee.PUT('/12/accounts'),
    // @ts-expect-error the account is required
    () => marquee.GET(CAMPAIGNS),
    // @ts-expect-error an unknown parameter
    () => marquee.GET(CAMPAIGNS, { params: { path, query: { counts: 1 } } }),
    // @ts-expect-error a body without what is required
    () => marquee.POST(CAMPAIGNS, { params: { path }, body: { name: 'Autumn' } }),
    // @ts-expect-error not a list
    () => marquee.iterate('/12/accounts/{account_id}', { params: { path } }),
    // @ts-expect-error an operation of another batch
    () => marquee.batch(AUDIENCES, [{ operation_type: 'Create', params: { campaign_id: '1' } }], { params: { path } }),
  ];
  expect(mistakes).toHaveLength(7);
});
