import { createHash } from 'node:crypto';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { inclusive, invalid } from '../../common/errors/catalogue.js';
import type { Composition, CompositionContext } from '../composition/composition.rules.js';
import { beginsWithMention, entitiesOf, languageOf, type Mentionable } from '../composition/post-text.rules.js';
import type { ConversationSettings, Post, VideoCta } from '../entities/post.entity.js';

/** Fields that a published post has and a draft does not. */
export interface VideoDetails {
  video_title?: string | null;
  video_description?: string | null;
  video_cta?: VideoCta | null;
  video_cta_value?: string | null;
}

/** Digest that must be unique among a user's posts of one UTC day. Media and card count as content. */
export const postDigestOf = ({ text, mediaKeys, cardId }: Composition, at: Date): string =>
  createHash('sha256')
    .update(JSON.stringify([text, mediaKeys, cardId, at.toISOString().slice(0, 10)]))
    .digest('hex');

/** Builds the published post of a composition. */
export function newPost(
  account: { id: string; userId: string },
  composition: Composition,
  { users, now, settings = 'EVERYONE', video = {} }: Publishing,
): NewColumns<Post> {
  const { userId, text, cardId, mediaKeys, nullcast, dynamicProductAd = false } = composition;
  const entities = entitiesOf(text, users);
  return {
    accountId: account.id,
    authorId: userId,
    contributorId: account.userId === userId ? null : account.userId,
    text,
    lang: languageOf(text),
    entities,
    nullcast,
    cardId,
    dynamicProductAd,
    mediaKeys,
    conversationSettings: settings,
    inReplyToPostId: null,
    inReplyToUserId: null,
    conversational: beginsWithMention(entities),
    videoTitle: video.video_title || null,
    videoDescription: video.video_description || null,
    videoCta: video.video_cta || null,
    videoCtaValue: video.video_cta_value || null,
    repostOfId: null,
    digest: postDigestOf(composition, now),
  };
}

/** Digest of a repost's purpose, so that a line item has one repost of each post. */
export const digestOfRepost = (madeFor: string, originalId: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['repost', madeFor, originalId]))
    .digest('hex');

/** A repost of another user's post by the account's FULL promotable user, for promotion. */
export const newRepost = (
  account: { id: string; userId: string },
  authorId: string,
  original: Row<Post>,
  madeFor: string,
): NewColumns<Post> => ({
  accountId: account.id,
  authorId,
  contributorId: account.userId === authorId ? null : account.userId,
  text: original.text,
  lang: original.lang,
  entities: original.entities,
  nullcast: true,
  cardId: original.cardId,
  dynamicProductAd: original.dynamicProductAd,
  mediaKeys: original.mediaKeys,
  conversationSettings: original.conversationSettings,
  inReplyToPostId: null,
  inReplyToUserId: null,
  conversational: false,
  videoTitle: original.videoTitle,
  videoDescription: original.videoDescription,
  videoCta: original.videoCta,
  videoCtaValue: original.videoCtaValue,
  repostOfId: original.repostOfId ?? original.id,
  digest: digestOfRepost(madeFor, original.id),
});

/** Context of publication. */
export interface Publishing {
  /** Users that the text may mention. */
  users: readonly Mentionable[];
  now: Date;
  settings?: ConversationSettings;
  video?: VideoDetails;
}

const VIDEO_FIELDS = ['video_title', 'video_description', 'video_cta'] as const;

/** Requires a video for the video fields. */
export function videoProblems(
  sent: VideoDetails,
  mediaKeys: readonly string[],
  { library }: Pick<CompositionContext, 'library'>,
): ApiError[] {
  const found = mediaKeys.map((key) => library.get(key)?.mediaType);
  // other rules reject unknown media
  if (found.includes('VIDEO') || found.includes(undefined)) return [];
  const types = mediaKeys.map((key, i) => `${key} is of type ${found[i]}`).join(', ');
  return VIDEO_FIELDS.filter((name) => sent[name]).map((name) =>
    mediaKeys.length === 0
      ? inclusive(name, 'media_keys', `${name} is for a post with a video`)
      : invalid(name, `${name} is for a post with a video`, { value: sent[name], details: types }),
  );
}

/** Requires the call to action and its URL together. */
export function callToActionProblem({
  video_cta,
  video_cta_value,
}: Pick<VideoDetails, 'video_cta' | 'video_cta_value'>): ApiError | undefined {
  if (Boolean(video_cta) === Boolean(video_cta_value)) return undefined;
  return video_cta ? inclusive('video_cta', 'video_cta_value') : inclusive('video_cta_value', 'video_cta');
}
