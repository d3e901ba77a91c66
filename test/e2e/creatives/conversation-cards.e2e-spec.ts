import { Card } from '../../../src/creatives/entities/card.entity.js';
import {
  ImageConversationCardView,
  VideoConversationCardView,
} from '../../../src/creatives/conversation-cards/conversation-card.presenter.js';
import { ConversationCardsService } from '../../../src/creatives/conversation-cards/conversation-cards.service.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';

useApp();

let advertiser: Advertiser;
let image: string;
let video: string;
beforeEach(async () => {
  advertiser = await given.advertiser();
  image = (await given.libraryMedia(advertiser.account)).mediaKey;
  video = (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO' })).mediaKey;
});

const NAMES = ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'];
type Base = 'image_conversation' | 'video_conversation';
const path = (base: Base, id?: string) => `/12/accounts/${advertiser.account.id}/cards/${base}${id ? `/${id}` : ''}`;
const wanted = (): Params => ({
  name: 'Espresso or filter',
  title: 'How do you like it?',
  first_cta: 'espresso',
  first_cta_post: 'Espresso, please',
  thank_you_text: 'Thanks',
});
const create = (base: Base, params: Params) =>
  advertiser.api.post(path(base), {
    query: { ...wanted(), media_key: base === 'image_conversation' ? image : video, ...params },
  });
const update = (base: Base, id: string, form: Params) => advertiser.api.put(path(base, id), { form });
const made = async (base: Base, params: Params = {}): Promise<Json> => {
  const { status, body } = await create(base, params);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});

describe.each([
  ['image', 'IMAGE_CONVERSATION', ImageConversationCardView],
  ['video', 'VIDEO_CONVERSATION', VideoConversationCardView],
] as const)('%s conversation cards', (what, kind, view) => {
  const make = what === 'image' ? given.imageConversationCard : given.videoConversationCard;
  listConventions({
    path: (account) => `/12/accounts/${account.id}/cards/${what}_conversation`,
    make: (account, n) => make(account, { name: NAMES[n] }),
    makeMany: async (account, count) => {
      const category = what === 'image' ? 'POST_IMAGE' : 'POST_VIDEO';
      const { mediaKey } = await given.libraryMedia(account, { category });
      for (let n = 0; n < count; n++) await make(account, { media_key: mediaKey });
    },
    remove: ({ account }, id) => world().get(ConversationCardsService).delete(account, kind, id),
    view,
    entity: Card,
    idsFilter: 'card_ids',
    unknownIds: decimalIds,
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    q: true,
    qMax: 80,
  });
});

describe('an image conversation card', () => {
  it('is answered 201, with what was set alone', async () => {
    const { status, body } = await create('image_conversation', {
      title: undefined,
      second_cta: '#filter',
      second_cta_post: 'Filter',
    });
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    const { id } = body.data;
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9]{16}$/),
      card_id: id,
      card_uri: `card://${id}`,
      card_type: 'IMAGE_CONVERSATION',
      name: 'Espresso or filter',
      title: null,
      first_cta: '#espresso',
      first_cta_post: 'Espresso, please',
      second_cta: '#filter',
      second_cta_post: 'Filter',
      thank_you_text: 'Thanks',
      media_key: image,
      media_url: expect.stringMatching(/\/media\/file.+\.jpg$/),
      image_display_width: '1200',
      image_display_height: '628',
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.data.created_at,
      deleted: false,
    });
    expect(unlike(ImageConversationCardView, body.data)).toEqual([]);
    expect((await advertiser.api.get(path('image_conversation', id))).body.data).toEqual(body.data);
  });

  it('unlocks an image, of which it answers the URL alone', async () => {
    const unlocked = (await given.libraryMedia(advertiser.account, { width: 800, height: 320 })).mediaKey;
    const card = await made('image_conversation', {
      unlocked_image_media_key: unlocked,
      thank_you_url: 'https://example.com',
      title: 'Which?',
    });
    expect(card).toMatchObject({
      unlocked_image_url: expect.stringMatching(/\.jpg$/),
      thank_you_url: 'https://example.com/',
    });
    expect(card).not.toHaveProperty('unlocked_image_media_key');
    const without = await update('image_conversation', card.id, { unlocked_image_media_key: '', thank_you_url: null });
    expect(without.body.data).not.toHaveProperty('unlocked_image_url');
    expect(without.body.data).not.toHaveProperty('thank_you_url');
  });

  it('tells of everything that is wrong in one answer', async () => {
    const narrow = (await given.libraryMedia(advertiser.account, { width: 600, height: 314 })).mediaKey;
    const answer = await create('image_conversation', {
      name: undefined,
      title: undefined,
      first_cta: '#not-one',
      second_cta: 'x'.repeat(21),
      third_cta: 'third',
      thank_you_text: 'x'.repeat(24),
      media_key: narrow,
      unlocked_image_media_key: video,
      thank_you_url: 'example.com',
    });
    expect(answer.status).toBe(400);
    expect(refusal(answer).errors.sort()).toEqual(
      [
        ['MISSING_PARAMETER', 'name'],
        ['INVALID_PARAMETER', 'first_cta'],
        ['INVALID_PARAMETER', 'second_cta'],
        ['INVALID_PARAMETER', 'thank_you_text'],
        ['INVALID_PARAMETER', 'thank_you_url'],
        ['MISSING_PARAMETER', 'third_cta_post'],
        ['INVALID_MEDIA', 'media_key'],
        ['INVALID_MEDIA', 'unlocked_image_media_key'],
      ].sort(),
    );
  });

  it('is checked on update as it will be', async () => {
    const { id } = await made('image_conversation', { second_cta: 'filter', second_cta_post: 'Filter' });
    const refused = async (form: Params) => refusal(await update('image_conversation', id, form)).errors;
    expect(await refused({ title: '', second_cta: '' })).toEqual([['MISSING_PARAMETER', 'title']]);
    expect(await refused({ fourth_cta: 'four', fourth_cta_post: 'Four' })).toEqual([
      ['MISSING_PARAMETER', 'third_cta'],
    ]);
    expect(await refused({ second_cta_post: '' })).toEqual([['MISSING_PARAMETER', 'second_cta_post']]);
    expect(await refused({ third_cta_post: 'Third' })).toEqual([['INCLUSIVE_PARAMETERS', 'third_cta']]);
    expect(await refused({ first_cta: '' })).toEqual([['INVALID_PARAMETER', 'first_cta']]);
    expect(await refused({ media_key: video, name: '' })).toEqual([
      ['INVALID_PARAMETER', 'name'],
      ['INVALID_MEDIA', 'media_key'],
    ]);
    const third = { third_cta: 'three', third_cta_post: 'Three' };
    expect((await update('image_conversation', id, third)).body.data).toMatchObject({ third_cta: '#three' });
    expect(await refused({ second_cta: '' })).toEqual([['MISSING_PARAMETER', 'second_cta']]);
    const unset = await update('image_conversation', id, { third_cta: '' });
    expect(unset.body.data).not.toHaveProperty('third_cta_post');
  });

  it('takes back what it showed', async () => {
    const { id } = await made('image_conversation', { second_cta: 'filter', second_cta_post: 'Filter' });
    const { body } = await advertiser.api.get(path('image_conversation', id));
    const answer = await update('image_conversation', id, body.data);
    expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 200, data: body.data });
  });

  it('is deleted for good, and is none of the other kind', async () => {
    const { id } = await made('image_conversation');
    expect((await advertiser.api.get(path('video_conversation', id))).status).toBe(404);
    expect((await update('video_conversation', id, { name: 'No' })).status).toBe(404);
    expect((await advertiser.api.delete(path('video_conversation', id))).status).toBe(404);
    const { status, body } = await advertiser.api.delete(path('image_conversation', id));
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id, deleted: true } });
    expect((await advertiser.api.delete(path('image_conversation', id))).status).toBe(404);
    const shown = await advertiser.api.get(path('image_conversation', id), { query: { with_deleted: true } });
    expect(shown.body.data).toEqual(body.data);
  });
});

describe('a video conversation card', () => {
  it('is answered with its ratio, its owner and its poster', async () => {
    const owner = await world().sql<{ userId: string }>(
      `SELECT "userId" FROM promotable_users WHERE "accountId" = $1 AND "promotableUserType" = 'FULL'`,
      advertiser.account.id,
    );
    const card = await made('video_conversation');
    expect(card).toMatchObject({
      card_type: 'VIDEO_CONVERSATION',
      media_key: video,
      media_url: expect.stringMatching(/\.mp4$/),
      video_width: '16',
      video_height: '9',
      video_owner_id: owner[0].userId,
      poster_media_url: expect.stringMatching(/\/poster.+\.jpg$/),
    });
    expect(unlike(VideoConversationCardView, card)).toEqual([]);

    // libraries show the first frame under a key of its own
    const framed = await update('video_conversation', card.id, { poster_media_key: `3_${video.split('_')[1]}` });
    expect({ status: framed.status, data: framed.body.data }).toEqual({ status: 200, data: card });

    const unlocked = (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO', width: 400, height: 400 }))
      .mediaKey;
    const changes = { poster_media_key: image, unlocked_video_media_key: unlocked };
    const { body } = await update('video_conversation', card.id, changes);
    expect(body.data).toMatchObject({
      ...changes,
      poster_media_url: expect.stringMatching(/\/file.+\.jpg$/),
      unlocked_video_url: expect.stringMatching(/\.mp4$/),
    });
    const again = await update('video_conversation', card.id, body.data);
    expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: body.data });
    const back = await update('video_conversation', card.id, { poster_media_key: '', unlocked_video_media_key: '' });
    expect({ ...back.body.data, updated_at: card.updated_at }).toEqual(card);
  });

  it('shows the first frame without a poster, whatever the library shows', async () => {
    const library = `/12/accounts/${advertiser.account.id}/media_library`;
    const setPoster = async (poster_media_key: string): Promise<Json> => {
      const { status, body } = await advertiser.api.put(`${library}/${video}`, { query: { poster_media_key } });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      return body.data;
    };
    const shown = async (id: string) => (await advertiser.api.get(path('video_conversation', id))).body.data;
    const { poster_media_url: firstFrame } = (await advertiser.api.get(`${library}/${video}`)).body.data;

    const before = await made('video_conversation');
    expect(before.poster_media_url).toBe(firstFrame);
    expect((await setPoster(image)).poster_media_url).not.toBe(firstFrame);
    expect(await shown(before.id)).toEqual(before);
    const after = await made('video_conversation');
    expect(after.poster_media_url).toBe(firstFrame);
    expect(after).not.toHaveProperty('poster_media_key');
    const listed = await advertiser.api.get(path('video_conversation'));
    expect(listed.body.data).toEqual([after, before]);

    const sentBack = await update('video_conversation', before.id, await shown(before.id));
    expect({ status: sentBack.status, data: sentBack.body.data }).toEqual({ status: 200, data: before });
    await advertiser.api.delete(`${library}/${video}`);
    expect(await shown(before.id)).toEqual(before);

    // a poster of its own stays as well
    const chosen = await made('video_conversation', {
      media_key: (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO' })).mediaKey,
      poster_media_key: image,
    });
    await advertiser.api.delete(`${library}/${image}`);
    expect(await shown(chosen.id)).toEqual(chosen);
  });

  it('needs a video of 16:9, and an image for a poster', async () => {
    const square = (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO', height: 1200 })).mediaKey;
    expect(refusal(await create('video_conversation', { media_key: square, poster_media_key: video }))).toEqual({
      status: 400,
      errors: [
        ['INVALID_MEDIA', 'media_key'],
        ['INVALID_MEDIA', 'poster_media_key'],
      ],
    });
    expect(refusal(await create('video_conversation', { media_key: image }))).toEqual({
      status: 400,
      errors: [['INVALID_MEDIA', 'media_key']],
    });
  });
});
