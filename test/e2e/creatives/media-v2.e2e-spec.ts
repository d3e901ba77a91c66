import { useApp, world } from '../../support/app.js';
import { anonymously, authorization } from '../../support/api.js';
import { given, type Client } from '../../support/given.js';
import { send, type Answer, type Json } from '../../support/http.js';
import { jpeg, mp4 } from '../../support/media/files.js';
import { sendMultipart } from '../../support/media/upload.js';
import { pathIn } from './previewed.js';

const PATH = '/2/media/upload';

describe('media upload v2', () => {
  useApp({ FFMPEG: 'none' });

  let client: Client;
  beforeEach(async () => {
    client = await given.client();
  });

  function json(path: string, body: unknown, by = client): Promise<Answer> {
    const { url } = world();
    return send(url, path, {
      method: 'POST',
      headers: {
        authorization: authorization(by.credentials, 'POST', `${url}${path}`),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  }
  const refusal = ({ status, body }: Answer) => [status, body.errors?.map(({ message }: Json) => message as string)];
  const statusOf = (media_id: string, by = client) => by.api.get(PATH, { query: { command: 'STATUS', media_id } });
  const halves = (file: Buffer) => [
    file.subarray(0, Math.ceil(file.length / 2)),
    file.subarray(Math.ceil(file.length / 2)),
  ];

  it('takes a file in one request, in parts or in JSON', async () => {
    const file = await jpeg(900, 600);
    const expected = {
      size: file.length,
      expires_after_secs: expect.closeTo(86_400, -2),
      image: { image_type: 'image/jpeg', w: 900, h: 600 },
    };
    const whole = await sendMultipart(client, { media_category: 'post_image' }, file, { path: PATH });
    const { id } = whole.body.data;
    expect(whole).toMatchObject({ status: 200, body: { data: { id, media_key: `3_${id}`, ...expected } } });
    const inJson = await json(PATH, { media: file.toString('base64'), media_category: 'post_image' });
    expect(inJson).toMatchObject({ status: 200, body: { data: expected } });
    expect(Object.keys(inJson.body.data)).not.toContain('media_id');
  });

  it('takes a video in segments of both kinds, which a library then has', async () => {
    const advertiser = await given.advertiser();
    const file = await mp4({ seconds: 200 });
    const about = { media_type: 'video/mp4', total_bytes: file.length, media_category: 'amplify_video' };
    const begun = await json(`${PATH}/initialize`, about, advertiser);
    const { id, media_key } = begun.body.data;
    expect(begun).toMatchObject({
      status: 200,
      body: { data: { media_key: `13_${id}`, expires_after_secs: expect.closeTo(86_400, -2) } },
    });
    const [first, second] = halves(file);
    const path = `${PATH}/${id}/append`;
    const later = await json(path, { media: second.toString('base64'), segment_index: 1 }, advertiser);
    const sooner = await sendMultipart(advertiser, { segment_index: 0 }, first, { path });
    const inADay = Date.now() / 1_000 + 86_400;
    for (const { status, body } of [later, sooner]) {
      expect({ status, body }).toEqual({ status: 200, body: { data: { expires_at: expect.any(Number) } } });
      expect(Math.abs(body.data.expires_at - inADay)).toBeLessThan(60);
    }
    expect(refusal(await statusOf(id, advertiser))).toEqual([400, [expect.stringContaining('is not finished')]]);
    const finished = await advertiser.api.post(`${PATH}/${id}/finalize`);
    const whole = { id, media_key, size: file.length, processing_info: { state: 'succeeded' } };
    expect(finished).toMatchObject({ status: 200, body: { data: whole } });
    expect(await statusOf(id, advertiser)).toMatchObject({ status: 200, body: { data: whole } });
    const library = await advertiser.api.post(`/12/accounts/${advertiser.account.id}/media_library`, {
      form: { media_key },
    });
    expect(library).toMatchObject({ status: 201, body: { data: { media_key } } });
  });

  it('returns uploads by their keys, with the fields that are asked for', async () => {
    const uploaded = async (media_category: string, file: Buffer) =>
      (await sendMultipart(client, { media_category }, file, { path: PATH })).body.data.media_key as string;
    const image = await uploaded('post_image', await jpeg(900, 600));
    const video = await uploaded('post_video', await mp4({ seconds: 2 }));
    await json('/2/media/metadata', { id: image.slice(2), metadata: { alt_text: { text: 'A cup' } } });
    const keys = `${video},${image}`;
    expect((await client.api.get('/2/media', { query: { media_keys: keys } })).body).toEqual({
      data: [
        { media_key: video, type: 'video' },
        { media_key: image, type: 'photo' },
      ],
      meta: { result_count: 2 },
    });
    const fields = 'alt_text,duration_ms,height,width,url,variants,preview_image_url,public_metrics';
    const all = await client.api.get('/2/media', { query: { media_keys: keys, 'media.fields': fields } });
    expect(all.headers['x-marquee-hint']).toContain('public_metrics of media.fields were ignored');
    const [shownVideo, shownImage] = all.body.data as [Json, Json];
    expect(shownVideo).toMatchObject({
      duration_ms: expect.any(Number),
      preview_image_url: expect.stringMatching(/\.jpg$/),
      variants: [{ bit_rate: expect.any(Number), content_type: 'video/mp4', url: expect.stringMatching(/\.mp4$/) }],
    });
    expect(shownVideo.url).toBeUndefined();
    expect(shownImage).toEqual({
      ...{ media_key: image, type: 'photo', height: 600, width: 900, alt_text: 'A cup' },
      url: expect.any(String),
    });
    expect((await send(world().url, new URL(shownImage.url).pathname, { method: 'GET' })).status).toBe(200);
    const one = await client.api.get(`/2/media/${image}`, { query: { 'media.fields': 'width' } });
    expect(one.body).toEqual({ data: { media_key: image, type: 'photo', width: 900 } });
  });

  it('returns to nobody else what is not theirs, and names each key', async () => {
    const stranger = await given.client();
    const about = { media_category: 'post_image', additional_owners: stranger.user.id };
    const shared = await sendMultipart(client, about, await jpeg(300, 200), { path: PATH });
    const own = await sendMultipart(client, { media_category: 'post_image' }, await jpeg(320, 200), { path: PATH });
    const [theirs, key] = [shared, own].map(({ body }) => body.data.media_key as string);
    expect((await stranger.api.get(`/2/media/${theirs}`)).status).toBe(200);
    expect((await stranger.api.get(`/2/media/${key}`)).status).toBe(404);
    const some = await stranger.api.get('/2/media', { query: { media_keys: `${theirs},${key},3_1` } });
    expect(some).toMatchObject({
      status: 404,
      body: {
        type: expect.stringContaining('resource-not-found'),
        errors: [
          { code: 325, parameters: { media_keys: [key] } },
          { code: 325, parameters: { media_keys: ['3_1'] } },
        ],
      },
    });
    // the key of an image names no video
    expect((await client.api.get(`/2/media/7_${key.slice(2)}`)).status).toBe(404);
  });

  it('takes the commands of older clients', async () => {
    const file = await jpeg(300, 200);
    const command = (fields: Record<string, string | number>, part?: Buffer) =>
      sendMultipart(client, fields, part, { path: PATH });
    const about = { media_type: 'image/jpeg', total_bytes: file.length, media_category: 'post_image' };
    const { id } = (await command({ command: 'INIT', ...about })).body.data;
    const appended = await command({ command: 'APPEND', media_id: id, segment_index: 0 }, file);
    expect(appended).toMatchObject({ status: 200, body: { data: { id } } });
    const finished = await command({ command: 'FINALIZE', media_id: id });
    expect(finished).toMatchObject({ status: 200, body: { data: { id, image: { w: 300, h: 200 } } } });
    const old = await client.api.post('/1.1/media/upload.json', { form: { command: 'FINALIZE', media_id: id } });
    expect(old.body).toMatchObject({ media_id_string: id });
  });

  it('takes segments of 5 MiB in JSON, and none that are larger', async () => {
    const size = 5 * 1024 * 1024;
    const { id } = (await json(`${PATH}/initialize`, { media_type: 'video/mp4', total_bytes: 2 * size })).body.data;
    const append = (bytes: number) =>
      json(`${PATH}/${id}/append`, { media: Buffer.alloc(bytes).toString('base64'), segment_index: 0 });
    expect((await append(size)).status).toBe(200);
    expect((await append(size + 1)).status).toBe(413);
    expect((await append(size * 2)).status).toBe(413);
  });

  it('stores what the uploader says of a file, and previews show it', async () => {
    const advertiser = await given.advertiser();
    const file = await jpeg(300, 200);
    const { id, media_key } = (await sendMultipart(advertiser, { media_category: 'post_image' }, file, { path: PATH }))
      .body.data;
    const describe = (metadata: Json, by = advertiser as Client) => json('/2/media/metadata', { id, metadata }, by);
    const said = { alt_text: { text: 'A cup of coffee' } };
    expect(await describe(said)).toMatchObject({ status: 200, body: { data: { id, associated_metadata: said } } });
    const more = { allow_download_status: { allow_download: false } };
    const all = { id, associated_metadata: { ...said, ...more } };
    expect((await describe(more)).body).toEqual({ data: all });
    const account = `/12/accounts/${advertiser.account.id}`;
    await advertiser.api.post(`${account}/media_library`, { form: { media_key } });
    const form = { as_user_id: advertiser.user.id, text: 'Coffee', media_keys: media_key };
    const post = await advertiser.api.post(`${account}/post`, { form });
    expect(post).toMatchObject({ status: 201 });
    const previews = await advertiser.api.get(`${account}/post_previews`, {
      query: { post_ids: post.body.data.id, post_type: 'PUBLISHED' },
    });
    const page = await anonymously('GET', pathIn(previews.body.data[0].preview as string));
    expect(page.text).toContain('alt="A cup of coffee"');
    for (const metadata of [{ alt_text: 'words' }, { alt_text: { text: ' ' } }, { alt_text: {} }, 17])
      expect((await describe(metadata)).status).toBe(400);
    expect(refusal(await describe({ alt_text: { text: 'x'.repeat(1_001) } }))).toEqual([
      400,
      [expect.stringContaining('metadata.alt_text.text')],
    ]);
    expect((await describe(said, client)).status).toBe(400);
  });

  it('rejects bad input and names the field', async () => {
    const file = await jpeg(300, 200);
    expect(refusal(await sendMultipart(client, {}, file, { path: PATH }))).toEqual([
      400,
      ['"media_category" is a required parameter'],
    ]);
    expect(refusal(await json(PATH, { media_category: 'post_image' }))).toEqual([
      400,
      ['"media" is a required parameter'],
    ]);
    for (const media of ['no base64!', 17, { a: 1 }])
      expect(refusal(await json(PATH, { media, media_category: 'post_image' }))).toEqual([
        400,
        ['Expected base64 for media'],
      ]);
    expect(refusal(await json(PATH, []))).toEqual([400, ['The body must be a JSON object']]);
    expect(refusal(await json(`${PATH}/initialize`, {}))).toEqual([
      400,
      ['"total_bytes" is a required parameter', '"media_type" is a required parameter'],
    ]);
    const { id } = (await json(`${PATH}/initialize`, { media_type: 'video/mp4', total_bytes: 9 })).body.data;
    expect(refusal(await json(`${PATH}/${id}/append`, { media: 'AAAA' }))).toEqual([
      400,
      ['"segment_index" is a required parameter'],
    ]);
    expect(refusal(await json(`${PATH}/${id}/append`, { segment_index: 0 }))).toEqual([
      400,
      ['"media" is a required parameter'],
    ]);
    expect(refusal(await client.api.post(`${PATH}/${id}/finalize`))[0]).toBe(400);
    for (const unknown of ['1790000000000001', 'x'])
      expect((await json(`${PATH}/${unknown}/append`, { media: 'AAAA', segment_index: 0 })).status).toBe(400);
  });

  it('knows nothing of the uploads of others', async () => {
    const other = await given.client();
    const { id } = (await json(`${PATH}/initialize`, { media_type: 'video/mp4', total_bytes: 9 })).body.data;
    const unknown = await statusOf('1790000000000001', other);
    const asked = await statusOf(id, other);
    expect([asked.status, asked.body.errors[0].code]).toEqual([unknown.status, unknown.body.errors[0].code]);
    const append = await json(`${PATH}/${id}/append`, { media: 'AAAA', segment_index: 0 }, other);
    expect(append.status).toBe(asked.status);
  });
});
