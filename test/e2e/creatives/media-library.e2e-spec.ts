import { AccountMedia } from '../../../src/creatives/account-media/account-media.entity.js';
import { AccountMediaView } from '../../../src/creatives/account-media/account-media.presenter.js';
import { LibraryMedia } from '../../../src/creatives/entities/library-media.entity.js';
import { LibraryMediaView } from '../../../src/creatives/media-library/library-media.presenter.js';
import { MediaLibraryService } from '../../../src/creatives/media-library/media-library.service.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { AccountMediaService } from '../../../src/creatives/account-media/account-media.service.js';
import type { MediaCategory } from '../../../src/creatives/entities/media.entity.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { listConventions, unlike } from '../../support/list-conventions.js';
import { gif, jpeg, mp4 } from '../../support/media/files.js';
import { fillStorageUsage } from '../../support/storage-usage.js';
import { sendMultipart } from '../../support/media/upload.js';

useApp({ FFMPEG: 'none' });

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (key = '', account = advertiser.account) => `/12/accounts/${account.id}/media_library${key && `/${key}`}`;
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
  (await world().sql<{ expiresAt: string | null }>('SELECT "expiresAt" FROM media WHERE id = $1', key.split('_')[1]))[0]
    ?.expiresAt;

describe('the quota of a library', () => {
  const LIMIT = 100 * 1024 ** 3;
  const usage = async () =>
    (await world().get(StorageQuotas).usageOf(advertiser.account.id, ['ACCOUNT_MEDIA_BYTES'])).ACCOUNT_MEDIA_BYTES.used;
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
      expect(refusal(await add({ media_key }))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'media_key']] });
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
    expect(refusal(await add({ media_key: video, title: 'x'.repeat(71), description: 'x'.repeat(201) }))).toMatchObject(
      { status: 400 },
    );
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
      const before = await added(category, { name: 'A name', ...(category === 'POST_VIDEO' && { title: 'A title' }) });
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
      .add(account, Parsed.whole({ media_key: mediaKey }));
    const [{ id }] = await world().sql<{ id: string }>(`SELECT id FROM account_media WHERE "mediaKey" = $1`, mediaKey);
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
