import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { Resources } from '../../../src/accounts/resources/resources.service.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { CardView } from '../../../src/creatives/card-content/card.presenter.js';
import { ANY_CARD_VIEWS } from '../../../src/creatives/cards/any-card.presenter.js';
import { CardsService } from '../../../src/creatives/cards/cards.service.js';
import {
  ImageConversationCardView,
  VideoConversationCardView,
} from '../../../src/creatives/conversation-cards/conversation-card.presenter.js';
import { ConversationCardsService } from '../../../src/creatives/conversation-cards/conversation-cards.service.js';
import { Card } from '../../../src/creatives/entities/card.entity.js';
import { LIBRARY_MEDIA, LibraryMedia } from '../../../src/creatives/entities/library-media.entity.js';
import { LibraryMediaQueries } from '../../../src/creatives/media-library/library-media.queries.js';
import { PollCardView } from '../../../src/creatives/poll-cards/poll-card.presenter.js';
import { PollCardsService } from '../../../src/creatives/poll-cards/poll-cards.service.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { DynamicProductCardView } from '../../../src/creatives/dynamic-product-cards/dynamic-product-card.presenter.js';
import { DynamicProductCardsService } from '../../../src/creatives/dynamic-product-cards/dynamic-product-cards.service.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';

useSharedApp();

describe('cards', () => {
  let advertiser: Advertiser;
  let image: string;
  let video: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    image = (await given.libraryMedia(advertiser.account)).mediaKey;
    video = (await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO' })).mediaKey;
  });

  const path = (id?: string, account = advertiser.account) => `/12/accounts/${account.id}/cards${id ? `/${id}` : ''}`;
  const create = (json: Json, by = advertiser) => by.api.post(path(undefined, by.account), { json });
  const update = (id: string, json: Json) => advertiser.api.put(path(id), { json });
  const get = (id: string, query: Params = {}) => advertiser.api.get(path(id), { query });
  const media = (key = image) => ({ type: 'MEDIA', media_key: key });
  const swipeable = (...keys: string[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys: keys });
  const details = (url = 'https://example.com/menu') => ({
    type: 'DETAILS',
    title: 'Soups',
    destination: { type: 'WEBSITE', url },
  });
  const button = (destination: Json = {}) => ({
    type: 'BUTTON',
    label: { type: 'ENUM', value: 'INSTALL' },
    destination: { type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.shop', ...destination },
  });
  const made = async (
    json: Json = { name: 'Menu', components: [media(), details()] },
    by = advertiser,
  ): Promise<Json> => {
    const { status, body } = await create(json, by);
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
  });
  async function removeFromLibrary(key: string): Promise<void> {
    const { account } = advertiser;
    const medium = (await world().get(LibraryMediaQueries).byKey(account, [key])).get(key)!;
    await world().get(Resources).delete(account, LIBRARY_MEDIA, medium.id);
  }
  const history = () =>
    world().sql<{ type: string; changes: Json }>(
      `SELECT "changeType" AS type, changes FROM account_changes
      WHERE "accountId" = $1 AND "entityType" = 'CARD' ORDER BY id`,
      advertiser.account.id,
    );

  describe('cards', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/cards`,
      make: (account, n) =>
        given.card(account, {
          name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
        }),
      makeMany: async (account, count) => {
        const { mediaKey } = await given.libraryMedia(account);
        const components = [media(mediaKey), details()] as Json;
        for (let n = 0; n < count; n++) await given.card(account, { components });
      },
      remove: ({ account }, id) => world().get(CardsService).delete(account, id),
      view: CardView,
      entity: Card,
      idsFilter: 'card_id',
      unknownIds: decimalIds,
      countDefault: 100,
      countMax: 200,
      sortable: ['created_at', 'updated_at', 'deleted', 'name'],
      q: true,
      qMax: 80,
    });
  });

  describe('creating a card', () => {
    it('answers 201 with what was sent, in its order, and what it turned out to be', async () => {
      const json = { name: 'Menu', components: [media(), details('https://example.com')] };
      const { status, body } = await create(json);
      expect({ status, errors: body.errors }).toEqual({ status: 201 });
      const id = body.data.id as string;
      const metadata = {
        type: 'IMAGE',
        url: expect.stringMatching(/^http:\/\/.+\/media\/file.+\.jpg$/),
        width: 1200,
        height: 628,
      };
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9]{16}$/),
        card_uri: `card://${id}`,
        name: 'Menu',
        card_type: 'IMAGE_WEBSITE',
        components: [
          { ...media(), media_metadata: { [image]: metadata } },
          {
            type: 'DETAILS',
            title: 'Soups',
            destination: { type: 'WEBSITE', url: 'https://example.com/', tco_url: null },
          },
        ],
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.data.created_at,
        deleted: false,
      });
      expect(unlike(CardView, body.data)).toEqual([]);
      expect(body.request.params).toMatchObject({ account_id: advertiser.account.id, name: 'Menu' });
      expect((await get(id)).body.data).toEqual(body.data);
    });

    it('knows every type of card', async () => {
      const types: [string, Json][] = [
        ['IMAGE_WEBSITE', { components: [media(), details()] }],
        ['IMAGE_APP', { components: [media(), button()] }],
        ['VIDEO_WEBSITE', { components: [media(video), details()] }],
        ['VIDEO_APP', { components: [media(video), button()] }],
      ];
      const otherImage = (await given.libraryMedia(advertiser.account, { width: 800, height: 800 })).mediaKey;
      const otherVideo = (await given.libraryMedia(advertiser.account, { category: 'AMPLIFY_VIDEO' })).mediaKey;
      types.push(
        ['IMAGE_CAROUSEL_APP', { components: [swipeable(image, otherImage), button()] }],
        ['VIDEO_CAROUSEL_WEBSITE', { components: [swipeable(video, otherVideo), details()] }],
        ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE', { components: [swipeable(image, video), details()] }],
        [
          'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE',
          {
            slides: [
              [media(), details()],
              [media(otherImage), details()],
            ],
          },
        ],
        [
          'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
          {
            slides: [
              [media(video), details()],
              [media(), details()],
            ],
          },
        ],
      );
      for (const [type, content] of types)
        expect(await made({ name: type, ...content })).toMatchObject({ card_type: type });
      const query = { card_types: 'IMAGE_APP,VIDEO_APP', sort_by: 'name-asc' };
      const { body } = await advertiser.api.get(path(), { query });
      expect(body.data.map(({ card_type }: Json) => card_type)).toEqual(['IMAGE_APP', 'VIDEO_APP']);
    });

    it('tells what is known of a video', async () => {
      const { components } = await made({
        name: 'Film',
        components: [media(video), button({ ios_app_store_identifier: '1' })],
      });
      expect(components[0].media_metadata[video]).toEqual({
        type: 'VIDEO',
        url: expect.stringMatching(/\.mp4$/),
        width: 1200,
        height: 675,
        video_duration: 10_000,
        video_aspect_ratio: '16:9',
      });
      expect(components[1].destination).toEqual({
        type: 'APP',
        country_code: 'US',
        googleplay_app_id: 'com.example.shop',
        ios_app_store_identifier: '1',
      });
    });

    it('names every fault with its place, in one answer', async () => {
      const gif = (await given.libraryMedia(advertiser.account, { category: 'POST_GIF' })).mediaKey;
      expect(
        refusal(
          await create({
            components: [
              { type: 'MEDIA' },
              { type: 'DETAILS', title: 'x'.repeat(71), destination: { type: 'WEBSITE', url: 'ftp://example.com' } },
            ],
          }),
        ),
      ).toEqual({
        status: 400,
        errors: [
          ['MISSING_PARAMETER', 'name'],
          ['MISSING_PARAMETER', 'components[0].media_key'],
          ['INVALID_PARAMETER', 'components[1].title'],
          ['INVALID_PARAMETER', 'components[1].destination.url'],
        ],
      });
      // what is stored is asked, too, as far as it could be read
      expect(refusal(await create({ components: [swipeable(gif, '3_1', image, image), details()] }))).toEqual({
        status: 400,
        errors: [
          ['MISSING_PARAMETER', 'name'],
          ['INVALID_MEDIA', 'components[0].media_keys[3]'],
          ['INVALID_MEDIA', 'components[0].media_keys[0]'],
          ['INVALID_MEDIA_ID', 'components[0].media_keys[1]'],
        ],
      });
    });

    it.each<[string, Json, string[][]]>([
      ['neither', {}, [['MISSING_PARAMETER', 'components']]],
      ['empty components', { components: '' }, [['MISSING_PARAMETER', 'components']]],
      ['no array', { components: { type: 'MEDIA' } }, [['INVALID_PARAMETER', 'components']]],
      ['a text', { slides: 'MEDIA' }, [['INVALID_PARAMETER', 'slides']]],
    ])('takes components or slides: %s', async (_, content, errors) => {
      expect(refusal(await create({ name: 'Card', ...content }))).toEqual({ status: 400, errors });
    });

    it('does not take both', async () => {
      const both = {
        name: 'Both',
        components: [media(), details()],
        slides: [
          [media(), details()],
          [media(), details()],
        ],
      };
      expect(refusal(await create(both))).toEqual({ status: 400, errors: [['EXCLUSIVE_PARAMETERS', 'slides']] });
      const { status, body } = await create({ ...both, components: null });
      expect([status, 'components' in body.data, body.data.slides.length]).toEqual([201, false, 2]);
    });

    it('takes media of the account’s own library alone', async () => {
      const other = await given.advertiser();
      const { mediaKey } = await given.libraryMedia(other.account);
      for (const key of [mediaKey, '3_1']) {
        const { status, body } = await create({ name: 'Card', components: [media(key), details()] });
        expect({ status, error: body.errors[0] }).toMatchObject({
          status: 400,
          error: { code: 'INVALID_MEDIA_ID', parameter: 'components[0].media_key', value: key },
        });
      }
      await removeFromLibrary(image);
      expect(refusal(await create({ name: 'Card', components: [media(), details()] })).errors).toEqual([
        ['INVALID_MEDIA_ID', 'components[0].media_key'],
      ]);
    });

    it.each([
      ['narrow', { width: 799, height: 418 }],
      ['of another shape', { width: 1200, height: 900 }],
      ['too large', { size: 3 * 1024 * 1024 + 1 }],
      ['of a type that cards do not take', { contentType: 'image/webp' }],
    ])('refuses an image that is %s', async (_, facts) => {
      const { mediaKey } = await given.libraryMedia(advertiser.account, facts);
      expect(refusal(await create({ name: 'Card', components: [media(mediaKey), details()] }))).toEqual({
        status: 400,
        errors: [['INVALID_MEDIA', 'components[0].media_key']],
      });
    });

    it('leads to lead forms of its own account that are not archived', async () => {
      const { account } = advertiser;
      const [form, archived, foreign] = [
        await given.leadForm({ account }),
        await given.leadForm({ account }),
        await given.leadForm({ account: (await given.advertiser()).account }),
      ];
      const archive = () => advertiser.api.delete(`/12/accounts/${account.id}/lead_forms/${archived.id}`);
      const to = (id: string) => ({ type: 'LEAD_FORM', id });
      const inDetails = (id: string) => [media(), { ...details(), destination: to(id) }];
      const inButton = (id: string) => [media(), { ...button(), destination: to(id) }];
      const card = await made({ name: 'Form', components: inDetails(archived.id) });
      expect(card.components[1]).toEqual({ type: 'DETAILS', title: 'Soups', destination: to(archived.id) });
      const other = await made({ name: 'Button', components: inButton(form.id) });
      expect([other.components[1].destination, other.card_type]).toEqual([to(form.id), 'IMAGE_WEBSITE']);
      const slides = [inDetails(form.id), inDetails(form.id)];
      expect((await made({ name: 'Slides', slides })).slides[1][1].destination).toEqual(to(form.id));

      expect((await archive()).status).toBe(200);
      for (const [id, components] of [
        [archived.id, inDetails],
        [foreign.id, inButton],
        ['019a1b2c-3d4e-7f50-8a61-b2c3d4e5f607', inButton],
      ] as const)
        expect(refusal(await create({ name: 'Form', components: components(id) }))).toEqual({
          status: 404,
          errors: [['NOT_FOUND', 'components[1].destination.id']],
        });
      const twice = { name: 'Form', slides: [inDetails(archived.id), inDetails(foreign.id)] };
      expect((await create(twice)).body.errors).toHaveLength(2);
      const capitals = await made({ name: 'Capitals', components: inDetails(form.id.toUpperCase()) });
      expect(capitals.components[1].destination).toEqual(to(form.id));
      expect(refusal(await create({ name: 'Form', components: inButton('unknown') }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'components[1].destination.id']],
      });
      expect(refusal(await create({ name: 'Form', components: inDetails('') })).status).toBe(400);
      // what it showed, it takes back
      expect((await update(card.id, { name: 'Same', components: inDetails(archived.id) })).status).toBe(200);
      expect(refusal(await update(other.id, { components: inButton(archived.id) })).status).toBe(404);
    });

    it('takes JSON alone', async () => {
      const form = await advertiser.api.post(path(), { form: { name: 'Card' } });
      expect(refusal(form)).toEqual({ status: 415, errors: [['INVALID_PARAMETER', 'Content-Type']] });
      expect(form.headers['x-marquee-hint']).toBeUndefined();
      expect((await advertiser.api.put(path('1'), { form: { name: 'Card' } })).status).toBe(415);
      const inQuery = await advertiser.api.put(path('1'), { query: { name: 'Card' } });
      expect(inQuery.headers['x-marquee-hint']).toBe(
        'name is not a parameter of the query of this endpoint and was ignored. Send parameters in the JSON body.',
      );
      expect(refusal(await create([]))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'body']] });
    });

    it('answers nonsense of every shape with 400, and quickly', async () => {
      const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);
      const nonsense: Json[] = [1, true, [], [null, null], [{}, {}], [1, 'x'], [[], []], deep(10), { length: 2 }];
      nonsense.push([{ type: {} }, { type: ['DETAILS'] }], [{ type: '__proto__' }, { type: 'constructor' }]);
      nonsense.push(
        Array.from({ length: 10_000 }, () => media()),
        [swipeable(...Array<string>(20_000).fill(image)), details()],
      );
      for (const value of nonsense) {
        for (const name of ['components', 'slides']) {
          const { status, body } = await create({ name: 'Card', [name]: value });
          expect({ value: JSON.stringify(value).slice(0, 80), status }).toMatchObject({ status: 400 });
          for (const { parameter } of body.errors) expect(parameter).toMatch(new RegExp(`^${name}`));
        }
      }
    });

    it('stores nothing in an account that was deleted', async () => {
      const sandbox = await given.advertiser({ environment: 'sandbox' });
      const { mediaKey } = await given.libraryMedia(sandbox.account);
      await world().get(AccountsService).delete(sandbox.account);
      const json = { name: 'After', components: [media(mediaKey), details()] };
      expect((await create(json, sandbox)).status).toBe(404);
    });

    it('stores nothing with a medium that is being removed', async () => {
      const { id } = await made();
      const removing = async (request: () => Promise<Answer>): Promise<Answer> => {
        const { mediaKey, id: mediumId } = await given.libraryMedia(advertiser.account);
        removed = mediaKey;
        let answering: Promise<Answer>;
        await world()
          .get(DataSource)
          .transaction(async (tx) => {
            const medium = rows(tx, LibraryMedia).ofAllAccounts().where('id', mediumId);
            await medium.clone().setLock('pessimistic_write').getMany();
            await medium.update({ deletedAt: new Date().toISOString() });
            // it reads what is stored so far, and has to wait before it stores
            answering = request();
            await setTimeout(300);
          });
        return answering!;
      };
      let removed = '';
      const content = () => ({ name: 'Race', components: [media(removed), details()] });
      for (const answer of [await removing(() => create(content())), await removing(() => update(id, content()))]) {
        expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_MEDIA_ID', 'components[0].media_key']] });
      }
    });

    it('is for those who make creatives', async () => {
      const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      expect((await create({ name: 'No', components: [media(), details()] }, analyst)).status).toBe(403);
      expect((await analyst.api.get(path())).status).toBe(200);
      const creative = await given.member(advertiser.account, 'CREATIVE_MANAGER');
      expect((await create({ name: 'Yes', components: [media(), details()] }, creative)).status).toBe(201);
    });
  });

  describe('updating a card', () => {
    it('replaces what is sent, works out its type again, and records it', async () => {
      const { id } = await made();
      const named = await update(id, { name: 'Second week' });
      expect(named.body.data).toMatchObject({ name: 'Second week', card_type: 'IMAGE_WEBSITE' });
      const changed = await update(id, { components: [media(video), button()] });
      expect(changed.body.data).toMatchObject({ name: 'Second week', card_type: 'VIDEO_APP' });
      const slides = [
        [media(video), details()],
        [media(), details()],
      ];
      const carousel = await update(id, { slides });
      expect(carousel.body.data).toMatchObject({ card_type: 'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE' });
      expect('components' in carousel.body.data).toBe(false);
      expect((await get(id)).body.data).toEqual(carousel.body.data);
      expect((await history()).map(({ type, changes }) => [type, Object.keys(changes)])).toEqual([
        ['CREATE', []],
        ['UPDATE', ['name']],
        ['UPDATE', expect.arrayContaining(['card_type', 'components'])],
        ['UPDATE', expect.arrayContaining(['card_type', 'slides'])],
      ]);
    });

    it('takes back what it showed, also when the medium has left the library', async () => {
      for (const json of [
        { name: 'Menu', components: [media(), details('https://example.com')] },
        {
          name: 'Film',
          slides: [
            [media(video), details()],
            [media(), details()],
          ],
        },
      ]) {
        const { id } = await made(json);
        const { body } = await get(id);
        const answer = await update(id, body.data);
        expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 200, data: body.data });
      }
      expect(await history()).toHaveLength(2);

      const { id } = await made();
      await removeFromLibrary(image);
      const { body } = await get(id);
      expect(body.data.components[0].media_metadata[image].width).toBe(1200);
      expect((await update(id, body.data)).status).toBe(200);
      const retitled = await update(id, { components: [media(), details('https://example.com/new')] });
      expect(retitled.body.data.components[1].destination.url).toBe('https://example.com/new');
    });

    it('refuses what it would refuse of a new one', async () => {
      const { id } = await made();
      expect(refusal(await update(id, { name: '', components: [swipeable(image), details()] })).errors).toEqual([
        ['INVALID_PARAMETER', 'name'],
        ['INVALID_PARAMETER', 'components[0].media_keys'],
      ]);
      expect(refusal(await update(id, { components: null })).errors).toEqual([['MISSING_PARAMETER', 'components']]);
      expect((await update(id, { slides: null })).status).toBe(200);
      expect(refusal(await update(id, { components: [media('3_1'), details()], name: '' })).errors).toEqual([
        ['INVALID_PARAMETER', 'name'],
        ['INVALID_MEDIA_ID', 'components[0].media_key'],
      ]);
    });

    it('does not find what is not there, is of another kind, or somebody else’s', async () => {
      const foreign = await given.card((await given.advertiser()).account);
      const poll = await given.pollCard(advertiser.account);
      for (const id of [decimalIds(0), 'x', foreign.id, poll.id]) {
        for (const answer of [
          await update(id, { name: 'Mine' }),
          await get(id),
          await advertiser.api.delete(path(id)),
        ]) {
          expect({ status: answer.status, error: answer.body.errors[0] }).toMatchObject({
            status: 404,
            error: { code: 'NOT_FOUND', parameter: 'card_id', value: id },
          });
        }
      }
    });
  });

  describe('deleting a card', () => {
    it('answers it marked deleted, and is 404 ever after', async () => {
      const { id, name } = await made();
      const { status, body } = await advertiser.api.delete(path(id));
      expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id, name, deleted: true } });
      expect((await advertiser.api.delete(path(id))).status).toBe(404);
      expect((await get(id)).status).toBe(404);
      expect((await get(id, { with_deleted: true })).body.data).toEqual(body.data);
      expect((await update(id, { name: 'New' })).status).toBe(404);
      expect((await history()).at(-1)).toEqual({ type: 'DELETE', changes: { deleted: { old: false, new: true } } });
    });
  });

  describe('finding cards', () => {
    const list = async (query: Params): Promise<Json[]> => {
      const { status, body } = await advertiser.api.get(path(), { query });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      return body.data;
    };
    const idsOf = (cards: Json[]) => cards.map(({ id }) => id);

    it('takes their URIs', async () => {
      const [one, two] = [await made(), await made()];
      await made();
      const card_uris = `${one.card_uri},${two.card_uri}`;
      expect(idsOf(await list({ card_uris }))).toEqual([two.id, one.id]);
      expect(idsOf(await list({ card_uris, card_id: one.id }))).toEqual([one.id]);
      expect(await list({ card_uris: `card://${decimalIds(0)}` })).toEqual([]);
      for (const bad of [
        '',
        'card://',
        'card://x',
        one.id,
        'http://1',
        Array(201)
          .fill(0)
          .map((_, i) => `card://${i}`),
      ]) {
        const { status, body } = await advertiser.api.get(path(), { query: { card_uris: bad } });
        expect({ status, error: body.errors?.[0] }).toMatchObject({ status: 400, error: { parameter: 'card_uris' } });
      }
    });

    it('knows types of components alone', async () => {
      const { status, body } = await advertiser.api.get(path(), { query: { card_types: 'IMAGE_WEBSITE,TEXT_POLLS' } });
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 400,
        error: { code: 'UNKNOWN_CARD_TYPE', parameter: 'card_types', value: 'TEXT_POLLS' },
      });
    });

    it('shows cards of every kind on request, in one order with one cursor', async () => {
      const { account } = advertiser;
      const card = await made({ name: 'B', components: [media(), details()] });
      const poll = await given.pollCard(account, { name: 'a' });
      const imageCard = await given.imageConversationCard(account, { name: 'C' });
      const videoCard = await given.videoConversationCard(account, { name: 'D' });
      expect(idsOf(await list({}))).toEqual([card.id]);
      const all = await list({ include_legacy_cards: true });
      expect(idsOf(all)).toEqual([videoCard.id, imageCard.id, poll.id, card.id]);
      for (const [i, item] of all.entries()) expect(unlike(ANY_CARD_VIEWS[[2, 1, 3, 0][i]], item)).toEqual([]);
      expect(idsOf(await list({ include_legacy_cards: true, sort_by: 'name-asc' }))).toEqual([
        poll.id,
        card.id,
        imageCard.id,
        videoCard.id,
      ]);
      expect(idsOf(await list({ include_legacy_cards: true, card_types: 'IMAGE_WEBSITE' }))).toEqual([card.id]);

      const query = { include_legacy_cards: true, count: 3 };
      const first = await advertiser.api.get(path(), { query });
      const cursor = first.body.next_cursor as string;
      expect(idsOf(await list({ ...query, cursor }))).toEqual([card.id]);
      expect((await advertiser.api.get(path(), { query: { count: 3, cursor } })).status).toBe(400);
    });

    it('shows cards of every kind by their URIs, each in its form', async () => {
      const { account } = advertiser;
      const card = await made();
      const poll = await given.pollCard(account);
      const foreign = await given.pollCard((await given.advertiser()).account);
      const uris = [poll.id, decimalIds(0), foreign.id, card.id, poll.id].map((id) => `card://${id}`).join(',');
      const { status, body } = await advertiser.api.get(path('all'), { query: { card_uris: uris } });
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['data', 'request']);
      expect(idsOf(body.data)).toEqual([poll.id, card.id]);
      expect(body.data[1]).toEqual(card);
      expect(body.data[0]).toEqual((await advertiser.api.get(path(`poll/${poll.id}`))).body.data);

      for (const each of body.data) expect((await get(`all/${each.id}`)).body.data).toEqual(each);
      expect(refusal(await get(`all/${foreign.id}`))).toEqual({ status: 404, errors: [['NOT_FOUND', 'card_id']] });
      expect(refusal(await advertiser.api.get(path('all')))).toEqual({
        status: 400,
        errors: [['MISSING_PARAMETER', 'card_uris']],
      });

      await advertiser.api.delete(path(card.id));
      const gone = { card_uris: card.card_uri };
      expect((await advertiser.api.get(path('all'), { query: gone })).body.data).toEqual([]);
      const shown = await advertiser.api.get(path('all'), { query: { ...gone, with_deleted: true } });
      expect(shown.body.data).toMatchObject([{ id: card.id, deleted: true }]);
      expect((await get(`all/${card.id}`)).status).toBe(404);
      expect((await get(`all/${card.id}`, { with_deleted: true })).body.data.deleted).toBe(true);
    });
  });
});

describe('conversation cards', () => {
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
      const without = await update('image_conversation', card.id, {
        unlocked_image_media_key: '',
        thank_you_url: null,
      });
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

      const unlocked = (
        await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO', width: 400, height: 400 })
      ).mediaKey;
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
});

describe('poll cards', () => {
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

  it('are not answered without their media, which a reset may have removed since they were read', async () => {
    await allowMedia(advertiser);
    const { mediaKey } = await given.libraryMedia(advertiser.account);
    const { id } = await made({ media_key: mediaKey });
    await world().sql('DELETE FROM library_media WHERE "accountId" = $1', advertiser.account.id);
    for (const { status, headers } of [await advertiser.api.get(path()), await advertiser.api.get(path(id))])
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: expect.any(String) });
  });

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

  describe('dynamic product cards', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/dynamic_product_cards`,
      make: (account, n) =>
        given.dynamicProductCard(account, {
          name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
        }),
      remove: ({ account }, id) => world().get(DynamicProductCardsService).delete(account, id),
      view: DynamicProductCardView,
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
});
