import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { fileKeyOf } from '../../../src/accounts/file-jobs/file-job.js';
import { BlobStore } from '../../../src/common/blobs/blob-store.js';
import { limitCounter } from '../../../src/common/db/counters/counters.js';
import { write } from '../../../src/common/db/query/write.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { Clock } from '../../../src/common/time/clock.js';
import { swapJson } from '../../../src/names/swap-json.js';
import { WriteResultJob } from '../../../src/statistics/jobs/write-result.job.js';
import type { StatisticsJob } from '../../../src/statistics/jobs/statistics-job.entity.js';
import {
  PROCESSING_JOBS,
  STATISTICS_FILES,
  WRITE_STATISTICS_RESULT,
} from '../../../src/statistics/jobs/statistics-job.rules.js';
import { StatisticsJobView } from '../../../src/statistics/jobs/statistics-job.presenter.js';
import { StatisticsJobsService } from '../../../src/statistics/jobs/statistics-jobs.service.js';
import { StatisticsJobsUpkeepJob } from '../../../src/statistics/jobs/statistics-jobs-upkeep.job.js';
import { authorization, type Params, type Sending } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';
import { refusal } from '../creatives/refusal.js';

describe('statistics jobs', () => {
  useSharedApp();

  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const MINUTE = 60_000;
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  /** Midnight in Los Angeles on the first of March 2026; clocks change on the eighth. */
  const START = Date.parse('2026-03-01T08:00:00Z');
  const range = (from: number, to: number) => ({ start_time: iso(from), end_time: iso(to) });

  let advertiser: Advertiser;
  let item: Awaited<ReturnType<typeof given.lineItem>>;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    item = await given.lineItem({ account: advertiser.account });
  });

  const question = () => ({
    entity: 'LINE_ITEM' as const,
    entity_ids: item.id,
    ...range(START, START + 2 * DAY),
    granularity: 'DAY' as const,
    metric_groups: 'ENGAGEMENT,BILLING',
    placement: 'ALL_ON_PLATFORM' as const,
  });
  const path = (id = '', accountId = advertiser.account.id) => `/12/stats/jobs/accounts/${accountId}${id && `/${id}`}`;
  const post = (params: Params = {}, { by = advertiser, ...sending }: Sending & { by?: Advertiser } = {}) =>
    by.api.post(path(), { query: { ...question(), ...params }, ...sending });
  const created = ({ status, body }: Answer): Json => {
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const listed = async (id?: string, headers?: Record<string, string>): Promise<Json> =>
    (await advertiser.api.get(path(), { query: { job_ids: id }, headers })).body.data[0];

  /** Asks for a job, as the Python SDK does, until it no longer processes. */
  async function ended(id: string, headers?: Record<string, string>): Promise<Json> {
    for (;;) {
      const job = await listed(id, headers);
      if (job.status !== 'PROCESSING') return job;
      await pause(20);
    }
  }
  /** Fetches by the path of a URL alone. */
  const fetched = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${world().url}${new URL(url).pathname}`, { method, headers });
  async function unpacked(url: string): Promise<Json> {
    const answer = await fetched(url);
    expect(answer.status).toBe(200);
    return JSON.parse(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString());
  }

  /** A job that no worker takes, until the test runs it. */
  const idle = (params: object = {}): Promise<Row<StatisticsJob>> =>
    world()
      .get(StatisticsJobsService)
      .createIdle(
        advertiser.account,
        Parsed.complete({ ...question(), entity_ids: [item.id], metric_groups: ['ENGAGEMENT'], ...params }),
        HOUR,
      );
  const run = (job: Row<StatisticsJob>, number = 1) =>
    world().get(WriteResultJob).run(job, { number, signal: new AbortController().signal });
  const keepUp = () => world().get(StatisticsJobsUpkeepJob).carryOut();
  const stored = async ({ id }: { id: string }): Promise<Row<StatisticsJob>> =>
    (await world().sql<Row<StatisticsJob>>('SELECT * FROM statistics_jobs WHERE id = $1', id))[0];
  const fileOf = ({ folder }: Row<StatisticsJob>, attempt: number) =>
    world()
      .app.get(BlobStore)
      .stat(fileKeyOf(STATISTICS_FILES, { folder, attempt } as Row<StatisticsJob>));
  const processing = async (): Promise<number> =>
    (
      await world().sql<{ value: number }>(
        'SELECT value FROM counters WHERE "ownerId" = $1 AND kind = $2',
        advertiser.account.id,
        PROCESSING_JOBS.kind,
      )
    )[0].value;

  describe('in a list', () => {
    listConventions({
      path: ({ id }) => path('', id),
      make: async ({ id }) => ({ id: (await given.failedJobs(id, 1))[0] }),
      makeMany: ({ id }, count) => given.failedJobs(id, count),
      remove: 'never',
      view: StatisticsJobView,
      idsFilter: 'job_ids',
      unknownIds: decimalIds,
      idOf: ({ id_str }) => id_str,
      lacks: ['sort_by', 'with_deleted', 'with_total_count'],
    });
  });

  it('are created, polled and fetched as the Python SDK does it, with the path of the file alone', async () => {
    await given.facts(item, { hour: iso(START), impressions: 100 }, { hour: iso(START + DAY), impressions: 7 });
    const answer = await post({ unheard_of: 'x' });
    const job = created(answer);
    expect(unlike(StatisticsJobView, job)).toEqual([]);
    const asked = { ...question(), entity_ids: [item.id], metric_groups: ['ENGAGEMENT', 'BILLING'] };
    const undivided = { segmentation_type: null, country: null, platform: null };
    expect(job).toMatchObject({ status: 'PROCESSING', url: null, expires_at: null, ...asked, ...undivided });
    expect([Number.isSafeInteger(job.id), String(job.id)]).toEqual([true, job.id_str]);
    const account_id = advertiser.account.id;
    expect(answer.body).toEqual({ data: job, request: { params: { account_id, ...asked, ...undivided } } });

    const { id, url, created_at, updated_at, expires_at } = await ended(job.id_str);
    expect(id).toBe(job.id);
    expect([created_at, Date.parse(expires_at) - Date.parse(updated_at)]).toEqual([job.created_at, 2 * DAY]);
    const { pathname, search } = new URL(url);
    expect([pathname.endsWith('.json.gz'), search]).toEqual([true, '']);

    const signed = { authorization: authorization(advertiser.api.credentials, 'GET', `${world().url}${pathname}`) };
    const file = await fetched(url, { ...signed, 'accept-encoding': 'gzip' });
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(file.headers.get('content-encoding')).toBeNull();
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(file.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    const content: Json = JSON.parse(gunzipSync(bytes).toString());
    expect(Object.keys(content)).toEqual(['data_type', 'time_series_length', 'data', 'request']);
    expect(content.data[0].id_data[0].metrics.impressions).toEqual([100, 7]);
    expect(await unpacked(url)).toEqual(content);
    expect((await fetched(url, { authorization: 'OAuth oauth_signature="wrong"' })).status).toBe(200);
  });

  it('answer what the synchronous endpoint answers, whatever is asked', async () => {
    const { account } = advertiser;
    const sibling = await given.lineItem({ account, campaign_id: item.campaignId });
    const promoted = await given.promotedPost({ account, lineItemId: item.id });
    const facts = Array.from({ length: 80 }, (_, i) => ({
      hour: iso(START + ((i * 37) % 168) * HOUR),
      promotedId: i % 3 === 0 ? promoted.id : `p${i}`,
      placement: i % 4 === 0 ? ('PUBLISHER_NETWORK' as const) : ('ALL_ON_PLATFORM' as const),
      ...{ impressions: i, clicks: i % 5, videoTotalViews: i % 2, billedChargeLocalMicro: i * 1_000_000_007 },
    }));
    await given.facts(item, ...facts);
    await given.facts(sibling, ...facts.slice(0, 40));
    const ids: Record<string, string> = {
      ACCOUNT: account.id,
      CAMPAIGN: item.campaignId,
      FUNDING_INSTRUMENT: item.fundingInstrumentId,
      LINE_ITEM: `${sibling.id},${item.id}`,
      PROMOTED_POST: promoted.id,
      ORGANIC_POST: promoted.postId,
    };
    const groups = (entity: string) =>
      entity === 'ACCOUNT' ? ['ENGAGEMENT'] : entity === 'FUNDING_INSTRUMENT' ? ['BILLING', 'ENGAGEMENT'] : entity === 'ORGANIC_POST' ? ['VIDEO', 'ENGAGEMENT'] : ['BILLING', 'ENGAGEMENT', 'VIDEO', 'WEB_CONVERSION']; // prettier-ignore
    const anyQuestion = fc
      .record({
        entity: fc.constantFrom(...Object.keys(ids)),
        granularity: fc.constantFrom('HOUR', 'DAY', 'TOTAL'),
        placement: fc.constantFrom('ALL_ON_PLATFORM', 'PUBLISHER_NETWORK', 'TREND'),
        first: fc.integer({ min: 0, max: 3 }),
        days: fc.integer({ min: 1, max: 7 }),
        isDate: fc.boolean(),
      })
      .chain(({ entity, first, days, isDate, ...others }) =>
        fc.subarray(groups(entity), { minLength: 1 }).map((chosen) => ({
          ...{ ...others, entity, entity_ids: ids[entity], metric_groups: chosen.join() },
          ...(isDate
            ? { start_time: `2026-03-0${1 + first}`, end_time: `2026-03-${String(1 + first + days).padStart(2, '0')}` }
            : range(START + first * DAY, START + (first + days) * DAY - (first + days > 7 ? HOUR : 0))),
        })),
      );
    await fc.assert(
      fc.asyncProperty(anyQuestion, async (params) => {
        const sync = await advertiser.api.get(`/12/stats/accounts/${account.id}`, { query: params });
        expect({ status: sync.status, errors: sync.body.errors }).toEqual({ status: 200 });
        const { url } = await ended(created(await post(params)).id_str);
        expect(await unpacked(url)).toEqual(sync.body);
      }),
      { numRuns: 12 },
    );
  });

  it('divide the counts of each entity among segments, which here add up to it', async () => {
    const silent = await given.lineItem({ account: advertiser.account });
    const facts = [0, 5, 30].map((hours, i) => ({ hour: iso(START + hours * HOUR), impressions: 100 + i }));
    await given.facts(item, ...facts);
    const params = { entity_ids: `${silent.id},${item.id}`, segmentation_type: 'GENDER' };
    const { url, segmentation_type } = await ended(created(await post(params)).id_str);
    expect(segmentation_type).toBe('GENDER');
    const { data, request } = await unpacked(url);
    expect(request.params).toMatchObject({ segmentation_type: 'GENDER', country: null, platform: null });
    expect(data[0]).toEqual({ id: silent.id, id_data: [] });
    const parts: Json[] = data[1].id_data;
    expect(parts.length).toBeGreaterThan(1);
    for (const { segment } of parts) expect(Object.keys(segment)).toEqual(['segment_name', 'segment_value']);
    const days = [0, 1].map((day) => parts.reduce((sum, part) => sum + part.metrics.impressions[day], 0));
    expect(days).toEqual([201, 102]);
  });

  it('may name groups that their segments do not divide, whose metrics are null', async () => {
    const facts = { hour: iso(START), impressions: 100, mobilePurchasesAfterView: 40, webPurchasesAfterView: 40 };
    await given.facts(item, facts);
    const groups = 'ENGAGEMENT,WEB_CONVERSION,MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION';
    const params = { entity_ids: item.id, segmentation_type: 'LOCATIONS', metric_groups: groups };
    const { url } = await ended(created(await post(params)).id_str);
    const [{ id_data: parts }] = (await unpacked(url)).data;
    expect(parts.length).toBeGreaterThan(0);
    const sum = (name: string, member: string) =>
      parts.reduce((total: number, { metrics }: Json) => total + (metrics[name][member]?.[0] ?? 0), 0);
    expect(sum('mobile_conversion_purchases', 'post_view')).toBe(40);
    for (const { metrics } of parts) {
      expect(metrics.conversion_purchases).toEqual(expect.objectContaining({ post_view: null, sale_amount: null }));
      expect(metrics.mobile_conversion_lifetime_value_purchases).toEqual({
        metric: null,
        order_quantity: null,
        sale_amount: null,
      });
    }
  });

  it('have the names of X in their files where the request has them', async () => {
    const atX = { 'x-marquee-names': 'x' };
    const promoted = await given.promotedPost({ account: advertiser.account, lineItemId: item.id });
    await given.facts(item, { hour: iso(START), impressions: 3, promotedId: promoted.id });
    const params = { entity: 'PROMOTED_POST', entity_ids: promoted.id };
    const ours = await ended(created(await post(params)).id_str);
    const query = { ...params, entity: 'PROMOTED_TWEET', placement: 'ALL_ON_TWITTER' };
    const theirs = created(await post(query, { headers: atX }));
    expect(theirs).toMatchObject({ entity: 'PROMOTED_TWEET', placement: 'ALL_ON_TWITTER' });
    const { url } = await ended(theirs.id_str, atX);
    const content = await unpacked(url);
    expect(content).toEqual(swapJson(await unpacked(ours.url)));
    expect(content.data[0].id_data[0].metrics).toMatchObject({ impressions: [3, 0], tweets_send: null });
    expect(content.request.params).toMatchObject({ entity: 'PROMOTED_TWEET', placement: 'ALL_ON_TWITTER' });
  });

  it('are created once with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one job' };
    const [one, other] = [created(await post({}, { headers })), created(await post({}, { headers }))];
    expect(other).toEqual(one);
    expect((await ended(one.id_str)).status).toBe('SUCCESS');
    expect((await advertiser.api.get(path())).body.data).toHaveLength(1);
  });

  it('take their parameters in a form, too', async () => {
    expect(created(await advertiser.api.post(path(), { form: question() })).entity_ids).toEqual([item.id]);
  });

  describe('with the time of an account', () => {
    it('begin days by the offset that the test clock of the account has', async () => {
      world().clock.set(new Date('2026-12-01T12:00:00Z'));
      await given.facts(item, { hour: iso(START - HOUR), impressions: 1 }, { hour: iso(START), impressions: 2 });
      // midnight in Los Angeles by the offset of the summer
      const summer = range(START - HOUR, START + DAY - HOUR);
      const { now } = advertiser.account;
      advertiser.account.now = world().get(Clock).timeOf({ frozenTime: '2026-07-01T00:00:00Z' });
      const job = await idle(summer);
      await run(job);
      const { url, created_at, start_time } = await listed(job.id);
      expect([created_at, start_time]).toEqual(['2026-12-01T12:00:00Z', summer.start_time]);
      const { data, time_series_length: length } = await unpacked(url);
      expect([length, data[0].id_data[0].metrics.impressions]).toEqual([1, [2]]);
      advertiser.account.now = now;
      await expect(idle(summer)).rejects.toMatchObject({ errors: [{ code: 'INVALID_TIME_WINDOW' }, { code: 'INVALID_TIME_WINDOW' }] }); // prettier-ignore
    });
  });

  describe('may process at once', () => {
    const limitTo = (limit: number) =>
      write(world().get(DataSource).manager, [
        limitCounter({ ownerId: advertiser.account.id, kind: PROCESSING_JOBS.kind, limit }),
      ]);
    const headersOf = ({ headers }: Answer) =>
      ['x-concurrent-job-limit', 'x-concurrent-job-limit-remaining'].map((name) => headers[name]);

    it('up to 100 in an account, which POST and GET count', async () => {
      expect(headersOf(await advertiser.api.get(path()))).toEqual(['100', '100']);
      await idle();
      expect(headersOf(await advertiser.api.get(path()))).toEqual(['100', '99']);
      await limitTo(1);
      const { status, body, ...answer } = await post();
      expect([status, body.errors]).toEqual([
        400,
        [expect.objectContaining({ code: 'TOO_MANY_JOBS', message: 'A maximum of 1 jobs can be in processing state' })],
      ]);
      expect(headersOf({ status, body, ...answer })).toEqual(['1', '0']);
      expect((await advertiser.api.get(path())).body.data).toHaveLength(1);
    });

    it('no more, however many are created at the same time; each that ends makes room', async () => {
      await limitTo(3);
      const all = await Promise.allSettled(Array.from({ length: 7 }, () => idle()));
      const jobs = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect([jobs.length, await processing()]).toEqual([3, 3]);
      await run(jobs[0]);
      await advertiser.api.delete(path(jobs[1].id));
      world().clock.advance(HOUR);
      await keepUp();
      expect(await processing()).toBe(0);
      const { data } = (await advertiser.api.get(path())).body;
      expect(data.map(({ status }: Json) => status).sort()).toEqual(['CANCELLED', 'FAILED', 'SUCCESS']);
    });
  });

  describe('are cancelled', () => {
    it('while they process, once', async () => {
      const job = await idle();
      const { status, body } = await advertiser.api.delete(path(job.id));
      expect([status, body]).toEqual([
        200,
        {
          data_type: 'job',
          data: expect.objectContaining({ id_str: job.id, status: 'CANCELLED', url: null, expires_at: null }),
          request: { params: { account_id: advertiser.account.id, job_id: job.id } },
        },
      ]);
      const refused = { status: 400, errors: [['ACTION_NOT_ALLOWED', 'job_id']] };
      expect(refusal(await advertiser.api.delete(path(job.id)))).toEqual(refused);
      const success = await ended(created(await post()).id_str);
      expect(refusal(await advertiser.api.delete(path(success.id_str)))).toEqual(refused);
      expect(await listed(success.id_str)).toEqual(success);
      await run(job);
      expect(await stored(job)).toMatchObject({ status: 'CANCELLED', attempt: 0 });
    });

    it('only in their account', async () => {
      const job = await idle();
      const others = await given.advertiser();
      for (const [api, account, id] of [
        [advertiser.api, advertiser.account.id, decimalIds(1)],
        [advertiser.api, advertiser.account.id, 'nothing'],
        [others.api, others.account.id, job.id],
      ] as const)
        expect(refusal(await api.delete(path(id, account)))).toEqual({ status: 404, errors: [['NOT_FOUND', 'job_id']] }); // prettier-ignore
    });

    it('or succeed, whoever is first, and only a success leaves a file', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 30 }), async (ms) => {
          const job = await idle();
          const [, answer] = await Promise.all([run(job), pause(ms).then(() => advertiser.api.delete(path(job.id)))]);
          const after = await stored(job);
          const isCancelled = answer.status === 200;
          expect([after.status, await fileOf(after, 1)]).toEqual(
            isCancelled ? ['CANCELLED', undefined] : ['SUCCESS', { size: after.size }],
          );
        }),
        { numRuns: 10 },
      );
      expect(await processing()).toBe(0);
    });
  });

  describe('always end', () => {
    it('with two workers, of which one writes the file', async () => {
      const job = await idle();
      await Promise.all([run(job), run(job)]);
      const { url, status } = await listed(job.id);
      const after = await stored(job);
      expect([status, await processing()]).toEqual(['SUCCESS', 0]);
      expect((await unpacked(url)).data[0].id).toBe(item.id);
      const files = await Promise.all([1, 2].map((attempt) => fileOf(after, attempt)));
      expect(files.map((file) => file !== undefined)).toEqual([1, 2].map((attempt) => attempt === after.attempt));
    });

    it('after a worker was killed, whose file goes with the others', async () => {
      const job = await idle();
      await world().app.get(BlobStore).put(fileKeyOf(STATISTICS_FILES, { ...job, attempt: 1 }), Readable.from(['half']), { contentType: '' }); // prettier-ignore
      await world().sql('UPDATE statistics_jobs SET attempt = 1 WHERE id = $1', job.id);
      await run(job, 2);
      const after = await stored(job);
      expect([after.status, after.attempt]).toEqual(['SUCCESS', 2]);
      world().clock.advance(2 * DAY + MINUTE);
      await keepUp();
      expect(await Promise.all([1, 2].map((attempt) => fileOf(after, attempt)))).toEqual([undefined, undefined]);
    });

    it('when the files cannot be stored: the last worker gives up', async () => {
      const folder = join(world().config.dataDir, 'blobs', 'statistics');
      const job = await idle();
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, '..'), { recursive: true });
      writeFileSync(folder, 'in the way');
      try {
        await expect(run(job)).rejects.toThrow();
        expect((await stored(job)).status).toBe('PROCESSING');
        await run(job, WRITE_STATISTICS_RESULT.retries + 1);
      } finally {
        rmSync(folder);
      }
      expect([(await listed(job.id)).status, await processing()]).toEqual(['FAILED', 0]);
    });

    it('an hour after they began, if nobody works on them', async () => {
      const job = await idle();
      world().clock.advance(HOUR - MINUTE);
      await keepUp();
      expect((await listed(job.id)).status).toBe('PROCESSING');
      world().clock.advance(2 * MINUTE);
      await run(job);
      await keepUp();
      expect(await listed(job.id)).toMatchObject({ status: 'FAILED', url: null, expires_at: null });
    });

    it('at once when an entity no longer exists', async () => {
      const job = await idle();
      await world().sql('DELETE FROM line_items WHERE id = $1', item.id);
      await run(job);
      expect(await stored(job)).toMatchObject({ status: 'FAILED', sha256: null });
    });
  });

  describe('have a file', () => {
    it('for 48 hours, which caches do not keep longer, and are listed for 30 days more', async () => {
      const job = await idle();
      world().clock.set(new Date(world().clock.now()));
      await run(job);
      const { url, expires_at } = await listed(job.id);
      const half = await fetched(url, { range: 'bytes=0-9' });
      expect([half.status, half.headers.get('content-length')]).toEqual([206, '10']);
      const maxAge = async (method = 'GET') =>
        /^private, max-age=(\d+), immutable$/.exec((await fetched(url, {}, method)).headers.get('cache-control')!)![1];
      expect([await maxAge(), await maxAge('HEAD')]).toEqual([String(2 * 86_400), String(2 * 86_400)]);
      world().clock.advance(2 * DAY - 2_000);
      expect(await maxAge()).toBe('2');
      world().clock.advance(2_000);
      expect((await fetched(url)).status).toBe(404);
      await keepUp();
      expect(await listed(job.id)).toMatchObject({ status: 'SUCCESS', url: null, expires_at });
      const expired = await stored(job);
      expect([expired.folder, await fileOf({ ...job }, 1)]).toEqual([null, undefined]);
      world().clock.advance(30 * DAY - MINUTE);
      await keepUp();
      expect(await listed(job.id)).toMatchObject({ url: null });
      world().clock.advance(2 * MINUTE);
      await keepUp();
      expect(await stored(job)).toBeUndefined();
    });

    it('under a path that nobody else can form, until the account is deleted', async () => {
      const { url } = await ended(created(await post()).id_str);
      const [, accountId, id, signature] = /\/statistics\/(\w+)\.(\d+)\.([\w-]+)\.json\.gz$/.exec(url)!;
      const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      for (const name of [
        `${accountId}.${id}.${other}.json.gz`,
        `${accountId}.${BigInt(id) + 1n}.${signature}.json.gz`,
        `${accountId}.${id}.${signature}.json`,
        `${accountId}.${id}.json.gz`,
        `${accountId}.${id}.${signature}.${signature}.json.gz`,
      ])
        expect([name, (await fetched(`http://host/statistics/${name}`)).status]).toEqual([name, 404]);
      await world().get(AccountsService).delete(advertiser.account);
      await world().caughtUp();
      expect((await fetched(url)).status).toBe(404);
      expect((await advertiser.api.get(path(), { query: { with_deleted: true } })).status).toBe(404);
    });
  });

  describe('reject', () => {
    const rejected = async (params: Params, by = advertiser) => refusal(await post(params, { by }));

    it('what the synchronous endpoint rejects, and ranges of more than 90 days, or 45 with segments', async () => {
      const longest = { granularity: 'TOTAL', ...range(START, START + 90 * DAY + HOUR) };
      expect(created(await post(longest)).end_time).toBe(longest.end_time);
      const { errors } = (await post({ ...longest, end_time: iso(START + 90 * DAY + 2 * HOUR) })).body;
      expect(errors).toMatchObject([
        {
          code: 'INVALID_TIME_WINDOW',
          message: 'The end_time can be a maximum of 90.days+1.hours after the start_time',
          parameter: 'end_time',
        },
      ]);
      const segmented = { segmentation_type: 'AGE', granularity: 'TOTAL' };
      expect((await post({ ...segmented, ...range(START, START + 45 * DAY + HOUR) })).status).toBe(201);
      for (const [params, error] of [
        [{ ...segmented, ...range(START, START + 45 * DAY + 2 * HOUR) }, ['INVALID_TIME_WINDOW', 'end_time']],
        [{ segmentation_type: 'METROS' }, ['MISSING_PARAMETER', 'country']],
        [{ segmentation_type: 'SHOE_SIZE' }, ['INVALID_PARAMETER', 'segmentation_type']],
        [{ entity: 'ACCOUNT', metric_groups: 'VIDEO' }, ['INVALID_PARAMETER', 'metric_groups']],
        [{ granularity: 'HOUR', start_time: iso(START + 1_000) }, ['INVALID_TIME_WINDOW', 'start_time']],
      ] as const)
        expect([params, await rejected(params)]).toEqual([params, { status: 400, errors: [error] }]);
    });

    it('ids of nothing and of other accounts at once, each', async () => {
      const foreign = await given.lineItem({ account: (await given.advertiser()).account });
      const { status, body } = await post({ entity_ids: [item.id, foreign.id, 'nothing'].join() });
      expect([status, body.errors.map(({ code, value }: Json) => [code, value])]).toEqual([
        404,
        [
          ['NOT_FOUND', foreign.id],
          ['NOT_FOUND', 'nothing'],
        ],
      ]);
      expect((await advertiser.api.get(path())).body.data).toEqual([]);
    });

    it('analysts, except for jobs about organic posts, which are the only ones that they see', async () => {
      const { account } = advertiser;
      const paid = await idle();
      const post = await given.post({ account });
      const analyst = await given.member(account, 'ANALYST');
      expect((await rejected({}, analyst)).status).toBe(403);
      const organic = created(
        await analyst.api.post(path(), {
          query: { ...question(), entity: 'ORGANIC_POST', entity_ids: post.id, metric_groups: 'ENGAGEMENT' },
        }),
      );
      const { data } = (await analyst.api.get(path())).body;
      expect(data.map(({ id_str }: Json) => id_str)).toEqual([organic.id_str]);
      expect((await analyst.api.get(path(), { query: { job_ids: paid.id } })).body.data).toEqual([]);
      expect((await analyst.api.delete(path(paid.id))).status).toBe(404);
      expect((await stored(paid)).status).toBe('PROCESSING');
    });
  });
});
