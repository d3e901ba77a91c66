import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { BlobStore } from '../../../src/common/blobs/blob-store.js';
import { Clock } from '../../../src/common/time/clock.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newNumber } from '../../../src/common/entity/ids.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { Card } from '../../../src/creatives/entities/card.entity.js';
import { LibraryMedia } from '../../../src/creatives/entities/library-media.entity.js';
import { CardsService } from '../../../src/creatives/cards/cards.service.js';
import type { CreateCard } from '../../../src/creatives/cards/cards.dto.js';
import type { SentConversation } from '../../../src/creatives/conversation-cards/conversation-card.rules.js';
import { ConversationCardsService } from '../../../src/creatives/conversation-cards/conversation-cards.service.js';
import type { CreateDynamicProductCard } from '../../../src/creatives/dynamic-product-cards/dynamic-product-cards.dto.js';
import { DynamicProductCardsService } from '../../../src/creatives/dynamic-product-cards/dynamic-product-cards.service.js';
import type { CreatePollCard } from '../../../src/creatives/poll-cards/poll-cards.dto.js';
import { PollCardsService } from '../../../src/creatives/poll-cards/poll-cards.service.js';
import { mediaKeyOf } from '../../../src/creatives/media-files/media-key.js';
import { Media, type MediaCategory, type MediaType } from '../../../src/creatives/entities/media.entity.js';
import { world } from '../app.js';
import type { CreateDraftPost } from '../../../src/creatives/draft-posts/draft-posts.dto.js';
import { DraftPostsService } from '../../../src/creatives/draft-posts/draft-posts.service.js';
import { Post } from '../../../src/creatives/entities/post.entity.js';
import { newPost } from '../../../src/creatives/posts/post.rules.js';
import { PostPublication } from '../../../src/creatives/posts/post-publication.service.js';
import type { CreatePost } from '../../../src/creatives/posts/posts.dto.js';
import { PostTermsService } from '../../../src/creatives/post-terms/post-terms.service.js';
import { PostsService } from '../../../src/creatives/posts/posts.service.js';
import type { CreateLeadForm } from '../../../src/creatives/lead-forms/lead-forms.dto.js';
import { LeadFormsService } from '../../../src/creatives/lead-forms/lead-forms.service.js';
import type { CreateScheduledPost } from '../../../src/creatives/scheduled-posts/scheduled-posts.dto.js';
import { ScheduledPostsService } from '../../../src/creatives/scheduled-posts/scheduled-posts.service.js';
import { fresh, type Some } from './fresh.js';

interface MediumFacts {
  category?: MediaCategory;
  width?: number;
  height?: number;
  /** Who uploaded it; the acting user unless given. */
  ownerId?: string;
  additionalOwners?: string[];
  name?: string | null;
  /** In bytes. */
  size?: number;
  contentType?: string;
  /** What the file holds, and its poster; without them there is nothing behind the row. */
  bytes?: Buffer;
  posterBytes?: Buffer;
}

type PlatformPost = Partial<Pick<Row<Post>, 'text' | 'nullcast' | 'accountId' | 'inReplyToUserId'>>;

const TYPES: Record<MediaCategory, { mediaType: MediaType; contentType: string; ending: string }> = {
  POST_IMAGE: { mediaType: 'IMAGE', contentType: 'image/jpeg', ending: 'jpg' },
  POST_GIF: { mediaType: 'GIF', contentType: 'image/gif', ending: 'gif' },
  POST_VIDEO: { mediaType: 'VIDEO', contentType: 'video/mp4', ending: 'mp4' },
  AMPLIFY_VIDEO: { mediaType: 'VIDEO', contentType: 'video/mp4', ending: 'mp4' },
};

export const creatives = {
  /** A medium in the account's library, as if it had been uploaded. */
  async libraryMedia(
    account: ActingAccount,
    {
      category = 'POST_IMAGE',
      width = 1200,
      height = category === 'POST_IMAGE' ? 628 : 675,
      ownerId = account.userId,
      additionalOwners = [],
      name = null,
      bytes,
      posterBytes,
      size = bytes?.length ?? 1_000,
      contentType = TYPES[category].contentType,
    }: MediumFacts = {},
  ): Promise<Row<LibraryMedia>> {
    const now = world().get(Clock).now();
    const { mediaType, ending } = TYPES[category];
    const isVideo = mediaType === 'VIDEO';
    const file = `${fresh('file').replace('_', '-')}-${now.getTime()}.${ending}`;
    const posterFile = mediaType === 'IMAGE' ? null : `${fresh('poster').replace('_', '-')}-${now.getTime()}.jpg`;
    const found = { mediaType, contentType, width, height, duration: isVideo ? 10_000 : null, file, posterFile };
    const media: Row<Media> = {
      ...newRow(now, newNumber),
      ...found,
      ownerId,
      additionalOwners,
      category,
      state: 'SUCCEEDED',
      failure: null,
      altText: null,
      allowsDownload: null,
      attempts: 0,
      attemptedAt: null,
      size,
      sha256: '0'.repeat(64),
      posterSize: posterFile === null ? null : (posterBytes?.length ?? 500),
      posterSha256: posterFile === null ? null : '1'.repeat(64),
      expiresAt: null,
    };
    const inLibrary: Row<LibraryMedia> = {
      ...newRow(now),
      ...found,
      accountId: account.id,
      mediaId: media.id,
      mediaKey: mediaKeyOf(category, media.id),
      mediaCategory: category,
      name,
      fileName: null,
      title: null,
      description: null,
      terms: [],
      posterMediaKey: null,
      posted: false,
      size: media.size,
    };
    for (const [name, content, type] of [
      [file, bytes, contentType],
      [posterFile, posterBytes, 'image/jpeg'],
    ] as const) {
      if (!name || !content) continue;
      await world()
        .app.get(BlobStore)
        .put(`media/${name}`, Readable.from([content]), { contentType: type });
    }
    await write(world().get(DataSource).manager, [insert(Media, [media]), insert(LibraryMedia, [inLibrary])]);
    return inLibrary;
  },

  /** A card with an image that leads to a website, unless said otherwise. */
  async card(account: ActingAccount, params: Partial<CreateCard> = {}): Promise<Row<Card>> {
    const media_key = params.components || params.slides ? '' : (await creatives.libraryMedia(account)).mediaKey;
    const components: CreateCard['components'] = [
      { type: 'MEDIA', media_key },
      { type: 'DETAILS', title: 'Offers', destination: { type: 'WEBSITE', url: 'https://example.com/offers' } },
    ];
    const named = { name: fresh('Card'), ...params };
    const made = { ...named, ...(!params.components && !params.slides && { components }) };
    return (await world().get(CardsService).create(account, Parsed.complete(made))).card;
  },

  /** A card with an image that asks for a hashtag. */
  async imageConversationCard(account: ActingAccount, params: SentConversation = {}): Promise<Row<Card>> {
    const mediaKey = params.media_key ?? (await creatives.libraryMedia(account)).mediaKey;
    const made = { name: fresh('Card'), ...CONVERSATION, ...params, media_key: mediaKey };
    return (await world().get(ConversationCardsService).create(account, 'IMAGE_CONVERSATION', Parsed.complete(made)))
      .card;
  },

  /** A card with a video that asks for a hashtag. */
  async videoConversationCard(account: ActingAccount, params: SentConversation = {}): Promise<Row<Card>> {
    const mediaKey = params.media_key ?? (await creatives.libraryMedia(account, { category: 'POST_VIDEO' })).mediaKey;
    const made = { name: fresh('Card'), ...CONVERSATION, ...params, media_key: mediaKey };
    return (await world().get(ConversationCardsService).create(account, 'VIDEO_CONVERSATION', Parsed.complete(made)))
      .card;
  },

  /** A card that shows the products of a set. */
  async dynamicProductCard(account: ActingAccount, params: Partial<CreateDynamicProductCard> = {}): Promise<Row<Card>> {
    const made = { url: 'https://twitter.com?utm_source=x', name: fresh('Products'), ...params };
    return (await world().get(DynamicProductCardsService).create(account, Parsed.complete(made))).card;
  },

  /** A poll without media that is open for a day. */
  async pollCard(account: ActingAccount, params: Partial<CreatePollCard> = {}): Promise<Row<Card>> {
    const made = {
      name: fresh('Poll'),
      first_choice: 'Yes',
      second_choice: 'No',
      duration_in_minutes: 1_440,
      ...params,
    };
    return (await world().get(PollCardsService).create(account, Parsed.complete(made))).card;
  },

  /** A draft of the acting user, promoted only. */
  draftPost: ({ account, as_user_id = account.userId, text = fresh('Draft'), ...params }: Some<CreateDraftPost>) =>
    world()
      .get(DraftPostsService)
      .create(account, Parsed.complete({ as_user_id, text, ...params })),

  /** A post of the acting user that goes live in an hour, promoted only. */
  scheduledPost: ({
    account,
    as_user_id = account.userId,
    text = fresh('Scheduled'),
    scheduled_at = new Date(world().clock.now().getTime() + 3_600_000).toISOString(),
    ...params
  }: Some<CreateScheduledPost>) =>
    world()
      .get(ScheduledPostsService)
      .create(account, Parsed.complete({ as_user_id, text, scheduled_at, ...params })),

  leadForm: ({ account, ...params }: Some<CreateLeadForm>) =>
    world()
      .get(LeadFormsService)
      .create(account, {
        name: fresh('Form'),
        purpose: 'Invitations',
        fields: [{ key: 'EMAIL' }],
        privacy_policy: { url: 'https://example.com/privacy', company_name: 'Northwind' },
        ...params,
      }),

  /** A published post of the acting user, promoted only. */
  post: ({ account, as_user_id = account.userId, text = fresh('Post'), ...params }: Some<CreatePost>) =>
    world()
      .get(PostsService)
      .create(account, Parsed.complete({ as_user_id, text, ...params })),

  /** A post that a user of the platform made without an account, or in this one. */
  async platformPost(
    authorId: string,
    { text = fresh('Platform post'), nullcast = false, accountId = null, inReplyToUserId = null }: PlatformPost = {},
  ): Promise<Row<Post>> {
    const now = world().get(Clock).now();
    const { manager } = world().get(DataSource);
    const { users, countries } = await world().get(PostPublication).context([authorId], text, manager);
    const composition = { userId: authorId, text, cardId: null, mediaKeys: [], nullcast, name: null };
    const fields = newPost({ id: '', userId: authorId }, composition, { users, now });
    const conversational = fields.conversational || inReplyToUserId !== null;
    const post: Row<Post> = { ...newRow(now, newNumber), ...fields, accountId, inReplyToUserId, conversational };
    const terms = world().get(PostTermsService).of([post], countries);
    await write(manager, [insert(Post, [post]), terms]);
    return post;
  },
};

const CONVERSATION = {
  title: 'How do you like it?',
  first_cta: '#espresso',
  first_cta_post: 'Espresso, please',
  thank_you_text: 'Thanks',
};
