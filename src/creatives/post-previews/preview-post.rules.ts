import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { DraftPost } from '../entities/draft-post.entity.js';
import { repliedTo } from '../composition/post-text.rules.js';
import type { ConversationSettings, Post, VideoCta } from '../entities/post.entity.js';
import type { ScheduledPost } from '../entities/scheduled-post.entity.js';
import type { ShownCard } from './preview-card.rules.js';
import type { PreviewMedia } from './preview-media.rules.js';
import { segmentsOf, webUrl, type PlacedEntities, type TextSegment } from './preview-text.rules.js';
import type { PostType } from '../posts/post.presenter.js';

/** Fields of drafts, scheduled and published posts; some apply to one type only. */
export interface StoredPost {
  id: string;
  postType: PostType;
  /** The account whose library has its media; null for posts made without an account. */
  accountId: string | null;
  authorId: string;
  text: string;
  /** Stored for published posts only. */
  entities: PlacedEntities | null;
  nullcast: boolean;
  cardId: string | null;
  /** Its card shows products. */
  dynamicProductAd: boolean;
  mediaKeys: string[];
  inReplyToUserId: string | null;
  /** The user who reposts it; null if nobody does. */
  repostedById: string | null;
  conversationSettings: ConversationSettings;
  video: { title: string | null; description: string | null; cta: VideoCta | null; url: string | null };
  stage: Stage;
}

/** State of the post, and its time. */
type Stage =
  | { kind: 'draft' }
  | { kind: 'published'; at: string }
  | { kind: 'scheduled' | 'failed'; at: string; why?: string | null };

const NO_VIDEO = { title: null, description: null, cta: null, url: null };
const PLAIN = {
  entities: null,
  dynamicProductAd: false,
  inReplyToUserId: null,
  repostedById: null,
  conversationSettings: 'EVERYONE' as const,
  video: NO_VIDEO,
};

export const draftAsStored = (draft: Row<DraftPost>): StoredPost => ({
  id: draft.id,
  postType: 'DRAFT',
  accountId: draft.accountId,
  authorId: draft.userId,
  text: draft.text,
  nullcast: draft.nullcast,
  cardId: draft.cardId,
  mediaKeys: draft.mediaKeys,
  stage: { kind: 'draft' },
  ...PLAIN,
});

export const scheduledAsStored = (post: Row<ScheduledPost>): StoredPost => ({
  id: post.id,
  postType: 'SCHEDULED',
  accountId: post.accountId,
  authorId: post.userId,
  text: post.text,
  nullcast: post.nullcast,
  cardId: post.cardId,
  mediaKeys: post.mediaKeys,
  stage: stageOf(post),
  ...PLAIN,
});

function stageOf({ scheduledStatus, scheduledAt, completedAt, failure }: Row<ScheduledPost>): Stage {
  if (scheduledStatus === 'FAILED') return { kind: 'failed', at: completedAt ?? scheduledAt, why: failure };
  if (scheduledStatus === 'SUCCESS') return { kind: 'published', at: completedAt ?? scheduledAt };
  return { kind: 'scheduled', at: scheduledAt };
}

export const publishedAsStored = (post: Row<Post>): StoredPost => ({
  id: post.id,
  postType: 'PUBLISHED',
  accountId: post.accountId,
  authorId: post.authorId,
  text: post.text,
  entities: post.entities,
  nullcast: post.nullcast,
  cardId: post.cardId,
  dynamicProductAd: post.dynamicProductAd,
  mediaKeys: post.mediaKeys,
  inReplyToUserId: post.inReplyToUserId,
  repostedById: null,
  conversationSettings: post.conversationSettings,
  video: {
    title: post.videoTitle,
    description: post.videoDescription,
    cta: post.videoCta,
    url: post.videoCtaValue,
  },
  stage: { kind: 'published', at: post.createdAt },
});

/** A repost shows the original post, and the reposting user above it. */
export const repostAsStored = (repost: Row<Post>, original: Row<Post>): StoredPost => ({
  ...publishedAsStored(original),
  id: repost.id,
  nullcast: repost.nullcast,
  repostedById: repost.authorId,
});

/** A post as the preview page shows it. */
export interface ShownPost {
  id: string;
  postType: PostType;
  /** What the page shows depends on who requested it. */
  dynamicProductAd: boolean;
  author: { name: string; handle: string; initial: string; hue: number };
  replyingTo?: string;
  /** Name of the reposting user. */
  repostedBy?: string;
  text: TextSegment[];
  promoted: boolean;
  /** A card replaces media; `gone` is a deleted card. */
  card?: ShownCard | { kind: 'gone' };
  media: PreviewMedia[];
  video?: { title: string | null; description: string | null; label: string; href?: string };
  /** Who may reply, unless everybody may. */
  replies?: string;
  /** Text about the state of the post, around a time if there is one. */
  stage: { text: string; at?: string; time?: string; failure?: string | null };
}

/** Data that the preview needs besides the post. */
export interface PreviewContext {
  author: { id: string; name: string; username: string } | undefined;
  /** The user that the post replies to, if stored. */
  replyingTo?: { username: string };
  repostedBy?: { name: string; username: string };
  card?: ShownCard | { kind: 'gone' };
  media: PreviewMedia[];
  /** The account's timezone, in which the page shows times. */
  timezone: string;
  entitiesOf(text: string): PlacedEntities;
}

const CTAS: Record<VideoCta, string> = { VISIT_SITE: 'Visit site', WATCH_NOW: 'Watch now' };

const REPLIES: Record<ConversationSettings, ((handle: string) => string) | undefined> = {
  EVERYONE: undefined,
  FOLLOWING: (handle) => `People @${handle} follows or mentioned can reply`,
  MENTIONED_USERS: (handle) => `People @${handle} mentioned can reply`,
};

/**
 * Whether media removed from the library are hidden. Published posts and cards keep them, but a draft or scheduled post
 * cannot be published without them.
 */
export const needsLibrary = ({ stage }: StoredPost): boolean => stage.kind !== 'published';

/** If a post has a card and media, the preview shows the card. */
export function shownPost(post: StoredPost, context: PreviewContext): ShownPost {
  const { name, username, id } = context.author ?? { name: 'Unknown', username: 'unknown', id: '0' };
  const { video } = post;
  const replies = REPLIES[post.conversationSettings]?.(username);
  const isVideo = context.card === undefined && context.media[0]?.kind === 'video';
  const href = webUrl(video.url);
  const entities = post.entities ?? context.entitiesOf(post.text);
  const replyingTo = context.replyingTo?.username ?? repliedTo(entities)?.screen_name;
  return {
    id: post.id,
    postType: post.postType,
    dynamicProductAd: post.dynamicProductAd,
    author: { name, handle: username, initial: initialOf(name || username), hue: hueOf(id) },
    ...(replyingTo !== undefined && { replyingTo }),
    ...(context.repostedBy && { repostedBy: context.repostedBy.name || `@${context.repostedBy.username}` }),
    text: segmentsOf(post.text, entities),
    promoted: post.nullcast,
    ...(context.card && { card: context.card }),
    media: context.card ? [] : context.media,
    ...(isVideo &&
      (video.title || video.description || href) && {
        video: {
          title: video.title,
          description: video.description,
          label: video.cta ? CTAS[video.cta] : CTAS.VISIT_SITE,
          ...(href && { href }),
        },
      }),
    ...(replies && { replies }),
    stage: stageShown(post.stage, context.timezone),
  };
}

function stageShown(stage: Stage, timezone: string): ShownPost['stage'] {
  if (stage.kind === 'draft') return { text: 'Draft, not published' };
  const time = { at: wireTime(stage.at), time: timeIn(timezone, stage.at) };
  if (stage.kind === 'published') return { text: '', ...time };
  if (stage.kind === 'scheduled') return { text: 'Scheduled for', ...time };
  return { text: 'Was not published at', ...time, failure: stage.why ?? null };
}

/** A time in the account's timezone, with the timezone's name. */
export function timeIn(timezone: string, time: string): string {
  const parts = (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }).format(new Date(time));
  // Intl inserts a narrow space before AM and PM
  return parts(timezone).replace(/\u202f/g, ' ');
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Initial shown for a user without a picture. */
function initialOf(name: string): string {
  const [first] = SEGMENTER.segment(name.trim());
  return (first?.segment ?? '?').toUpperCase();
}

/** Hue of a user's color in degrees; adjacent ids differ widely. */
const hueOf = (id: string): number => (Number(BigInt(id) % 1_000n) * 137) % 360;
