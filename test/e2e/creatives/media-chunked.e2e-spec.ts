import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { MediaProcessing } from '../../../src/creatives/media-upload/media-processing.job.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Client } from '../../support/given.js';
import { gif, jpeg, mp4 } from '../../support/media/files.js';
import { fillStorageUsage } from '../../support/storage-usage.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';

useApp({ FFMPEG: 'none' });

let client: Client;
beforeEach(async () => {
  client = await given.client();
});

const command = (form: Params, by = client) => by.api.post(UPLOAD, { form });
const init = (total_bytes: number, more: Params = {}, by = client) =>
  command({ command: 'INIT', total_bytes, media_type: 'video/mp4', media_category: 'post_video', ...more }, by);
const begun = async (total_bytes: number, more: Params = {}): Promise<string> => {
  const { status, body } = await init(total_bytes, more);
  expect({ status, errors: body.errors }).toEqual({ status: 202 });
  return body.media_id_string;
};
const append = (media_id: string, segment_index: number, bytes: Buffer, by = client) =>
  sendMultipart(by, { command: 'APPEND', media_id, segment_index }, bytes);
const finalize = (media_id: string, by = client) => command({ command: 'FINALIZE', media_id }, by);
const status = (media_id: string, by = client) => by.api.get(UPLOAD, { query: { command: 'STATUS', media_id } });
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body?.errors?.map((each: Json) => [each.code, each.message]),
});
const rowOf = async (id: string): Promise<Json> =>
  (await world().sql<Json>('SELECT * FROM media WHERE id = $1', id))[0];
const stored = (...below: string[]): string[] => {
  const folder = join(world().config.dataDir, 'blobs', ...below);
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Cuts bytes into so many segments. */
const cut = (bytes: Buffer, count: number): Buffer[] =>
  Array.from({ length: count }, (_, i) =>
    bytes.subarray(Math.floor((bytes.length * i) / count), Math.floor((bytes.length * (i + 1)) / count)),
  );

describe('uploading a file in segments', () => {
  it('puts them together, in whatever order they came and however often', async () => {
    const file = await mp4({ seconds: 3 });
    const begin = await init(file.length);
    const id = begin.body.media_id_string as string;
    expect({ status: begin.status, body: begin.body }).toEqual({
      status: 202,
      body: { media_id: Number(id), media_id_string: id, media_key: `7_${id}`, expires_after_secs: 86_400 },
    });
    const segments = cut(file, 4);
    for (const index of [2, 0, 3, 2, 1]) {
      const answer = await append(id, index, segments[index]);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    }
    const { status: finished, body } = await finalize(id);
    expect({ finished, body }).toEqual({
      finished: 200,
      body: {
        media_id: Number(id),
        media_id_string: id,
        media_key: `7_${id}`,
        size: file.length,
        expires_after_secs: 86_400,
        video: { video_type: 'video/mp4' },
        processing_info: { state: 'succeeded', progress_percent: 100 },
      },
    });
    expect((await status(id)).body).toEqual(body);
    expect((await finalize(id)).body).toEqual(body);
    const { file: name } = await rowOf(id);
    const served = Buffer.from(await (await fetch(`${world().url}/media/${name}`)).arrayBuffer());
    expect(served.equals(file)).toBe(true);
    expect(stored('uploads', id)).toEqual([]);
    expect(await world().sql('SELECT 1 FROM media_parts WHERE "mediaId" = $1', id)).toEqual([]);
  });

  it('takes segments in base64, and says nothing of processing where it is an image', async () => {
    const file = await jpeg(900, 900);
    const id = await begun(file.length, { media_type: 'image/jpeg', media_category: 'post_image' });
    for (const [index, segment] of cut(file, 2).entries()) {
      const answer = await command({
        command: 'append',
        media_id: id,
        segment_index: index,
        media_data: segment.toString('base64'),
      });
      expect(answer.status).toBe(204);
    }
    const { body } = await finalize(id);
    expect(body).toMatchObject({ image: { image_type: 'image/jpeg', w: 900, h: 900 }, media_key: `3_${id}` });
    expect(body).not.toHaveProperty('processing_info');
  });

  it('takes parameters in the query, as some clients send them', async () => {
    const file = await gif();
    const id = await begun(file.length, { media_type: 'image/gif', media_category: 'POST_GIF' });
    const path = `${UPLOAD}?command=APPEND&media_id=${id}&segment_index=0`;
    expect((await sendMultipart(client, {}, file, { path })).status).toBe(204);
    expect((await finalize(id)).body).toMatchObject({ processing_info: { state: 'succeeded' } });
  });

  it('refuses what is missing', async () => {
    const id = await begun(10);
    for (const [form, names] of [
      [{ command: 'INIT' }, ['total_bytes', 'media_type']],
      [{ command: 'APPEND' }, ['media_id', 'segment_index']],
      [{ command: 'FINALIZE' }, ['media_id']],
    ] as const) {
      const { errors } = refusal(await command(form));
      expect(errors?.map(([, message]: string[]) => message).sort()).toEqual(
        names.map((name) => `"${name}" is a required parameter`).sort(),
      );
    }
    expect(refusal(await command({ command: 'APPEND', media_id: id, segment_index: 0 }))).toEqual({
      status: 400,
      errors: [[214, '"media" is a required parameter']],
    });
    expect(refusal(await append(id, 1000, Buffer.alloc(1)))).toMatchObject({ status: 400 });
    expect(refusal(await append(id, 0, Buffer.alloc(0)))).toMatchObject({ status: 400 });
    expect(refusal(await init(536_870_913))).toMatchObject({ status: 400 });
    expect(refusal(await init(6_000_000, { media_category: 'post_image' }))).toEqual({
      status: 400,
      errors: [
        [214, 'Expected a value between 1 and 5242880, got "6000000" for total_bytes with media_category post_image'],
      ],
    });
  });

  it('refuses gaps, other sizes than announced, and segments beyond them', async () => {
    const id = await begun(300);
    await append(id, 0, Buffer.alloc(100));
    await append(id, 2, Buffer.alloc(100));
    expect(refusal(await finalize(id))).toMatchObject({
      status: 400,
      errors: [[214, expect.stringContaining('segment_index 1')]],
    });
    await append(id, 1, Buffer.alloc(50));
    expect(refusal(await finalize(id))).toMatchObject({
      status: 400,
      errors: [[214, expect.stringContaining('have 250 bytes together')]],
    });
    expect(refusal(await append(id, 3, Buffer.alloc(51)))).toMatchObject({
      status: 400,
      errors: [[214, expect.stringContaining('at most the 300 bytes')]],
    });
    expect(refusal(await append(id, 1, Buffer.alloc(5 * 1024 * 1024 + 1)))).toMatchObject({ status: 413 });
    expect((await append(id, 1, Buffer.alloc(100))).status).toBe(204);
    expect(refusal(await finalize(id))).toMatchObject({
      status: 400,
      errors: [[214, expect.stringContaining('is of no type that is known')]],
    });
    expect((await status(id)).body.processing_info).toEqual({
      state: 'failed',
      progress_percent: 100,
      error: { code: 1, name: 'InvalidMedia', message: expect.stringContaining('is of no type that is known') },
    });
    expect(stored('uploads', id)).toEqual([]);
  });

  it("is its uploader's alone", async () => {
    const file = await gif();
    const id = await begun(file.length, { media_category: 'post_gif' });
    const other = await given.client();
    const unknown = { status: 400, errors: [[325, `media_id ${id} was not found: it is not yours, or it expired`]] };
    expect(refusal(await append(id, 0, file, other))).toEqual(unknown);
    expect(refusal(await finalize(id, other))).toEqual(unknown);
    expect(refusal(await status(id, other))).toEqual(unknown);
    expect(refusal(await status(id))).toMatchObject({
      status: 400,
      errors: [[324, expect.stringContaining('is not finished')]],
    });
    expect((await append(id, 0, file)).status).toBe(204);
    expect((await finalize(id)).status).toBe(200);
    expect(refusal(await append(id, 0, file))).toMatchObject({
      status: 400,
      errors: [[324, expect.stringContaining('takes no more segments')]],
    });
    expect(refusal(await status('123'))).toMatchObject({ status: 400, errors: [[325, expect.anything()]] });
  });

  it('is bounded: a user has so many that are not finished', async () => {
    const [first] = await Promise.all(Array.from({ length: 99 }, () => begun(10)));
    const last = await Promise.all(Array.from({ length: 4 }, () => init(10)));
    expect(last.map((answer) => answer.status).sort()).toEqual([202, 400, 400, 400]);
    const file = await gif();
    await world().sql(`UPDATE media SET size = $2 WHERE id = $1`, first, file.length);
    await append(first, 0, file);
    expect((await finalize(first)).status).toBe(400);
    expect([(await init(10)).status, (await init(10)).status]).toEqual([202, 400]);
    world().clock.advance(24 * 3_600_000 + 1_000);
    await world().get(ExpiredMediaJob).removeExpired();
    expect((await init(10)).status).toBe(202);
  }, 30_000);

  it('of many bytes is looked at in the background', async () => {
    const file = await mp4({ seconds: 34, frameBytes: 100_000 });
    expect(file.length).toBeGreaterThan(33_000_000);
    const id = await begun(file.length);
    const segments = cut(file, 8);
    for (const [index, segment] of segments.entries()) expect((await append(id, index, segment)).status).toBe(204);
    const { body } = await finalize(id);
    expect(body.processing_info).toMatchObject({
      check_after_secs: 1,
      state: expect.stringMatching(/pending|in_progress/),
    });
    let info: Json;
    for (let tries = 0; tries < 100 && info?.state !== 'succeeded'; tries++) {
      await pause(100);
      info = (await status(id)).body.processing_info;
      expect(info.state).not.toBe('failed');
    }
    expect(info).toEqual({ state: 'succeeded', progress_percent: 100 });
    expect(await rowOf(id)).toMatchObject({ width: 640, height: 360, duration: 34_000, size: file.length });
  }, 60_000);

  it('goes on where a process died, at whatever step', async () => {
    const file = await mp4();
    const finished = async () => {
      const id = await begun(file.length);
      for (const [index, segment] of cut(file, 3).entries()) await append(id, index, segment);
      return id;
    };
    // before anything was done
    const first = await finished();
    await world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, first);
    await world().get(MediaProcessing).process(first);
    // after the segments had become the file
    const second = await finished();
    await finalize(second);
    await world().sql(`UPDATE media SET state = 'IN_PROGRESS', sha256 = NULL, width = NULL WHERE id = $1`, second);
    await world().get(MediaProcessing).process(second);
    // twice at once
    const third = await finished();
    await world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, third);
    await Promise.all(
      [1, 2].map(() =>
        world()
          .get(MediaProcessing)
          .process(third)
          .catch(() => undefined),
      ),
    );
    for (const id of [first, second, third]) {
      expect((await status(id)).body).toMatchObject({ size: file.length, processing_info: { state: 'succeeded' } });
      const { file: name } = await rowOf(id);
      expect(Buffer.from(await (await fetch(`${world().url}/media/${name}`)).arrayBuffer()).equals(file)).toBe(true);
    }
  });
});

describe('storage quotas', () => {
  const UNFINISHED = 10 * 1024 ** 3;
  const MEDIA = 100 * 1024 ** 3;
  const usage = async (by = client) => {
    const kinds = ['UNFINISHED_UPLOAD_BYTES', 'USER_MEDIA_BYTES'] as const;
    const { UNFINISHED_UPLOAD_BYTES: unfinished, USER_MEDIA_BYTES: media } = await world()
      .get(StorageQuotas)
      .usageOf(by.user.id, kinds);
    return [unfinished.used, media.used];
  };
  const use = (kind: string, used: number) =>
    world().sql(
      `INSERT INTO storage_usage VALUES ($1, $2, $3) ON CONFLICT ("ownerId", kind) DO UPDATE SET used = EXCLUDED.used`,
      client.user.id,
      kind,
      used,
    );

  it('count what INIT announces until FINALIZE, then as media, until it expires', async () => {
    const file = await gif();
    const more = { media_type: 'image/gif', media_category: 'post_gif' };
    const id = await begun(file.length, more);
    const unfinished = await begun(1_000, more);
    expect(await usage()).toEqual([file.length + 1_000, 0]);
    await append(id, 0, file);
    expect((await finalize(id)).status).toBe(200);
    expect((await finalize(id)).status).toBe(200);
    expect(await usage()).toEqual([1_000, file.length]);
    await fillStorageUsage();
    expect(await usage()).toEqual([1_000, file.length]);
    world().clock.advance(25 * 3_600_000);
    await world().get(ExpiredMediaJob).removeExpired();
    expect(await rowOf(unfinished)).toBeUndefined();
    expect(await usage()).toEqual([0, 0]);
  });

  it('refuse an INIT that exceeds that of unfinished uploads, also for those that come at once', async () => {
    await use('UNFINISHED_UPLOAD_BYTES', UNFINISHED - 250);
    const answers = await Promise.all([1, 2, 3, 4].map(() => init(100)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 403, 403]);
    const { status, errors } = refusal(await init(100));
    expect(status).toBe(403);
    expect(errors).toEqual([
      [
        185,
        `User ${client.user.id} stores ${UNFINISHED - 50} of at most ${UNFINISHED} bytes of unfinished uploads, and this request adds 100; MAX_UNFINISHED_UPLOAD_BYTES_PER_USER is the limit; finish uploads with command=FINALIZE; those that are not finished expire after a day, or ask the operator to raise it`,
      ],
    ]);
    expect((await init(50)).status).toBe(202);
  });

  it('refuse a FINALIZE that exceeds that of media, and leave the upload as it was', async () => {
    const file = await gif();
    const id = await begun(file.length, { media_type: 'image/gif', media_category: 'post_gif' });
    await append(id, 0, file);
    await use('USER_MEDIA_BYTES', MEDIA - file.length + 1);
    expect(refusal(await finalize(id))).toEqual({
      status: 403,
      errors: [
        [185, expect.stringContaining(`of at most ${MEDIA} bytes of media, and this request adds ${file.length}`)],
      ],
    });
    expect(await rowOf(id)).toMatchObject({ state: 'ARRIVING' });
    await use('USER_MEDIA_BYTES', MEDIA - file.length);
    expect((await finalize(id)).status).toBe(200);
  });

  it('refuse a file of one request that exceeds that of media, and keep nothing of it', async () => {
    const file = await gif();
    const send = () => sendMultipart(client, { media_category: 'post_gif' }, file);
    expect((await send()).status).toBe(200);
    expect(await usage()).toEqual([0, file.length]);
    await use('USER_MEDIA_BYTES', MEDIA - file.length + 1);
    const before = stored('media');
    expect(refusal(await send())).toMatchObject({ status: 403, errors: [[185, expect.any(String)]] });
    expect(stored('media').sort()).toEqual(before.sort());
    expect(await usage()).toEqual([0, MEDIA - file.length + 1]);
    // what is no image does not count
    expect((await sendMultipart(client, { media_category: 'post_gif' }, file.subarray(0, 40))).status).toBe(400);
    expect(await usage()).toEqual([0, MEDIA - file.length + 1]);
    await use('USER_MEDIA_BYTES', MEDIA - file.length);
    expect((await send()).status).toBe(200);
  });
});

describe('processing', () => {
  it('ends where the upload is gone by then', async () => {
    const id = await begun(10);
    await world().sql('DELETE FROM media WHERE id = $1', id);
    expect(await world().get(MediaProcessing).process(id)).toBeUndefined();
  });
});

describe('uploads that nobody uses', () => {
  const removeExpired = () => world().get(ExpiredMediaJob).removeExpired();

  it('go after a day, with their files, finished or not', async () => {
    const whole = (await sendMultipart(client, { media_category: 'post_gif' }, await gif())).body
      .media_id_string as string;
    const unfinished = await begun(100);
    await append(unfinished, 0, Buffer.alloc(50));
    const { file, posterFile } = await rowOf(whole);
    world().clock.advance(23 * 3_600_000);
    await removeExpired();
    expect(await rowOf(whole)).toBeDefined();
    world().clock.advance(3_600_000 + 1_000);
    await removeExpired();
    for (const id of [whole, unfinished]) expect(await rowOf(id)).toBeUndefined();
    for (const gone of [file, posterFile]) {
      expect(stored('media')).not.toContain(gone);
      expect((await fetch(`${world().url}/media/${gone}`)).status).toBe(404);
    }
    expect(stored('uploads', unfinished)).toEqual([]);
    expect(await world().sql('SELECT 1 FROM media_parts WHERE "mediaId" = $1', unfinished)).toEqual([]);
  });

  it('cannot be gone on with once they are over, job or not', async () => {
    const id = await begun(100);
    world().clock.advance(24 * 3_600_000 + 1_000);
    const later = await given.client();
    expect(refusal(await status(id, later))).toMatchObject({ errors: [[325, expect.anything()]] });
    expect(refusal(await append(id, 0, Buffer.alloc(50)))).toMatchObject({
      status: 400,
      errors: [[325, expect.anything()]],
    });
  });
});
