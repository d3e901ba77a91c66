import { createHash } from 'node:crypto';
import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import { useApp, world } from '../../support/app.js';
import { type Answer, type Json, send } from '../../support/http.js';
import { given, type Client, type Advertiser } from '../../support/given.js';
import { bmp, gif, jpeg, mp4, noise, png, webp } from '../../support/media/files.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';
import type { Caller } from '../../../src/auth/caller.js';
import { BlobDamaged, BlobStore } from '../../../src/common/blobs/blob-store.js';
import { MediaLook } from '../../../src/creatives/media-inspection/media-look.service.js';
import { ChunkedUploadsService } from '../../../src/creatives/media-upload/chunked-uploads.service.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { MediaUploadsService } from '../../../src/creatives/media-upload/media-uploads.service.js';
import { MediaProcessing } from '../../../src/creatives/media-upload/media-processing.job.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import type { Params } from '../../support/api.js';
import { fillStorageUsage } from '../../support/storage-usage.js';
import { AccountMedia } from '../../../src/creatives/account-media/account-media.entity.js';
import { AccountMediaView } from '../../../src/creatives/account-media/account-media.presenter.js';
import { LibraryMedia } from '../../../src/creatives/entities/library-media.entity.js';
import { LibraryMediaView } from '../../../src/creatives/media-library/library-media.presenter.js';
import { MediaLibraryService } from '../../../src/creatives/media-library/media-library.service.js';
import { AccountMediaService } from '../../../src/creatives/account-media/account-media.service.js';
import type { MediaCategory } from '../../../src/creatives/entities/media.entity.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { listConventions, unlike } from '../../support/list-conventions.js';

useApp({ FFMPEG: 'none' });

/** Seconds until a new upload expires. */
const A_DAY: unknown = expect.closeTo(86_400, -2);

describe('media upload', () => {
  let client: Client;
  beforeEach(async () => {
    client = await given.client();
  });

  const upload = (fields: Record<string, string>, file?: Buffer) => sendMultipart(client, fields, file);
  const refused = ({ status, body }: Answer) => ({ status, errors: body?.errors as Json[] });
  /** The files that the service has kept. */
  const kept = (): string[] => {
    const folder = join(world().config.dataDir, 'blobs', 'media');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  const rowOf = async (id: string): Promise<Json> =>
    (await world().sql<Json>('SELECT * FROM media WHERE id = $1', id))[0];

  describe('uploading a file in one request', () => {
    it('answers what it is known by, and what was found in it', async () => {
      const file = await jpeg(1200, 628);
      const { status, body } = await upload({ media_category: 'post_image' }, file);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          media_id: expect.any(Number),
          media_id_string: expect.stringMatching(/^\d{16}$/),
          media_key: `3_${body.media_id_string}`,
          size: file.length,
          expires_after_secs: A_DAY,
          image: { image_type: 'image/jpeg', w: 1200, h: 628 },
        },
      });
      expect(String(body.media_id)).toBe(body.media_id_string);
    });

    it('takes PNG, JPEG, BMP, WEBP, GIF, MP4, each by its bytes', async () => {
      const files: [category: string, file: Buffer, found: Json, prefix: string][] = [
        ['POST_IMAGE', await png(), { image: { image_type: 'image/png', w: 640, h: 360 } }, '3'],
        ['Post_Image', await webp(), { image: { image_type: 'image/webp', w: 640, h: 360 } }, '3'],
        ['post_image', bmp(), { image: { image_type: 'image/bmp', w: 40, h: 30 } }, '3'],
        ['post_gif', await gif(), { image: { image_type: 'image/gif', w: 320, h: 180 } }, '16'],
        ['post_gif', await gif(320, 180, 1), { image: { image_type: 'image/gif', w: 320, h: 180 } }, '16'],
        ['post_video', await mp4(), { video: { video_type: 'video/mp4' } }, '7'],
        ['amplify_video', await mp4({ seconds: 200 }), { video: { video_type: 'video/mp4' } }, '13'],
      ];
      for (const [media_category, file, found, prefix] of files) {
        const { status, body } = await upload({ media_category }, file);
        expect({ media_category, status, body }).toEqual({
          media_category,
          status: 200,
          body: expect.objectContaining({
            ...found,
            media_key: `${prefix}_${body.media_id_string}`,
            size: file.length,
          }),
        });
      }
    });

    it('gives no media_key where no category is named', async () => {
      const { status, body } = await upload({}, await png());
      expect({ status, keys: Object.keys(body).sort() }).toEqual({
        status: 200,
        keys: ['expires_after_secs', 'image', 'media_id', 'media_id_string', 'size'],
      });
    });

    it('answers at both paths', async () => {
      const [path, file] = ['/1.1/media/upload', await png()];
      expect((await sendMultipart(client, {}, file, { path })).status).toBe(200);
      const begun = await client.api.post(path, {
        form: { command: 'INIT', total_bytes: file.length, media_type: 'image/png' },
      });
      const segment = { command: 'APPEND', media_id: begun.body.media_id_string, segment_index: 0 };
      expect([begun.status, (await sendMultipart(client, segment, file, { path })).status]).toEqual([202, 204]);
    });

    it('takes base64 in a form, which is signed, and in a multipart body', async () => {
      const file = await noise(1600, 1200);
      expect(file.length).toBeGreaterThan(600_000);
      const form = await client.api.post(UPLOAD, {
        form: { media_data: file.toString('base64'), media_category: 'post_image' },
      });
      expect(form).toMatchObject({ status: 200, body: { size: file.length, image: { w: 1600, h: 1200 } } });
      const multipart = await sendMultipart(client, {}, Buffer.from(file.toString('base64')), { name: 'media_data' });
      expect(multipart).toMatchObject({ status: 200, body: { size: file.length, image: { w: 1600, h: 1200 } } });
    });

    it('takes a large form, and refuses what is no base64', async () => {
      const file = Buffer.concat([await jpeg(800, 800), Buffer.alloc(4_500_000, 7), Buffer.from([0xff, 0xd9])]);
      const { status, body } = await client.api.post(UPLOAD, { form: { media_data: file.toString('base64') } });
      expect({ status, size: body.size }).toEqual({ status: 200, size: file.length });
      for (const media_data of ['not base64!', 'abcde']) {
        expect(refused(await client.api.post(UPLOAD, { form: { media_data } }))).toEqual({
          status: 400,
          errors: [{ code: 214, message: 'Expected base64 for media_data' }],
        });
        const streamed = await sendMultipart(client, {}, Buffer.from(media_data), { name: 'media_data' });
        expect(refused(streamed)).toEqual({
          status: 400,
          errors: [{ code: 214, message: 'Expected base64 for media_data' }],
        });
      }
      expect((await client.api.post(UPLOAD, { form: { media_data: 'A'.repeat(9_000_000) } })).status).toBe(413);
    }, 60_000);

    it('turns what lies on its side', async () => {
      const onItsSide = await sharp(await jpeg(600, 400))
        .withMetadata({ orientation: 6 })
        .toBuffer();
      expect((await upload({}, onItsSide)).body.image).toEqual({ image_type: 'image/jpeg', w: 400, h: 600 });
      const { body } = await upload(
        { media_category: 'post_video' },
        await mp4({ width: 640, height: 360, rotation: 90 }),
      );
      expect(await rowOf(body.media_id_string)).toMatchObject({ width: 360, height: 640, duration: 2_000 });
    });

    it('names what is wrong, and keeps nothing of it', async () => {
      const before = kept();
      const cases: [fields: Record<string, string>, file: Buffer | undefined, status: number, message: string][] = [
        [{}, undefined, 400, '"media" is a required parameter'],
        [{}, Buffer.alloc(0), 400, 'media is empty'],
        [
          { media_category: 'post_sticker' },
          await png(),
          400,
          'Expected a value in amplify_video, post_gif, post_image, post_video, subtitles, got "post_sticker" for media_category',
        ],
        [
          { media_category: 'post_gif' },
          await png(),
          400,
          'media is a png file, which media_category post_gif does not allow; use post_image',
        ],
        [
          { media_category: 'post_image' },
          await gif(),
          400,
          'media is a gif file, which media_category post_image does not allow; use post_gif',
        ],
        [
          { media_category: 'post_image' },
          await mp4(),
          400,
          'media is a mp4 file, which media_category post_image does not allow; use post_video or amplify_video',
        ],
        [
          { media_category: 'post_video' },
          await mp4({ seconds: 0.3 }),
          400,
          'media is a video of 0.3 seconds; 0.5 to 140 seconds are allowed',
        ],
        [
          { media_category: 'post_video' },
          await mp4({ seconds: 141 }),
          400,
          'media is a video of 141 seconds; 0.5 to 140 seconds are allowed',
        ],
        [
          { media_category: 'post_image' },
          Buffer.concat([await jpeg(), Buffer.alloc(5_300_000), Buffer.from([0xff, 0xd9])]),
          413,
          'media must have at most 5242880 bytes',
        ],
        [{ additional_owners: '1,x' }, await png(), 400, 'Expected Long, got "x" for additional_owners'],
        [{ additional_owners: '1' }, await png(), 400, 'additional_owners has the id of a user who does not exist'],
        [
          { additional_owners: Array.from({ length: 101 }, (_, i) => i + 1).join() },
          await png(),
          400,
          'A maximum of 100 items can be provided for additional_owners',
        ],
        [{ command: 'STOP' }, await png(), 400, 'Expected a value in APPEND, FINALIZE, INIT, got "STOP" for command'],
      ];
      for (const [fields, file, status, message] of cases) {
        expect(refused(await upload(fields, file))).toEqual({
          status,
          errors: [expect.objectContaining({ code: 214, message })],
        });
      }
      expect(kept()).toEqual(before);
    }, 60_000);

    it('is for whoever signs, with a token that may write', async () => {
      const reader = await given.client({ accessLevel: 'read' });
      expect(refused(await sendMultipart(reader, {}, await png()))).toMatchObject({
        status: 403,
        errors: [{ code: 261 }],
      });
      const gone = await given.client();
      await given.revokedToken(gone);
      expect(refused(await sendMultipart(gone, {}, await png()))).toMatchObject({
        status: 401,
        errors: [{ code: 89 }],
      });
      const nobody = await send(world().url, UPLOAD, { method: 'POST' });
      expect(refused(nobody)).toMatchObject({ status: 400, errors: [{ code: 215 }] });
      const wrong = {
        ...client,
        credentials: { ...client.credentials, token: { ...client.credentials.token, secret: 'x'.repeat(40) } },
      };
      expect(refused(await sendMultipart(wrong, {}, await png()))).toMatchObject({
        status: 401,
        errors: [{ code: 32 }],
      });
    });

    it('keeps who else may use it', async () => {
      const other = await given.client();
      const { body } = await upload({ additional_owners: other.user.id, media_category: 'post_image' }, await png());
      expect(await rowOf(body.media_id_string)).toMatchObject({
        ownerId: client.user.id,
        additionalOwners: [other.user.id],
      });
    });
  });

  describe('the files', () => {
    const read = (file: string, headers: Record<string, string> = {}, method = 'GET') =>
      send(world().url, `/media/${file}`, { method, headers });

    it('are served as what they were found to be', async () => {
      const bytes = await png(33, 44);
      const { file } = await rowOf((await upload({}, bytes)).body.media_id_string);
      const answer = await fetch(`${world().url}/media/${file}`);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(bytes.length),
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
        'accept-ranges': 'bytes',
        etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      });
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(await read(file, { range: 'bytes=0-7' })).toMatchObject({
        status: 206,
        headers: { 'content-range': `bytes 0-7/${bytes.length}` },
      });
      expect(await read(file, { 'if-none-match': answer.headers.get('etag')! })).toMatchObject({ status: 304 });
      expect(await read(file, {}, 'HEAD')).toMatchObject({
        status: 200,
        headers: { 'content-length': String(bytes.length) },
      });
    });

    it('have a poster where they move: a JPEG as wide and high as they are', async () => {
      for (const [media_category, file, width, height] of [
        ['post_gif', await gif(320, 180, 4), 320, 180],
        ['post_video', await mp4({ width: 640, height: 360 }), 640, 360],
      ] as const) {
        const { posterFile } = await rowOf((await upload({ media_category }, file)).body.media_id_string);
        const answer = await fetch(`${world().url}/media/${posterFile}`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
        const about = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
        expect(about).toMatchObject({ format: 'jpeg', width, height });
      }
    });

    it('are not there for whoever guesses', async () => {
      for (const file of ['x', 'unknown-file.png', 'a'.repeat(300)]) expect((await read(file)).status).toBe(404);
      // nginx refuses of its own accord what leaves the root
      expect([400, 404]).toContain((await read('..%2f..%2fmaster.key')).status);
    });
  });
});

describe('media chunked', () => {
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
        body: { media_id: Number(id), media_id_string: id, media_key: `7_${id}`, expires_after_secs: A_DAY },
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
          expires_after_secs: A_DAY,
          video: { video_type: 'video/mp4' },
          processing_info: { state: 'succeeded', progress_percent: 100 },
        },
      });
      expect((await status(id)).body).toEqual({ ...body, expires_after_secs: A_DAY });
      expect((await finalize(id)).body).toEqual({ ...body, expires_after_secs: A_DAY });
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
        errors: [[214, expect.stringContaining('have 250 bytes in total')]],
      });
      expect(refusal(await append(id, 3, Buffer.alloc(51)))).toMatchObject({
        status: 400,
        errors: [[214, expect.stringContaining('at most total_bytes in total, which is 300')]],
      });
      expect(refusal(await append(id, 1, Buffer.alloc(5 * 1024 * 1024 + 1)))).toMatchObject({ status: 413 });
      expect((await append(id, 1, Buffer.alloc(100))).status).toBe(204);
      expect(refusal(await finalize(id))).toMatchObject({
        status: 400,
        errors: [[214, expect.stringContaining('is of an unknown type')]],
      });
      expect((await status(id)).body.processing_info).toEqual({
        state: 'failed',
        progress_percent: 100,
        error: { code: 1, name: 'InvalidMedia', message: expect.stringContaining('is of an unknown type') },
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
        errors: [[324, expect.stringContaining('accepts no more segments')]],
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

    it('takes no more bytes than it declared, in segments that arrive at the same time either', async () => {
      const id = await begun(1_000);
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => append(id, index, Buffer.alloc(600))));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(400)]);
      const parts = await world().sql<{ size: number }>('SELECT size FROM media_parts WHERE "mediaId" = $1', id);
      expect(parts).toEqual([{ size: 600 }]);
    });

    it('leaves nothing behind if it expires while a segment arrives, or while it is read', async () => {
      const expire = async () => {
        world().clock.advance(25 * 3_600_000);
        await world().get(ExpiredMediaJob).removeExpired();
      };
      const arriving = await begun(100);
      const content = new Readable({ read: () => undefined });
      content.push(Buffer.alloc(50));
      const segment = { media_id: arriving, segment_index: 0 };
      const caller = { userId: client.user.id } as Caller;
      const appending = world().get(ChunkedUploadsService).append(caller, segment, content);
      await Promise.all([expect(appending).rejects.toThrow(), expire().then(() => content.push(null))]);
      expect(stored('uploads', arriving)).toEqual([]);

      const file = await gif();
      const read = await begun(file.length, { media_type: 'image/gif', media_category: 'post_gif' });
      await append(read, 0, file);
      await world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, read);
      const before = stored('media');
      const store = world().app.get<BlobStore>(BlobStore);
      const completing = jest.spyOn(store, 'complete').mockImplementationOnce(async (_id, _parts, key, about) => {
        await expire();
        return store.put(key, Readable.from([file], { objectMode: false }), { ...about, length: file.length });
      });
      expect(await world().get(MediaProcessing).process(read)).toBeUndefined();
      expect(completing).toHaveBeenCalledTimes(1);
      expect([stored('uploads', read), stored('media')]).toEqual([[], before]);
    });

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

    it('no longer count an upload that failed, also after it expires', async () => {
      const file = await gif();
      const more = { media_type: 'image/gif', media_category: 'post_gif' };
      const kept = await begun(file.length, more);
      await append(kept, 0, file);
      expect((await finalize(kept)).status).toBe(200);
      world().clock.advance(3_600_000);
      const rejected = await begun(300);
      await append(rejected, 0, Buffer.alloc(300));
      const { status: answered, errors } = refusal(await finalize(rejected));
      expect(answered).toBe(400);
      expect(await usage()).toEqual([0, file.length]);
      expect(refusal(await finalize(rejected))).toEqual({ status: 400, errors });
      const { body } = await status(rejected);
      expect(body).toMatchObject({ media_id_string: rejected, processing_info: { state: 'failed' } });
      expect(body).not.toHaveProperty('size');
      expect(await usage()).toEqual([0, file.length]);
      await fillStorageUsage();
      expect(await usage()).toEqual([0, file.length]);
      await world().sql('UPDATE media SET "expiresAt" = NULL WHERE id = $1', kept);
      world().clock.advance(25 * 3_600_000);
      await world().get(ExpiredMediaJob).removeExpired();
      expect(await rowOf(rejected)).toBeUndefined();
      expect(await usage()).toEqual([0, file.length]);
    });

    it('no longer count an upload that two processes reject at once', async () => {
      await use('USER_MEDIA_BYTES', 1_000);
      const id = await begun(300);
      await append(id, 0, Buffer.alloc(300));
      await world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, id);
      const processing = world().get(MediaProcessing);
      const seen = await Promise.all([1, 2, 3].map(() => processing.process(id)));
      expect(seen.map((media) => media?.state)).toEqual(['FAILED', 'FAILED', 'FAILED']);
      expect((await usage())[1]).toBe(700);
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
          `User ${client.user.id} stores ${UNFINISHED - 50} of at most ${UNFINISHED} bytes of unfinished uploads, and this request adds 100; MAX_UNFINISHED_UPLOAD_BYTES_PER_USER is the limit; finish uploads with command=FINALIZE; unfinished uploads expire after a day, or ask the operator to raise it`,
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
    it('returns what another process found that removed the file meanwhile', async () => {
      const file = await gif();
      const id = await begun(file.length, { media_type: 'image/gif', media_category: 'post_gif' });
      await append(id, 0, file);
      await world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, id);
      jest.spyOn(world().get(MediaLook), 'at').mockImplementationOnce(async () => {
        await world().sql(`UPDATE media SET state = 'FAILED', failure = 'media is none', size = 0 WHERE id = $1`, id);
        throw new BlobDamaged('the file is not in the store');
      });
      expect(await world().get(MediaProcessing).process(id)).toMatchObject({
        state: 'FAILED',
        failure: 'media is none',
      });
    });

    it('ends where the upload is gone by then', async () => {
      const id = await begun(10);
      await world().sql('DELETE FROM media WHERE id = $1', id);
      expect(await world().get(MediaProcessing).process(id)).toBeUndefined();
    });
  });

  describe('uploads that nobody uses', () => {
    const removeExpired = () => world().get(ExpiredMediaJob).removeExpired();

    it('tell how long they have until then', async () => {
      const file = await gif();
      const id = await begun(file.length, { media_type: 'image/gif', media_category: 'post_gif' });
      await append(id, 0, file);
      await finalize(id);
      world().clock.advance(23 * 3_600_000);
      expect((await status(id)).body).toMatchObject({ expires_after_secs: expect.closeTo(3_600, -2) });
      await world().sql(`UPDATE media SET "expiresAt" = NULL WHERE id = $1`, id);
      expect(Object.keys((await status(id)).body)).not.toContain('expires_after_secs');
    });

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
});

describe('media library', () => {
  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const path = (key = '', account = advertiser.account) =>
    `/12/accounts/${account.id}/media_library${key && `/${key}`}`;
  const accountMedia = (id = '', account = advertiser.account) =>
    `/12/accounts/${account.id}/account_media${id && `/${id}`}`;
  const add = (params: Params, by = advertiser) => by.api.post(path('', by.account), { query: params });
  const change = (key: string, params: Params) => advertiser.api.put(path(key), { query: params });
  const list = async (query: Params = {}): Promise<Json[]> => {
    const { status, body } = await advertiser.api.get(path(), { query });
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data as Json[];
  };
  const keysOf = (items: Json[]) => items.map((each) => each.media_key as string);
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
  });

  const BYTES: Record<MediaCategory, () => Promise<Buffer>> = {
    POST_IMAGE: () => jpeg(1200, 628),
    POST_GIF: () => gif(320, 180),
    POST_VIDEO: () => mp4({ width: 1280, height: 720, seconds: 3 }),
    AMPLIFY_VIDEO: () => mp4({ width: 640, height: 360, seconds: 3 }),
  };
  /** Uploads, and answers the key. */
  const uploaded = async (
    category: MediaCategory,
    fields: Params = {},
    { by = advertiser, bytes }: { by?: Pick<Advertiser, 'credentials'>; bytes?: Buffer } = {},
  ): Promise<string> => {
    const file = bytes ?? (await BYTES[category]());
    const { status, body } = await sendMultipart(by, { media_category: category.toLowerCase(), ...fields }, file);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.media_key as string;
  };
  const added = async (category: MediaCategory, params: Params = {}): Promise<Json> => {
    const { status, body } = await add({ media_key: await uploaded(category), ...params });
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const expiryOf = async (key: string) =>
    (
      await world().sql<{ expiresAt: string | null }>('SELECT "expiresAt" FROM media WHERE id = $1', key.split('_')[1])
    )[0]?.expiresAt;

  it('of a user who goes keep what was in the library of an account that stays', async () => {
    const keys = await Promise.all([1, 2].map(async () => (await added('POST_GIF')).media_key as string));
    await advertiser.api.delete(path(keys[0]));
    const expireAll = (accountIds: string[]) =>
      world().get(MediaUploadsService).expireAll(advertiser.user.id, accountIds, world().get(DataSource).manager);
    await expireAll(['another']);
    expect(await Promise.all(keys.map(expiryOf))).toEqual([null, null]);
    await expireAll([advertiser.account.id]);
    expect(await Promise.all(keys.map(expiryOf))).not.toContain(null);
  });

  describe('the quota of a library', () => {
    const LIMIT = 100 * 1024 ** 3;
    const usage = async () =>
      (await world().get(StorageQuotas).usageOf(advertiser.account.id, ['ACCOUNT_MEDIA_BYTES'])).ACCOUNT_MEDIA_BYTES
        .used;
    const use = (used: number) =>
      world().sql(
        `INSERT INTO storage_usage VALUES ($1, 'ACCOUNT_MEDIA_BYTES', $2) ON CONFLICT ("ownerId", kind) DO UPDATE SET used = EXCLUDED.used`,
        advertiser.account.id,
        used,
      );

    it('counts what is in it, once, whatever is deleted and comes back', async () => {
      const bytes = await gif(320, 180);
      const media_key = await uploaded('POST_GIF', {}, { bytes });
      expect((await add({ media_key })).status).toBe(201);
      expect((await add({ media_key, name: 'again' })).status).toBe(200);
      expect(await usage()).toBe(bytes.length);
      expect((await advertiser.api.delete(path(media_key))).status).toBe(200);
      expect((await advertiser.api.delete(path(media_key))).status).toBe(404);
      expect(await usage()).toBe(0);
      expect((await add({ media_key })).status).toBe(200);
      expect(await usage()).toBe(bytes.length);
      await fillStorageUsage();
      expect(await usage()).toBe(bytes.length);
    });

    it('refuses what exceeds it, new or deleted before, with usage and limit', async () => {
      const bytes = await gif(320, 180);
      const media_key = await uploaded('POST_GIF', {}, { bytes });
      const full = LIMIT - bytes.length + 1;
      await use(full);
      const { status, body } = await add({ media_key });
      expect({ status, errors: body.errors }).toEqual({
        status: 403,
        errors: [
          {
            code: 'STORAGE_QUOTA_EXCEEDED',
            message: `Account ${advertiser.account.id} stores ${full} of at most ${LIMIT} bytes of media in its library, and this request adds ${bytes.length}`,
            details: expect.stringContaining('MAX_MEDIA_BYTES_PER_ACCOUNT is the limit'),
          },
        ],
      });
      expect(await list()).toEqual([]);
      await use(full - 1);
      expect((await add({ media_key })).status).toBe(201);
      await advertiser.api.delete(path(media_key));
      await use(full);
      expect((await add({ media_key })).status).toBe(403);
    });
  });

  describe('the media library', () => {
    listConventions({
      path: (account) => path('', account as never),
      make: async (account, n) => {
        const name = ['Gamma', 'beta', null, 'Alpha', 'alphabet', 'Alpha', 'Äpfel', 'gamma', null][n];
        return { id: (await given.libraryMedia(account, { name })).mediaKey };
      },
      remove: ({ account }, key) => world().get(MediaLibraryService).delete(account, key),
      view: LibraryMediaView,
      entity: LibraryMedia,
      idOf: (item) => item.media_key as string,
      idColumn: 'mediaKey',
      idsFilter: null,
      countDefault: 20,
      countMax: 50,
      sortable: ['created_at', 'updated_at', 'deleted', 'name'],
      mayBeEmpty: ['file_name'],
    });
  });

  describe('adding to the library', () => {
    it('answers 201 with an image, which does not expire any more', async () => {
      const media_key = await uploaded('POST_IMAGE');
      expect(await expiryOf(media_key)).not.toBeNull();
      const { status, body } = await add({ media_key, name: 'Autumn', file_name: 'autumn.jpg' });
      expect({ status, params: body.request.params }).toEqual({
        status: 201,
        params: { account_id: advertiser.account.id, media_key, name: 'Autumn', file_name: 'autumn.jpg' },
      });
      expect(body.data).toEqual({
        media_key,
        media_type: 'IMAGE',
        media_category: 'POST_IMAGE',
        media_status: 'TRANSCODE_COMPLETED',
        media_url: expect.stringMatching(/^http.*\/media\/[0-9a-f]{32}\.jpg$/),
        name: 'Autumn',
        file_name: 'autumn.jpg',
        posted: false,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        deleted: false,
      });
      expect(await expiryOf(media_key)).toBeNull();
      world().clock.advance(25 * 3_600_000);
      await world().get(ExpiredMediaJob).removeExpired();
      const shown = new URL(body.data.media_url);
      expect((await fetch(`${world().url}${shown.pathname}`)).status).toBe(200);
    });

    it('answers what only videos and GIFs have', async () => {
      const video = await added('POST_VIDEO', { title: 'Beans', description: 'How they grow' });
      expect(unlike(LibraryMediaView, video, ['file_name'])).toEqual([]);
      expect(video).toMatchObject({
        media_type: 'VIDEO',
        media_category: 'POST_VIDEO',
        name: null,
        file_name: '',
        duration: 3_000,
        title: 'Beans',
        description: 'How they grow',
        aspect_ratio: '16:9',
        poster_media_key: video.media_key.replace(/^7_/, '3_'),
        poster_media_url: expect.stringMatching(/\/media\/[0-9a-f]{32}\.jpg$/),
      });
      expect((await fetch(`${world().url}${new URL(video.poster_media_url).pathname}`)).status).toBe(200);
      const moving = await added('POST_GIF');
      expect(moving).toMatchObject({
        media_type: 'GIF',
        duration: null,
        title: null,
        description: null,
        aspect_ratio: '16:9',
      });
    });

    it('again answers the one that is there, and brings back one that was deleted', async () => {
      const { media_key, created_at } = await added('AMPLIFY_VIDEO', { name: 'First' });
      const again = await add({ media_key });
      expect({ status: again.status, data: again.body.data }).toMatchObject({
        status: 200,
        data: { name: 'First', created_at },
      });
      await advertiser.api.delete(path(media_key));
      expect(await list()).toEqual([]);
      const back = await add({ media_key, name: 'Second' });
      expect({ status: back.status, data: back.body.data }).toMatchObject({
        status: 200,
        data: { name: 'Second', deleted: false, created_at },
      });
      expect(keysOf(await list())).toEqual([media_key]);
      const { body } = await advertiser.api.get(accountMedia());
      expect(body.data).toHaveLength(1);
    });

    it('of the same medium at once makes one', async () => {
      const media_key = await uploaded('AMPLIFY_VIDEO');
      const answers = await Promise.all(Array.from({ length: 8 }, () => add({ media_key })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect(await list()).toHaveLength(1);
      expect((await advertiser.api.get(accountMedia())).body.data).toHaveLength(1);
    });

    it('takes what the caller or a promotable user uploaded, or what is shared with them', async () => {
      const stranger = await given.client();
      const foreign = await uploaded('POST_IMAGE', {}, { by: stranger });
      const notFound = { status: 404, errors: [['MEDIA_NOT_FOUND', 'media_key']] };
      expect(refusal(await add({ media_key: foreign }))).toEqual(notFound);
      const shared = await uploaded('POST_IMAGE', { additional_owners: advertiser.user.id }, { by: stranger });
      expect((await add({ media_key: shared })).status).toBe(201);

      const promotable = await given.promotableUser(advertiser.account);
      const forThem = await uploaded('POST_IMAGE', { additional_owners: promotable.userId }, { by: stranger });
      expect((await add({ media_key: forThem })).status).toBe(201);
      const other = await given.advertiser();
      expect(refusal(await add({ media_key: forThem }, other))).toEqual(notFound);
      await world().sql(`UPDATE media SET "ownerId" = $2 WHERE id = $1`, foreign.split('_')[1], promotable.userId);
      expect((await add({ media_key: foreign })).status).toBe(201);
    });

    it('does not find what was not uploaded for it', async () => {
      const key = await uploaded('POST_VIDEO');
      const id = key.split('_')[1];
      for (const media_key of ['3_123', `3_${id}`, `13_${id}`]) {
        expect(refusal(await add({ media_key }))).toEqual({ status: 404, errors: [['MEDIA_NOT_FOUND', 'media_key']] });
      }
      for (const media_key of ['', 'x', '4_1', '3_x', '7_']) {
        expect(refusal(await add({ media_key }))).toEqual({
          status: 400,
          errors: [['INVALID_PARAMETER', 'media_key']],
        });
      }
      world().clock.advance(24 * 3_600_000 + 1_000);
      const later = await add({ media_key: key });
      expect(refusal(later)).toEqual({ status: 404, errors: [['MEDIA_NOT_FOUND', 'media_key']] });
    });

    it('waits for what is being looked at', async () => {
      const media_key = await uploaded('POST_VIDEO');
      await world().sql(`UPDATE media SET state = 'IN_PROGRESS' WHERE id = $1`, media_key.split('_')[1]);
      expect(refusal(await add({ media_key }))).toEqual({ status: 400, errors: [['INVALID_MEDIA', 'media_key']] });
    });

    it('races with the expiry of what it adds: one of them wins', async () => {
      for (let round = 0; round < 10; round++) {
        const media_key = await uploaded('POST_IMAGE');
        await world().sql(
          `UPDATE media SET "expiresAt" = now() + interval '40 milliseconds' WHERE id = $1`,
          media_key.split('_')[1],
        );
        await new Promise((resolve) => setTimeout(resolve, 20 + round * 3));
        const [{ status }] = await Promise.all([add({ media_key }), world().get(ExpiredMediaJob).removeExpired()]);
        await new Promise((resolve) => setTimeout(resolve, 60));
        await world().get(ExpiredMediaJob).removeExpired();
        const row = await world().sql('SELECT 1 FROM media WHERE id = $1', media_key.split('_')[1]);
        expect({ status, kept: row.length }).toEqual(status === 201 ? { status, kept: 1 } : { status: 404, kept: 0 });
      }
    });

    it('names all that is wrong', async () => {
      const media_key = await uploaded('POST_IMAGE');
      expect(
        refusal(
          await add({ media_key, title: 'x', description: 'x', name: 'x'.repeat(101), file_name: 'x'.repeat(256) }),
        ),
      ).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'file_name'],
          ['INVALID_PARAMETER', 'name'],
          ['INVALID_PARAMETER', 'description'],
          ['INVALID_PARAMETER', 'title'],
        ],
      });
      const video = await uploaded('POST_VIDEO');
      expect(
        refusal(await add({ media_key: video, title: 'x'.repeat(71), description: 'x'.repeat(201) })),
      ).toMatchObject({ status: 400 });
      expect(refusal(await add({}))).toEqual({ status: 400, errors: [['MISSING_PARAMETER', 'media_key']] });
    });
  });

  describe('posters', () => {
    it('are images of the library, and may be unset', async () => {
      const video = await added('POST_VIDEO');
      const image = await added('POST_IMAGE');
      const own = { poster_media_key: video.poster_media_key, poster_media_url: video.poster_media_url };
      const set = await change(video.media_key, { poster_media_key: image.media_key });
      expect(set.body.data).toMatchObject({ poster_media_key: image.media_key, poster_media_url: image.media_url });
      expect((await change(video.media_key, { poster_media_key: '' })).body.data).toMatchObject(own);
      expect((await change(video.media_key, { poster_media_key: image.media_key })).status).toBe(200);
      expect((await change(video.media_key, { poster_media_key: own.poster_media_key })).body.data).toMatchObject(own);

      expect(refusal(await change(video.media_key, { poster_media_key: '3_1' }))).toEqual({
        status: 400,
        errors: [['INVALID_MEDIA_ID', 'poster_media_key']],
      });
      const moving = await added('POST_GIF');
      expect(refusal(await change(video.media_key, { poster_media_key: moving.media_key }))).toEqual({
        status: 400,
        errors: [['INVALID_MEDIA', 'poster_media_key']],
      });
      expect(refusal(await change(image.media_key, { poster_media_key: image.media_key }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'poster_media_key']],
      });
      // what is stored is not refused when it is sent again, though its image is gone
      await change(video.media_key, { poster_media_key: image.media_key });
      await advertiser.api.delete(path(image.media_key));
      expect((await change(video.media_key, { poster_media_key: image.media_key, name: 'x' })).status).toBe(200);
      const withPoster = await add({ media_key: await uploaded('POST_VIDEO'), poster_media_key: image.media_key });
      expect(refusal(withPoster)).toEqual({ status: 400, errors: [['INVALID_MEDIA_ID', 'poster_media_key']] });
    });
  });

  describe('what only videos have', () => {
    const fields = { title: 'A title', description: 'A description' };
    const refused = {
      status: 400,
      errors: [
        ['INVALID_PARAMETER', 'description'],
        ['INVALID_PARAMETER', 'poster_media_key'],
        ['INVALID_PARAMETER', 'title'],
      ],
    };

    it('is refused for a GIF, new or in the library', async () => {
      const { media_key: poster_media_key } = await added('POST_IMAGE');
      const media_key = await uploaded('POST_GIF');
      const answer = await add({ media_key, poster_media_key, ...fields });
      expect(refusal(answer)).toEqual(refused);
      expect(answer.body.errors[0].message).toBe(`description is for videos, and Media ${media_key} is of type GIF`);
      expect(await list({ media_type: 'GIF' })).toEqual([]);
      expect((await add({ media_key, title: '', description: null, name: 'Beans' })).status).toBe(201);
      expect(refusal(await change(media_key, { poster_media_key, ...fields }))).toEqual(refused);
      expect(refusal(await add({ media_key, title: 'A title', name: 'x'.repeat(101) }))).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'name'],
          ['INVALID_PARAMETER', 'title'],
        ],
      });
    });

    it('stays with a GIF that has it, comes back as it was shown, and can be unset', async () => {
      const image = await added('POST_IMAGE');
      const moving = await added('POST_GIF');
      await world().sql(
        `UPDATE library_media SET title = 'Kept', description = 'As well', "posterMediaKey" = $2 WHERE "mediaKey" = $1`,
        moving.media_key,
        image.media_key,
      );
      const { body } = await advertiser.api.get(path(moving.media_key));
      expect(body.data).toMatchObject({ title: 'Kept', description: 'As well', poster_media_key: image.media_key });
      const same = await change(moving.media_key, body.data as Params);
      // The words that it is found by are stored with the first change.
      const data = { ...body.data, updated_at: same.body.data.updated_at };
      expect({ status: same.status, data: same.body.data }).toEqual({ status: 200, data });
      const again = await add({ ...(body.data as Params), name: 'x'.repeat(101) });
      expect(refusal(again)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'name']] });
      expect(refusal(await change(moving.media_key, { title: 'Another' }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'title']],
      });
      const unset = await change(moving.media_key, { title: '', description: '', poster_media_key: '' });
      expect(unset.body.data).toMatchObject({
        title: null,
        description: null,
        poster_media_key: moving.poster_media_key,
        poster_media_url: moving.poster_media_url,
      });
    });
  });

  describe('changing and deleting', () => {
    it('takes back what was shown, and leaves it as it is', async () => {
      for (const category of ['POST_IMAGE', 'POST_VIDEO', 'POST_GIF'] as const) {
        const before = await added(category, {
          name: 'A name',
          ...(category === 'POST_VIDEO' && { title: 'A title' }),
        });
        const { status, body } = await change(before.media_key, before as Params);
        expect({ status, data: body.data }).toEqual({ status: 200, data: before });
      }
    });

    it('unsets what is empty', async () => {
      const { media_key } = await added('POST_VIDEO', { name: 'n', title: 't', description: 'd', file_name: 'f' });
      const { body } = await change(media_key, { name: '', title: '', description: '', file_name: '' });
      expect(body.data).toMatchObject({ name: null, title: null, description: null, file_name: '' });
      const read = await advertiser.api.get(path(media_key));
      expect(read.body.data.file_name).toBe('');
      const again = await change(media_key, read.body.data as Params);
      expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: read.body.data });
    });

    it('deletes softly, once', async () => {
      const { media_key } = await added('POST_IMAGE');
      const gone = await advertiser.api.delete(path(media_key));
      expect({ status: gone.status, data: gone.body.data }).toMatchObject({
        status: 200,
        data: { media_key, deleted: true },
      });
      const unknown = { status: 404, errors: [['NOT_FOUND', 'media_key']] };
      expect(refusal(await advertiser.api.delete(path(media_key)))).toEqual(unknown);
      expect(refusal(await advertiser.api.get(path(media_key)))).toEqual(unknown);
      expect(refusal(await change(media_key, { name: 'x' }))).toEqual(unknown);
      expect((await advertiser.api.get(path(media_key), { query: { with_deleted: true } })).body.data).toMatchObject({
        deleted: true,
      });
      const other = await given.advertiser();
      expect(refusal(await other.api.get(path(media_key, other.account)))).toEqual(unknown);
    });

    it('is for roles that make creatives', async () => {
      const { media_key } = await added('POST_IMAGE');
      const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      expect((await analyst.api.get(path(media_key))).status).toBe(200);
      for (const answer of [
        await analyst.api.put(path(media_key), { query: { name: 'x' } }),
        await analyst.api.delete(path(media_key)),
        await analyst.api.post(path(), { query: { media_key } }),
      ]) {
        expect(refusal(answer)).toEqual({ status: 403, errors: [['ACTION_NOT_ALLOWED', undefined]] });
      }
    });

    it('is recorded', async () => {
      const { media_key } = await added('AMPLIFY_VIDEO');
      await change(media_key, { name: 'Named' });
      await advertiser.api.delete(path(media_key));
      const rows = await world().sql<Json>(
        `SELECT "entityType" AS entity, "changeType" AS type FROM account_changes WHERE "accountId" = $1 AND "entityType" IN ('LIBRARY_MEDIA', 'ACCOUNT_MEDIA') ORDER BY id`,
        advertiser.account.id,
      );
      expect(rows.map(({ entity, type }) => `${entity} ${type}`).sort()).toEqual([
        'ACCOUNT_MEDIA CREATE',
        'LIBRARY_MEDIA CREATE',
        'LIBRARY_MEDIA DELETE',
        'LIBRARY_MEDIA UPDATE',
      ]);
    });
  });

  describe('finding', () => {
    it('takes words of four fields, all of them, whatever their case, newest first', async () => {
      const first = await added('POST_VIDEO', {
        name: 'Zebra',
        title: 'Autumn Beans',
        file_name: 'IMG_0042.mp4',
        description: 'ＦＵＬＬ bloom',
      });
      const second = await added('POST_IMAGE', { name: 'autumn leaves' });
      const find = async (q: string) => keysOf(await list({ q }));
      expect(await find('AUTUMN')).toEqual([second.media_key, first.media_key]);
      expect(await find('beans autumn')).toEqual([first.media_key]);
      expect(await find('0042')).toEqual([first.media_key]);
      expect(await find('full-bloom zebra')).toEqual([first.media_key]);
      for (const nothing of ['aut', 'autumn winter', '%', '-', "'", advertiser.account.id])
        expect(await find(nothing)).toEqual([]);
      await change(first.media_key, { title: 'Winter' });
      expect(await find('autumn')).toEqual([second.media_key]);
      expect(await find('winter')).toEqual([first.media_key]);
      const paged = await advertiser.api.get(path(), { query: { q: 'autumn', count: 1 } });
      expect(paged.body.next_cursor).toBeNull();
      for (const q of ['', 'x'.repeat(256)])
        expect(refusal(await advertiser.api.get(path(), { query: { q } }))).toEqual({
          status: 400,
          errors: [['INVALID_PARAMETER', 'q']],
        });
      const other = await given.advertiser();
      expect((await other.api.get(path('', other.account), { query: { q: 'autumn' } })).body.data).toEqual([]);
    });

    it('takes a type', async () => {
      const made = {
        IMAGE: await added('POST_IMAGE'),
        GIF: await added('POST_GIF'),
        VIDEO: await added('AMPLIFY_VIDEO'),
      };
      for (const [media_type, { media_key }] of Object.entries(made))
        expect(keysOf(await list({ media_type }))).toEqual([media_key]);
      expect(refusal(await advertiser.api.get(path(), { query: { media_type: 'AUDIO' } }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'media_type']],
      });
    });

    it('asks the index of words', async () => {
      const [{ plan }] = await world().sql<{ plan: string }>(
        `SELECT string_agg(indexdef, ' ') AS plan FROM pg_indexes WHERE indexname = 'library_media_terms'`,
      );
      expect(plan).toContain('USING gin');
    });
  });

  describe('account media', () => {
    const TYPES: [MediaCategory, number, number][] = [
      ['AMPLIFY_VIDEO', 640, 360],
      ['POST_IMAGE', 320, 50],
      ['POST_IMAGE', 300, 250],
    ];
    const make = async (account: Advertiser['account'], n: number) => {
      const [category, width, height] = TYPES[n % TYPES.length];
      const { mediaId, mediaKey } = await given.libraryMedia(account, { category, width, height });
      await world().sql(`DELETE FROM library_media WHERE "mediaId" = $1`, mediaId);
      await world()
        .get(MediaLibraryService)
        .add(account, Parsed.complete({ media_key: mediaKey }));
      const [{ id }] = await world().sql<{ id: string }>(
        `SELECT id FROM account_media WHERE "mediaKey" = $1`,
        mediaKey,
      );
      return { id };
    };

    listConventions({
      path: (account) => accountMedia('', account as never),
      make,
      remove: ({ account }, id) => world().get(AccountMediaService).delete(account, id),
      view: AccountMediaView,
      entity: AccountMedia,
      idsFilter: 'account_media_ids',
    });

    it('are made by adding to the library', async () => {
      const video = await added('AMPLIFY_VIDEO');
      const { body } = await add({ media_key: await uploaded('POST_IMAGE', {}, { bytes: await jpeg(728, 90) }) });
      await added('POST_IMAGE');
      const { data } = (await advertiser.api.get(accountMedia())).body as { data: Json[] };
      expect(data.map(({ creative_type, video_id, media_url }) => ({ creative_type, video_id, media_url }))).toEqual([
        { creative_type: 'BANNER_TABLET', video_id: null, media_url: body.data.media_url },
        { creative_type: 'PREROLL', video_id: video.media_key, media_url: null },
      ]);
      const [banner] = data;
      expect((await advertiser.api.get(accountMedia(banner.id))).body.data).toEqual(banner);
      const some = await advertiser.api.get(accountMedia(), { query: { creative_types: 'PREROLL,BANNER' } });
      expect(some.body.data.map((each: Json) => each.video_id)).toEqual([video.media_key]);
      expect(refusal(await advertiser.api.get(accountMedia(), { query: { creative_types: 'SKYSCRAPER' } }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'creative_types']],
      });
    });

    it('are deleted softly, and leave the library as it is', async () => {
      const { media_key } = await added('AMPLIFY_VIDEO');
      const [{ id }] = (await advertiser.api.get(accountMedia())).body.data as Json[];
      expect((await advertiser.api.delete(accountMedia(id))).body.data).toMatchObject({ id, deleted: true });
      expect(refusal(await advertiser.api.delete(accountMedia(id)))).toEqual({
        status: 404,
        errors: [['NOT_FOUND', 'account_media_id']],
      });
      expect(keysOf(await list())).toEqual([media_key]);
      expect((await advertiser.api.get(accountMedia(id), { query: { with_deleted: true } })).body.data).toMatchObject({
        deleted: true,
      });
    });
  });
});
