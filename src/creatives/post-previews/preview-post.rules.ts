import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { DraftPost } from '../entities/draft-post.entity.js';
import { repliedTo } from '../composition/post-text.rules.js';
import type { ConversationSettings, Post, VideoCta } from '../entities/post.entity.js';
import type { ScheduledPost } from '../entities/scheduled-post.entity.js';
import type { ShownCard } from './preview-card.rules.js';
import type { ShownMedia } from './preview-media.rules.js';
import { segmentsOf, webUrl, type PlacedEntities, type Segment } from './preview-text.rules.js';
import type { PostType } from '../posts/post.presenter.js';

/** What drafts, scheduled and published posts have in common, and what only some of them have. */
export interface StoredPost {
  id: string;
  postType: PostType;
  /** In whose library its media are; null where nobody advertised it. */
  accountId: string | null;
  authorId: string;
  text: string;
  /** Stored with published posts alone. */
  entities: PlacedEntities | null;
  nullcast: boolean;
  cardId: string | null;
  mediaKeys: string[];
  inReplyToUserId: string | null;
  /** Who repeats it, where somebody does. */
  repostedById: string | null;
  conversationSettings: ConversationSettings;
  video: { title: string | null; description: string | null; cta: VideoCta | null; url: string | null };
  stage: Stage;
}

/** How far it has come, and when. */
type Stage =
  | { kind: 'draft' }
  | { kind: 'published'; at: string }
  | { kind: 'scheduled' | 'failed'; at: string; why?: string | null };

const NO_VIDEO = { title: null, description: null, cta: null, url: null };
const PLAIN = {
  entities: null,
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

/** A repost shows the post that it repeats, and above it who does so. */
export const repostAsStored = (repost: Row<Post>, original: Row<Post>): StoredPost => ({
  ...publishedAsStored(original),
  id: repost.id,
  nullcast: repost.nullcast,
  repostedById: repost.authorId,
});

/** A post as the page shows it. */
export interface ShownPost {
  id: string;
  postType: PostType;
  author: { name: string; handle: string; initial: string; hue: number };
  replyingTo?: string;
  /** What whoever repeats it is called. */
  repostedBy?: string;
  text: Segment[];
  promoted: boolean;
  /** A card takes the place of media; `gone` is one that was deleted. */
  card?: ShownCard | { kind: 'gone' };
  media: ShownMedia[];
  video?: { title: string | null; description: string | null; label: string; href?: string };
  /** Who may reply, where not everybody may. */
  replies?: string;
  /** What is said of its state, around a moment where there is one. */
  stage: { text: string; at?: string; time?: string; failure?: string | null };
}

/** What a post is shown with, read beforehand. */
export interface PreviewContext {
  author: { id: string; name: string; username: string } | undefined;
  /** Whom a reply answers, where that is stored. */
  replyingTo?: { username: string };
  repostedBy?: { name: string; username: string };
  card?: ShownCard | { kind: 'gone' };
  media: ShownMedia[];
  /** The account's, in which people read times. */
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
 * Whether media that were removed from the library show no more: posts that are live and cards go on with them, but a draft
 * or a scheduled post cannot go live without.
 */
export const needsLibrary = ({ stage }: StoredPost): boolean => stage.kind !== 'published';

/** With both, the card is what is shown. */
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

/** A moment in the account's timezone, which is said. */
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
  // a space of another width than people type stands before AM and PM
  return parts(timezone).replace(/\u202f/g, ' ');
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What stands in the circle of somebody without a picture. */
function initialOf(name: string): string {
  const [first] = SEGMENTER.segment(name.trim());
  return (first?.segment ?? '?').toUpperCase();
}

/** A color of their own for everybody, in degrees: neighbouring ids differ much. */
const hueOf = (id: string): number => (Number(BigInt(id) % 1_000n) * 137) % 360;
