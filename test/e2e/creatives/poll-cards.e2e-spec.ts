import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { Card } from '../../../src/creatives/entities/card.entity.js';
import { PollCardView } from '../../../src/creatives/poll-cards/poll-card.presenter.js';
import { PollCardsService } from '../../../src/creatives/poll-cards/poll-cards.service.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';

useApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id?: string) => `/12/accounts/${advertiser.account.id}/cards/poll${id ? `/${id}` : ''}`;
const create = (params: Params) =>
  advertiser.api.post(path(), {
    form: { name: 'Taste', first_choice: 'Espresso', second_choice: 'Filter', duration_in_minutes: 90, ...params },
  });
const made = async (params: Params = {}): Promise<Json> => {
  const { status, body } = await create(params);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const allowMedia = async ({ account }: { account: ActingAccount }) => {
  await world().get(FeaturesService).add(account, ['PROMOTED_MEDIA_POLLS']);
  await world().caughtUp();
};

describe('poll cards', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/cards/poll`,
    make: (account, n) =>
      given.pollCard(account, {
        name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
      }),
    remove: ({ account }, id) => world().get(PollCardsService).delete(account, id),
    view: PollCardView,
    entity: Card,
    idsFilter: 'card_ids',
    unknownIds: decimalIds,
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    q: true,
    qMax: 80,
  });
});

describe('a poll card', () => {
  it.each([
    ['two equal choices', { second_choice: 'Espresso' }, 'second_choice'],
    ['equal choices but for white space', { third_choice: ' Filter ' }, 'third_choice'],
    ['a blank choice', { second_choice: '  ' }, 'second_choice'],
    ['an invisible choice', { third_choice: '\u200b' }, 'third_choice'],
    ['an invisible name', { name: '\u2060' }, 'name'],
  ])('is refused with %s', async (_, params: Params, parameter) => {
    expect(refusal(await create(params))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', parameter]] });
  });

  it('begins when it is made', async () => {
    const { status, body } = await create({ third_choice: 'Both' });
    expect(status).toBe(201);
    expect(body.request.params).toMatchObject({ duration_in_minutes: 90 });
    const { id, created_at } = body.data;
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9]{16}$/),
      card_id: id,
      card_uri: `card://${id}`,
      card_type: 'TEXT_POLLS',
      name: 'Taste',
      first_choice: 'Espresso',
      second_choice: 'Filter',
      third_choice: 'Both',
      duration_in_minutes: '90',
      start_time: created_at,
      end_time: `${new Date(Date.parse(created_at) + 90 * 60_000).toISOString().slice(0, 19)}Z`,
      created_at,
      updated_at: created_at,
      deleted: false,
    });
    expect((await advertiser.api.get(path(id))).body.data).toEqual(body.data);
  });

  it.each<[string, Params, string[][]]>([
    ['too short', { duration_in_minutes: 4 }, [['INVALID_PARAMETER', 'duration_in_minutes']]],
    ['too long', { duration_in_minutes: 10_081 }, [['INVALID_PARAMETER', 'duration_in_minutes']]],
    ['a long choice', { first_choice: 'x'.repeat(26) }, [['INVALID_PARAMETER', 'first_choice']]],
    ['one choice', { second_choice: undefined }, [['MISSING_PARAMETER', 'second_choice']]],
    ['a gap', { fourth_choice: 'Four', third_choice: '' }, [['MISSING_PARAMETER', 'third_choice']]],
    [
      'nothing',
      { duration_in_minutes: undefined, first_choice: undefined, second_choice: undefined, name: undefined },
      ['duration_in_minutes', 'first_choice', 'second_choice', 'name'].map((name) => ['MISSING_PARAMETER', name]),
    ],
  ])('is refused with %s', async (_, params, errors) => {
    expect(refusal(await create(params))).toEqual({ status: 400, errors });
  });

  it('takes the limits themselves', async () => {
    for (const duration_in_minutes of [5, 10_080]) {
      expect((await made({ duration_in_minutes })).duration_in_minutes).toBe(String(duration_in_minutes));
    }
    expect((await made({ first_choice: '☕'.repeat(25) })).first_choice).toHaveLength(25);
  });

  it('takes media with the feature alone', async () => {
    const media_key = (await given.libraryMedia(advertiser.account)).mediaKey;
    const feature = ['FEATURE_NOT_AVAILABLE', 'media_key'];
    expect(refusal(await create({ media_key }))).toEqual({ status: 400, errors: [feature] });
    expect(refusal(await create({ media_key: '3_1', name: '' })).errors).toEqual([
      ['INVALID_PARAMETER', 'name'],
      feature,
      ['INVALID_MEDIA_ID', 'media_key'],
    ]);
    await allowMedia(advertiser);
    const poll = await made({ media_key });
    expect(poll).toMatchObject({
      card_type: 'IMAGE_POLLS',
      media_url: expect.stringMatching(/\.jpg$/),
      image_display_width: '1200',
      image_display_height: '628',
    });
    expect(poll).not.toHaveProperty('media_key');
    expect(unlike(PollCardView, poll)).toEqual([]);
  });

  it('shows a video with its poster and length', async () => {
    await allowMedia(advertiser);
    const media_key = (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO' })).mediaKey;
    const poll = await made({ media_key });
    expect(poll).toMatchObject({
      card_type: 'VIDEO_POLLS',
      video_url: expect.stringMatching(/\.mp4$/),
      video_hls_url: null,
      video_width: '16',
      video_height: '9',
      video_poster_url: expect.stringMatching(/\/poster.+\.jpg$/),
      video_poster_width: '16',
      video_poster_height: '9',
      content_duration_seconds: '10',
    });
    expect(unlike(PollCardView, poll)).toEqual([]);
    const square = (await given.libraryMedia(advertiser.account, { width: 800, height: 800 })).mediaKey;
    expect(refusal(await create({ media_key: square }))).toEqual({
      status: 400,
      errors: [['INVALID_MEDIA', 'media_key']],
    });
  });

  it('cannot be changed, and is deleted for good', async () => {
    const { id } = await made();
    expect((await advertiser.api.put(path(id), { form: { name: 'New' } })).status).toBe(405);
    const { status, body } = await advertiser.api.delete(path(id));
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id, deleted: true } });
    expect((await advertiser.api.delete(path(id))).status).toBe(404);
    expect((await advertiser.api.get(path(id))).status).toBe(404);
    const shown = await advertiser.api.get(path(id), { query: { with_deleted: true } });
    expect(shown.body.data).toEqual(body.data);
  });
});
