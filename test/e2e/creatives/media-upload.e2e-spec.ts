import { createHash } from 'node:crypto';
import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/api.js';
import { given, type Client } from '../../support/given.js';
import { send } from '../../support/http.js';
import { bmp, gif, jpeg, mp4, noise, png, webp } from '../../support/media/files.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';

useApp({ FFMPEG: 'none' });

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
        expires_after_secs: 86_400,
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
        body: expect.objectContaining({ ...found, media_key: `${prefix}_${body.media_id_string}`, size: file.length }),
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
    const { status } = await sendMultipart(client, {}, await png(), { path: '/1.1/media/upload' });
    expect(status).toBe(200);
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
        'Expected a value in amplify_video, post_gif, post_image, post_video, got "post_sticker" for media_category',
      ],
      [
        { media_category: 'post_gif' },
        await png(),
        400,
        'media is a png file, which media_category post_gif does not take; post_image does',
      ],
      [
        { media_category: 'post_image' },
        await gif(),
        400,
        'media is a gif file, which media_category post_image does not take; post_gif does',
      ],
      [
        { media_category: 'post_image' },
        await mp4(),
        400,
        'media is a mp4 file, which media_category post_image does not take; post_video or amplify_video does',
      ],
      [
        { media_category: 'post_video' },
        await mp4({ seconds: 0.3 }),
        400,
        'media is a video of 0.3 seconds; 0.5 to 140 are taken',
      ],
      [
        { media_category: 'post_video' },
        await mp4({ seconds: 141 }),
        400,
        'media is a video of 141 seconds; 0.5 to 140 are taken',
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
    expect(refused(await sendMultipart(gone, {}, await png()))).toMatchObject({ status: 401, errors: [{ code: 89 }] });
    const nobody = await send(world().url, UPLOAD, { method: 'POST' });
    expect(refused(nobody)).toMatchObject({ status: 400, errors: [{ code: 215 }] });
    const wrong = {
      ...client,
      credentials: { ...client.credentials, token: { ...client.credentials.token, secret: 'x'.repeat(40) } },
    };
    expect(refused(await sendMultipart(wrong, {}, await png()))).toMatchObject({ status: 401, errors: [{ code: 32 }] });
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
