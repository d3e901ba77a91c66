import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '../common/time/days.js';
import { Parsed } from '../common/http/params/parsed.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AccountMediaService } from '../creatives/account-media/account-media.service.js';
import { CardsService } from '../creatives/cards/cards.service.js';
import { ConversationCardsService } from '../creatives/conversation-cards/conversation-cards.service.js';
import { DraftPostsService } from '../creatives/draft-posts/draft-posts.service.js';
import { LeadFormsService } from '../creatives/lead-forms/lead-forms.service.js';
import { inventedLead } from '../creatives/leads/invented-lead.js';
import { LeadsService } from '../creatives/leads/leads.service.js';
import { LeadExportsService } from '../lead-exports/lead-exports.service.js';
import { MediaLibraryService } from '../creatives/media-library/media-library.service.js';
import { mediaIdOf, mediaKeyOf } from '../creatives/media-files/media-key.js';
import { DynamicProductCardsService } from '../creatives/dynamic-product-cards/dynamic-product-cards.service.js';
import type { MediaCategory } from '../creatives/entities/media.entity.js';
import { MediaSubtitlesService } from '../creatives/media-upload/media-subtitles.service.js';
import { MediaUploadsService } from '../creatives/media-upload/media-uploads.service.js';
import { PollCardsService } from '../creatives/poll-cards/poll-cards.service.js';
import { PostPublication, type PlatformPost } from '../creatives/posts/post-publication.service.js';
import { PostsService } from '../creatives/posts/posts.service.js';
import { ScheduledPostsService } from '../creatives/scheduled-posts/scheduled-posts.service.js';

/** The uploaded files of assets/demo and their names in the library. */
const MEDIA = {
  autumn: { file: 'autumn-blend.jpg', category: 'POST_IMAGE', name: 'Autumn blend' },
  square: { file: 'roastery-square.jpg', category: 'POST_IMAGE', name: 'The roastery' },
  coldBrew: { file: 'cold-brew.jpg', category: 'POST_IMAGE', name: 'Cold brew' },
  giftCard: { file: 'gift-card.jpg', category: 'POST_IMAGE', name: 'Gift card' },
  loyalty: { file: 'loyalty.jpg', category: 'POST_IMAGE', name: 'Loyalty programme' },
  banner: { file: 'banner.jpg', category: 'POST_IMAGE', name: 'Autumn banner' },
  steam: { file: 'steam.gif', category: 'POST_GIF', name: 'Steam' },
  video: { file: 'cold-brew.mp4', category: 'POST_VIDEO', name: 'Cold brew, the film' },
  inStream: { file: 'in-stream.mp4', category: 'AMPLIFY_VIDEO', name: 'Six seconds of coffee' },
} as const satisfies Record<string, { file: string; category: MediaCategory; name: string }>;

type DemoMedium = keyof typeof MEDIA;
type Keys = Record<DemoMedium, string>;

/**
 * Creates posts of other users, and then media, cards and posts of the demo's account through the regular services.
 * Returns their ids by purpose, for the examples of the OpenAPI document.
 */
export async function makeCreatives(
  app: INestApplicationContext,
  account: ActingAccount,
  said: readonly PlatformPost[],
  now: Date,
): Promise<Record<string, string>> {
  await app.get(PostPublication).fromPlatform(said);
  const keys = await uploaded(app, account);
  const subtitles = await makeSubtitles(app, account, mediaIdOf(keys.video));
  const cards = await makeCards(app, account, keys);
  const posts = await makePosts(app, account, keys, cards, now);
  const [preroll, banner] = (await app.get(AccountMediaService).list(account, { count: 2 })).items;
  return {
    media_key_image: keys.autumn,
    media_key_video: keys.video,
    media_key_wide: keys.loyalty,
    media_key: keys.video,
    ...subtitles,
    spare_media_key: keys.giftCard,
    account_media_id: preroll.id,
    spare_account_media_id: banner.id,
    ...cards,
    ...(await makeLeadForms(app, account)),
    card_uri: `card://${cards.card_id}`,
    ...posts,
  };
}

async function uploaded(app: INestApplicationContext, account: ActingAccount): Promise<Keys> {
  const keys: Partial<Record<DemoMedium, string>> = {};
  for (const [medium, { file, category, name }] of Object.entries(MEDIA) as [
    DemoMedium,
    (typeof MEDIA)[DemoMedium],
  ][]) {
    const { id } = await app
      .get(MediaUploadsService)
      .take(account, { media_category: lower(category) }, readFileSync(assetOf(file)));
    const media_key = mediaKeyOf(category, id);
    // without ffmpeg, the first frame of a video is blank
    const poster = category.endsWith('VIDEO') ? { poster_media_key: keys.coldBrew } : {};
    await app.get(MediaLibraryService).add(account, Parsed.complete({ media_key, name, file_name: file, ...poster }));
    keys[medium] = media_key;
  }
  return keys as Keys;
}

const DAY_SECONDS = DAY_MS / 1_000;
const DECADE_MS = 3_650 * DAY_MS;
/** People who have submitted the lead form. */
const LEADS = 12;

/** What the film says, by language. */
const SUBTITLES = [
  { language: 'EN', name: 'English', text: 'Sixteen hours in cold water.' },
  { language: 'DE', name: 'Deutsch', text: 'Sechzehn Stunden in kaltem Wasser.' },
  { language: 'FR', name: 'Français', text: 'Seize heures dans l’eau froide.' },
];

/** Gives the film its subtitles. Returns the ids of the film and of its English subtitles. */
async function makeSubtitles(app: INestApplicationContext, account: ActingAccount, video_media_id: string) {
  const files: string[] = [];
  for (const { text } of SUBTITLES) {
    const content = Buffer.from(`WEBVTT\n\n00:00.500 --> 00:03.000\n${text}\n`);
    files.push((await app.get(MediaUploadsService).take(account, { media_category: 'subtitles' }, content)).id);
  }
  await app.get(MediaSubtitlesService).add(
    account.db,
    account,
    { id: video_media_id, category: 'PostVideo', parameter: 'id' },
    SUBTITLES.map(({ language, name }, i) => ({
      parameter: 'subtitles.id',
      fileId: files[i],
      languageCode: language,
      displayName: name,
    })),
  );
  return { video_media_id, subtitles_media_id: files[0] };
}

const createForm = async (app: INestApplicationContext, account: ActingAccount, name: string) => {
  const form = await app.get(LeadFormsService).create(account, {
    name,
    purpose: 'Invitations to tastings',
    introduction: { headline: 'Taste our new roast' },
    fields: [{ key: 'FULL_NAME' }, { key: 'EMAIL' }, { key: 'CITY', optional: true }],
    privacy_policy: { url: 'https://coffee.example/privacy', company_name: 'Northwind Coffee' },
  });
  return form.id;
};

/** A form that people have submitted, and one to delete. */
async function makeLeadForms(app: INestApplicationContext, account: ActingAccount) {
  const lead_form_id = await createForm(app, account, 'Tastings');
  const { fields } = await app.get(LeadFormsService).get(account, lead_form_id);
  const submittedAt = account.now().toISOString();
  const of = { leadFormId: lead_form_id, submittedAt, postId: null, campaignId: null, lineItemId: null };
  const leads = Array.from({ length: LEADS }, (_, i) => ({
    ...of,
    fieldValues: inventedLead(fields, (count, word) => (i * 7 + word.length) % count),
  }));
  await app.get(LeadsService).store(account.db, account.id, leads);
  return {
    lead_form_id,
    spare_lead_form_id: await createForm(app, account, 'Tastings of last year'),
    ...(await makeLeadExports(app, account, lead_form_id)),
  };
}

/** An export of the leads of a form, and one to cancel. */
async function makeLeadExports(app: INestApplicationContext, account: ActingAccount, lead_form_id: string) {
  const exports = app.get(LeadExportsService, { strict: false });
  const start_epoch = Math.floor(account.now().getTime() / DAY_MS) * DAY_SECONDS;
  const asked = { entity_type: 'leads', lead_form_id, start_epoch, end_epoch: start_epoch + 7 * DAY_SECONDS } as const;
  const { id } = await exports.createIdle(account, asked, DECADE_MS);
  await exports.write({ accountId: account.id, id }, { number: 1, signal: new AbortController().signal });
  return { export_id: id, spare_export_id: (await exports.createIdle(account, asked, DECADE_MS)).id };
}

/** A form of the sandbox, for submissions. */
export const makeSandboxForm = async (app: INestApplicationContext, account: ActingAccount) => ({
  sandbox_lead_form_id: await createForm(app, account, 'Tastings'),
});

/** Returns the ids of the cards by purpose. */
async function makeCards(
  app: INestApplicationContext,
  account: ActingAccount,
  keys: Keys,
): Promise<Record<string, string>> {
  const made = {
    ...(await makeComponentCards(app.get(CardsService), account, keys)),
    ...(await makeConversationCards(app.get(ConversationCardsService), account, keys)),
    ...(await makePollCards(app.get(PollCardsService), account)),
    ...(await makeDynamicProductCards(app.get(DynamicProductCardsService), account)),
  };
  return Object.fromEntries(Object.entries(made).map(([purpose, { card }]) => [purpose, card.id]));
}

async function makeComponentCards(components: CardsService, account: ActingAccount, keys: Keys) {
  const shop = (path: string) => ({ type: 'WEBSITE', url: `https://coffee.example/${path}` }) as const;
  return {
    card_id: await components.create(
      account,
      Parsed.complete({
        name: 'Autumn blend',
        components: [
          { type: 'MEDIA', media_key: keys.autumn },
          { type: 'DETAILS', title: 'The autumn blend is here', destination: shop('autumn') },
        ],
      }),
    ),
    carousel_card_id: await components.create(
      account,
      Parsed.complete({
        name: 'Everything we roast',
        slides: (['autumn', 'coldBrew', 'giftCard'] as const).map((medium) => [
          { type: 'MEDIA', media_key: keys[medium] },
          { type: 'DETAILS', title: MEDIA[medium].name, destination: shop(medium) },
        ]),
      }),
    ),
    spare_card_id: await components.create(
      account,
      Parsed.complete({
        name: 'The app of last year',
        components: [
          { type: 'MEDIA', media_key: keys.square },
          {
            type: 'BUTTON',
            label: { type: 'ENUM', value: 'INSTALL' },
            destination: { type: 'APP', country_code: 'US', googleplay_app_id: 'com.northwind.coffee' },
          },
        ],
      }),
    ),
  };
}

async function makeConversationCards(conversations: ConversationCardsService, account: ActingAccount, keys: Keys) {
  const asked = { first_cta: '#espresso', first_cta_post: 'Espresso it is. #espresso', thank_you_text: 'Good choice!' };
  const chosen = { ...asked, title: 'Espresso or filter?', second_cta: '#filter', second_cta_post: 'Filter. #filter' };
  return {
    image_conversation_card_id: await conversations.create(
      account,
      'IMAGE_CONVERSATION',
      Parsed.complete({
        name: 'Espresso or filter',
        media_key: keys.autumn,
        ...chosen,
      }),
    ),
    spare_image_conversation_card_id: await conversations.create(
      account,
      'IMAGE_CONVERSATION',
      Parsed.complete({
        name: 'Espresso or filter, first version',
        media_key: keys.coldBrew,
        ...chosen,
      }),
    ),
    video_conversation_card_id: await conversations.create(
      account,
      'VIDEO_CONVERSATION',
      Parsed.complete({
        name: 'Watch and choose',
        media_key: keys.video,
        ...chosen,
      }),
    ),
    spare_video_conversation_card_id: await conversations.create(
      account,
      'VIDEO_CONVERSATION',
      Parsed.complete({
        name: 'Watch and choose, first version',
        media_key: keys.video,
        ...chosen,
      }),
    ),
  };
}

async function makeDynamicProductCards(products: DynamicProductCardsService, account: ActingAccount) {
  const params = Parsed.complete({ url: 'https://twitter.com?utm_source=marquee', name: 'Coffee makers' });
  return {
    dynamic_product_cards_card_id: await products.create(account, params),
    spare_dynamic_product_cards_card_id: await products.create(account, params),
  };
}

const makePollCards = async (polls: PollCardsService, account: ActingAccount) => ({
  poll_card_id: await polls.create(
    account,
    Parsed.complete({
      name: 'Roast',
      first_choice: 'Light',
      second_choice: 'Medium',
      third_choice: 'Dark',
      duration_in_minutes: 7 * 24 * 60,
    }),
  ),
  spare_poll_card_id: await polls.create(
    account,
    Parsed.complete({
      name: 'Milk',
      first_choice: 'Oat',
      second_choice: 'Cow',
      duration_in_minutes: 24 * 60,
    }),
  ),
});

/** Posts of every kind. An example deletes the first one. */
const otherPosts = (keys: Keys, cards: Record<string, string>) => [
  { text: 'Everything we roast, in one place.', card_uri: `card://${cards.carousel_card_id}`, name: 'Carousel' },
  {
    text: 'Four cups a day.',
    media_keys: [keys.autumn, keys.square, keys.coldBrew, keys.giftCard],
    name: 'Four images',
  },
  { text: 'It steams.', media_keys: [keys.steam], name: 'Steam' },
  {
    text: 'Cold brew, the film.',
    media_keys: [keys.video],
    name: 'Film',
    video_title: 'Cold brew',
    video_description: 'Twelve hours in six seconds',
  },
  { text: 'How do you like your roast?', card_uri: `card://${cards.poll_card_id}`, name: 'Poll' },
  { text: 'We are open until eight today. See you at the bar! #coffee', nullcast: false },
];

/** Returns the ids of posts, drafts and scheduled posts by purpose. */
async function makePosts(
  app: INestApplicationContext,
  account: ActingAccount,
  keys: Keys,
  cards: Record<string, string>,
  now: Date,
): Promise<Record<string, string>> {
  const posts = app.get(PostsService);
  const drafts = app.get(DraftPostsService);
  const scheduled = app.get(ScheduledPostsService);
  const as_user_id = account.userId;
  const first = await posts.create(
    account,
    Parsed.complete({
      as_user_id,
      text: 'The autumn blend is here: plum, cocoa, and a walk in the rain. #coffee',
      name: 'Autumn, with its card',
      card_uri: `card://${cards.card_id}`,
    }),
  );
  const others = [];
  for (const post of otherPosts(keys, cards))
    others.push(await posts.create(account, Parsed.complete({ as_user_id, ...post })));
  const draft = await drafts.create(
    account,
    Parsed.complete({
      as_user_id,
      text: 'Winter is coming, and so is its blend.',
      name: 'Winter',
    }),
  );
  const spareDraft = await drafts.create(
    account,
    Parsed.complete({
      as_user_id,
      text: 'Something about gift cards.',
      name: 'Gift cards',
    }),
  );
  const later = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 16) + ':00Z';
  const planned = { as_user_id, scheduled_at: later(30) };
  const one = await scheduled.create(
    account,
    Parsed.complete({ ...planned, text: 'A month of autumn. #coffee', name: 'A month in' }),
  );
  const spare = await scheduled.create(
    account,
    Parsed.complete({ ...planned, text: 'A month of something else.', name: 'Called off' }),
  );
  return {
    post_id: first.id,
    spare_post_id: others[0].id,
    other_post_id: others[1].id,
    draft_post_id: draft.id,
    spare_draft_post_id: spareDraft.id,
    scheduled_post_id: one.id,
    spare_scheduled_post_id: spare.id,
  };
}

const lower = <T extends string>(text: T) => text.toLowerCase() as Lowercase<T>;

/** The folder next to the sources or to the compiled code. */
function assetOf(file: string): string {
  const found = [`../../assets/demo/${file}`, `../../../assets/demo/${file}`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (!found) throw new Error(`the demo's ${file} is missing`);
  return found;
}
