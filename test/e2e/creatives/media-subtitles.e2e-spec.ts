import { DataSource } from 'typeorm';
import { CreativesExport } from '../../../src/creatives/creatives-export.service.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { MediaUploadsService } from '../../../src/creatives/media-upload/media-uploads.service.js';
import { useApp, world } from '../../support/app.js';
import { authorization } from '../../support/api.js';
import { given, type Client } from '../../support/given.js';
import { send, type Answer, type Json } from '../../support/http.js';
import { jpeg, mp4 } from '../../support/media/files.js';
import { sendMultipart } from '../../support/media/upload.js';
import { asBearer, connect, oauth2App } from '../auth/oauth2-client.js';

const UPLOAD = '/2/media/upload';
const PATH = '/2/media/subtitles';
const VTT = Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.500\nHello\n');
const SRT = Buffer.from('\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\nHallo\r\n');

describe('subtitles of videos', () => {
  useApp({ FFMPEG: 'none', TRUST_PROXY: '127.0.0.1' });

  let client: Client;
  let film: Buffer;
  let video: string;
  beforeAll(async () => {
    film = await mp4({ seconds: 3 });
  });
  beforeEach(async () => {
    client = await given.client();
    video = await uploaded(film, 'post_video');
  });

  async function uploaded(file: Buffer, media_category: string, by = client): Promise<string> {
    const answer = await sendMultipart(by, { media_category }, file, { path: UPLOAD });
    expect(answer.status).toBe(200);
    return answer.body.data.id;
  }

  function json(method: string, path: string, body: unknown, by = client, others = {}): Promise<Answer> {
    const { url } = world();
    return send(url, path, {
      method,
      headers: {
        authorization: authorization(by.credentials, method, `${url}${path}`),
        'content-type': 'application/json',
        ...others,
      },
      body: JSON.stringify(body),
    });
  }
  const named = (language_code: string) => ({ language_code, display_name: `In ${language_code}` });
  const add = (file: string, language_code = 'EN', rest: Json = {}, by = client) =>
    json(
      'POST',
      PATH,
      { id: video, media_category: 'PostVideo', subtitles: { id: file, ...named(language_code) }, ...rest },
      by,
    );
  const remove = (language_code: string, rest: Json = {}, by = client) =>
    json('DELETE', PATH, { id: video, media_category: 'PostVideo', language_code, ...rest }, by);
  it('are WebVTT for browsers, and what they are for everybody else', async () => {
    const [vtt, srt] = [await uploaded(VTT, 'subtitles'), await uploaded(SRT, 'subtitles')];
    const fileOf = async (id: string) =>
      (await world().sql<{ file: string }>('SELECT file FROM media WHERE id = $1', id))[0].file;
    const get = (file: string, headers = {}) => send(world().url, `/media/${file}`, { method: 'GET', headers });
    const [vttFile, srtFile] = [await fileOf(vtt), await fileOf(srt)];
    expect((await get(srtFile)).text).toBe(SRT.toString());
    const track = srtFile.replace(/srt$/, 'vtt');
    const answer = await get(track);
    expect([answer.status, answer.text]).toEqual([200, 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHallo\n']);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/vtt', 'access-control-allow-origin': '*' });
    expect((await get(track, { 'if-none-match': answer.headers.etag })).status).toBe(304);
    expect((await get(track, { range: 'bytes=0-5' })).text).toBe('WEBVTT');
    expect((await get(vttFile)).text).toBe(VTT.toString());
    expect((await get(vttFile.replace(/vtt$/, 'srt'))).status).toBe(404);
    await world().sql('UPDATE media SET "deletedAt" = now() WHERE id = $1', srt);
    expect((await get(track)).status).toBe(404);
  });

  const refusal = ({ status, body }: Answer) => [status, body.errors?.map(({ message }: Json) => message as string)];
  const languages = async (id = video) =>
    (
      await world().sql<{ languageCode: string }>(
        'SELECT "languageCode" FROM media_subtitles WHERE "mediaId" = $1 ORDER BY 1',
        id,
      )
    ).map(({ languageCode }) => languageCode);
  const expiryOf = async (id: string) =>
    (await world().sql<{ expiresAt: string | null }>('SELECT "expiresAt" FROM media WHERE id = $1', id))[0]?.expiresAt;
  const removeExpired = () => world().get(ExpiredMediaJob).removeExpired();
  const inADay = () => world().clock.advance(24 * 3_600_000 + 1_000);

  it('are added by language, replaced and removed', async () => {
    const [vtt, srt, later] = [
      await uploaded(VTT, 'subtitles'),
      await uploaded(SRT, 'subtitles'),
      await uploaded(VTT, 'subtitles'),
    ];
    const first = await add(vtt);
    const english = { id: vtt, ...named('EN') };
    const german = { id: srt, ...named('DE') };
    const data = { id: video, media_category: 'PostVideo' };
    expect([first.status, first.body]).toEqual([200, { data: { ...data, associated_subtitles: [english] } }]);
    expect((await add(srt, 'DE')).body.data.associated_subtitles).toEqual([german, english]);
    expect((await add(vtt)).body.data.associated_subtitles).toEqual([german, english]);
    const status = { query: { command: 'STATUS', media_id: video } };
    expect((await client.api.get(UPLOAD, status)).body.data.associated_subtitles).toEqual([german, english]);
    expect((await client.api.get('/1.1/media/upload', status)).body.associated_subtitles).toEqual([german, english]);
    expect(await expiryOf(vtt)).toBeNull();

    const replaced = await add(later);
    expect(replaced.body.data.associated_subtitles).toEqual([german, { id: later, ...named('EN') }]);
    expect(await expiryOf(vtt)).not.toBeNull();
    const removed = await remove('DE');
    expect([removed.status, removed.body]).toEqual([200, { data: { deleted: true } }]);
    expect(await languages()).toEqual(['EN']);
    expect(refusal(await remove('DE'))).toEqual([
      400,
      [`id ${video} has no subtitles for language_code "DE"; it has EN`],
    ]);
    expect((await remove('EN')).status).toBe(200);
    expect((await client.api.get(UPLOAD, status)).body.data).not.toHaveProperty('associated_subtitles');
  });

  it('answer older clients', async () => {
    const files = [await uploaded(VTT, 'Subtitles'), await uploaded(SRT, 'Subtitles')];
    const about = (subtitles: Json[]) => ({
      media_id: video,
      media_category: 'post_video',
      subtitle_info: { subtitles },
    });
    const create = (subtitles: Json[]) => json('POST', '/1.1/media/subtitles/create.json', about(subtitles));
    const both = files.map((media_id, i) => ({ media_id, ...named(['en', 'de'][i]) }));
    const created = await create(both);
    expect([created.status, created.text]).toEqual([200, '']);
    expect(await languages()).toEqual(['DE', 'EN']);
    const twice = { media_id: files[0], ...named('En') };
    expect(refusal(await create([...both, twice]))).toEqual([400, [expect.stringContaining('"EN" is repeated')]]);
    expect(refusal(await create([{ media_id: '1', ...named('en') }]))).toEqual([
      400,
      [expect.stringContaining('subtitle_info.subtitles[0].media_id 1 was not found')],
    ]);
    expect((await create([])).status).toBe(400);
    const key = { 'idempotency-key': 'gone' };
    const removeOf = (language_code: string) =>
      json('POST', '/1.1/media/subtitles/delete.json', about([{ language_code }]), client, key);
    const gone = await removeOf('de');
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await removeOf('en')).status).toBe(422);
    expect(await languages()).toEqual(['EN']);
  });

  it('are SRT or WebVTT in UTF-8, and not large', async () => {
    const send = (file: Buffer) => sendMultipart(client, { media_category: 'subtitles' }, file, { path: UPLOAD });
    const cases: [Buffer, string][] = [
      [Buffer.from('Hello'), 'is not SRT: expected times'],
      [Buffer.from('WEBVTT\n\nHello'), 'is not WebVTT'],
      [Buffer.from('1\n00:00:01,000 --> 00:00:02,500\nHéllo', 'latin1'), 'UTF-8'],
      [Buffer.from(SRT.toString(), 'utf16le'), 'UTF-8'],
      [await jpeg(300, 200), 'media_category subtitles does not allow'],
      [film, 'media_category subtitles does not allow'],
      [Buffer.from('%PDF-1.7 text'), 'application/pdf'],
    ];
    for (const [file, problem] of cases)
      expect(refusal(await send(file))).toEqual([400, [expect.stringContaining(problem)]]);
    expect((await send(Buffer.concat([VTT, Buffer.alloc(1024 * 1024, 'a')]))).status).toBe(413);
    const about = { media_type: 'text/vtt', media_category: 'subtitles' };
    expect((await json('POST', `${UPLOAD}/initialize`, { ...about, total_bytes: 1024 * 1024 + 1 })).status).toBe(400);
    for (const category of ['post_image', 'post_video'])
      expect((await sendMultipart(client, { media_category: category }, VTT, { path: UPLOAD })).status).toBe(400);
  });

  it('may be uploaded in segments', async () => {
    const about = { media_type: 'text/srt', media_category: 'subtitles', total_bytes: SRT.length };
    const { id } = (await json('POST', `${UPLOAD}/initialize`, about)).body.data;
    const [first, second] = [SRT.subarray(0, 9), SRT.subarray(9)];
    for (const [segment_index, part] of [first, second].entries())
      await json('POST', `${UPLOAD}/${id}/append`, { media: part.toString('base64'), segment_index });
    expect((await add(id)).status).toBe(400);
    const finished = await client.api.post(`${UPLOAD}/${id}/finalize`);
    expect(finished).toMatchObject({ status: 200, body: { data: { id, processing_info: { state: 'succeeded' } } } });
    expect(finished.body.data).not.toHaveProperty('media_key');
    expect((await add(id)).status).toBe(200);
    const { file } = (await world().sql<{ file: string }>('SELECT file FROM media WHERE id = $1', id))[0];
    const served = await fetch(`${world().url}/media/${file}`);
    expect([served.headers.get('content-type'), Buffer.from(await served.arrayBuffer())]).toEqual(['text/srt', SRT]);
  });

  it('belong to a video and a file of the same user', async () => {
    const other = await given.client();
    const [mine, theirs] = [await uploaded(VTT, 'subtitles'), await uploaded(VTT, 'subtitles', other)];
    const picture = await uploaded(await jpeg(300, 200), 'post_image');
    const inStream = await uploaded(film, 'amplify_video');
    const unknown = '1790000000000001';
    const found = (parameter: string, id: string) => `${parameter} ${id} was not found: it is not yours, or it expired`;
    const cases: [Answer, string][] = [
      [await add(mine, 'EN', { id: unknown }), found('id', unknown)],
      [await add(mine, 'EN', {}, other), found('id', video)],
      [await add(theirs), found('subtitles.id', theirs)],
      [await add(unknown), found('subtitles.id', unknown)],
      [await add(picture), 'was uploaded with media_category subtitles'],
      [await add(video), found('subtitles.id', video)],
      [await add(mine, 'EN', { id: picture }), 'only videos have subtitles'],
      [await add(mine, 'EN', { id: mine }), found('id', mine)],
      [await add(mine, 'EN', { media_category: 'AmplifyVideo' }), 'Expected "PostVideo" for media_category'],
      [await add(mine, 'EN', { id: inStream }), 'Expected "AmplifyVideo" for media_category'],
      [await add(mine, 'EN', { media_category: 'PostImage' }), 'media_category'],
      [await add(mine, 'en'), 'subtitles.language_code'],
      [await add(mine, 'ENG'), 'subtitles.language_code'],
      [await add(mine, 'EN', { subtitles: [] }), 'subtitles'],
      [await add(mine, 'EN', { subtitles: { id: mine, language_code: 'EN', display_name: ' ' } }), 'display_name'],
      [await add(mine, 'EN', { subtitles: { id: mine, language_code: 'EN', display_name: 'x'.repeat(101) } }), '100'],
      [await remove('EN'), 'it has none'],
      [await remove('EN', {}, other), found('id', video)],
    ];
    for (const [answer, problem] of cases)
      expect(refusal(answer)).toEqual([400, expect.arrayContaining([expect.stringContaining(problem)])]);
    expect(await languages()).toEqual([]);
    expect((await add(mine, 'EN', { id: inStream, media_category: 'AmplifyVideo' })).status).toBe(200);
    expect((await add(mine)).status).toBe(200);
    await world().sql('DELETE FROM media_subtitles');
  });

  it('are for tokens with media.write', async () => {
    const app = await oauth2App();
    const { tokens, user } = await connect(app, 'media.write');
    const about = { media_category: 'subtitles' };
    const take = (about: Json, file: Buffer) => world().get(MediaUploadsService).take({ userId: user.id }, about, file);
    const { id } = await take({ media_category: 'post_video' }, film);
    const body = { id, media_category: 'PostVideo', subtitles: { id: (await take(about, VTT)).id, ...named('EN') } };
    const metadata = { id, metadata: { allow_download_status: { allow_download: true } } };
    const call = (token: string) => [
      () => asBearer(token, 'POST', PATH, { json: body }),
      () => asBearer(token, 'DELETE', PATH, { json: { ...body, language_code: 'EN' } }),
      () => asBearer(token, 'POST', '/2/media/metadata', { json: metadata }),
    ];
    for (const ask of call(tokens.access_token)) expect((await ask()).status).toBe(200);
    const reader = await connect(app, 'ads.read ads.write');
    for (const ask of call(reader.tokens.access_token)) expect((await ask()).status).toBe(403);
  });

  it('have at most 50 languages, also of concurrent requests', async () => {
    const file = await uploaded(VTT, 'subtitles');
    await world().sql(
      `INSERT INTO media_subtitles SELECT $1, 'A' || chr(64 + (n % 26) + 1), $2, 'x' FROM generate_series(0, 23) n
        UNION ALL SELECT $1, 'B' || chr(64 + n), $2, 'x' FROM generate_series(1, 24) n`,
      video,
      file,
    );
    const answers = await Promise.all(['EN', 'DE', 'FR', 'ES'].map((code) => add(file, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400]);
    expect(refusal(answers.find(({ status }) => status === 400)!)[1][0]).toContain('at most 50 languages');
    expect(await languages()).toHaveLength(50);
    expect((await add(file, 'AA')).status).toBe(200);
  });

  it('live as long as a video has them', async () => {
    const [shared, own, unused] = await Promise.all([0, 1, 2].map(() => uploaded(VTT, 'subtitles')));
    const second = await uploaded(film, 'post_video');
    await add(shared);
    await add(own, 'DE');
    await add(shared, 'EN', { id: second });
    await world().sql(`UPDATE media SET "expiresAt" = NULL WHERE id = $1`, second);
    inADay();
    await removeExpired();
    await removeExpired();
    expect(await expiryOf(video)).toBeUndefined();
    expect(await expiryOf(own)).toBeUndefined();
    expect(await expiryOf(unused)).toBeUndefined();
    expect(await expiryOf(shared)).toBeNull();
    expect([await languages(), await languages(second)]).toEqual([[], ['EN']]);
    expect((await remove('EN', { id: second })).status).toBe(200);
    world().clock.advance(23 * 3_600_000);
    await removeExpired();
    expect(await expiryOf(shared)).toEqual(expect.anything());
    inADay();
    await removeExpired();
    expect(await expiryOf(shared)).toBeUndefined();
    expect(await expiryOf(second)).toBeNull();
  });

  it('are those of one request of many for the same language, and nothing is left over', async () => {
    const files = await Promise.all(Array.from({ length: 6 }, () => uploaded(VTT, 'subtitles')));
    const answers = await Promise.all([
      ...files.map((file) => add(file)),
      ...files.map((file) => add(file, 'DE')),
      remove('EN'),
      remove('DE'),
    ]);
    for (const { status } of answers) expect([200, 400]).toContain(status);
    const kept = await world().sql<{ fileId: string }>(
      'SELECT "fileId" FROM media_subtitles WHERE "mediaId" = $1',
      video,
    );
    for (const file of files) {
      const isKept = kept.some(({ fileId }) => fileId === file);
      expect({ file, hasExpiry: (await expiryOf(file)) !== null }).toEqual({ file, hasExpiry: !isKept });
    }
  });

  it('race with their expiry: one of them wins', async () => {
    for (let round = 0; round < 8; round++) {
      const file = await uploaded(VTT, 'subtitles');
      await world().sql(`UPDATE media SET "expiresAt" = now() + interval '40 milliseconds' WHERE id = $1`, file);
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 3));
      const [{ status }] = await Promise.all([add(file), removeExpired()]);
      await new Promise((resolve) => setTimeout(resolve, 60));
      await removeExpired();
      expect({ status, expiry: await expiryOf(file) }).toEqual(
        status === 200 ? { status, expiry: null } : { status: 400, expiry: undefined },
      );
    }
  });

  it('are in the export of their user, and go with the user', async () => {
    const file = await uploaded(VTT, 'subtitles');
    await add(file);
    const [, subtitles] = world()
      .get(CreativesExport)
      .sections(client.user.id)
      .find(([name]) => name === 'media_subtitles')!;
    const exported: object[] = [];
    for await (const each of subtitles as AsyncIterable<object>) exported.push(each);
    expect(exported).toEqual([{ media_id: video, language_code: 'EN', file_id: file, display_name: 'In EN' }]);
    await world().get(MediaUploadsService).expireAll(client.user.id, [], world().get(DataSource).manager);
    expect(await expiryOf(file)).toBeNull();
    await removeExpired();
    await removeExpired();
    expect([await expiryOf(video), await expiryOf(file)]).toEqual([undefined, undefined]);
  });
});
