import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { newNumber } from '../../common/entity/ids.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, NotInSnapshots, PostId, TextColumn } from '../../common/entity/snapshots.js';
import { duplicatePost } from '../creatives.errors.js';

/** Users who may reply to a post. */
export const CONVERSATION_SETTINGS = closedSet('ConversationSettings', ['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS']);
export type ConversationSettings = (typeof CONVERSATION_SETTINGS)[number];

export const VIDEO_CTAS = closedSet('VideoCta', ['VISIT_SITE', 'WATCH_NOW']);
export type VideoCta = (typeof VIDEO_CTAS)[number];

/** Unique index: an author cannot publish the same post twice in a day. */
export const UNIQUE_POST_INDEX = 'posts_not_twice';

/** A published post of a platform user. Ids are decimal. */
@Entity('posts')
@NotInSnapshots('posts belong to their authors, and other accounts may promote them')
@Index('posts_of_author', ['authorId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('posts_nullcast', ['authorId', 'id'], { where: '"nullcast" AND NOT "conversational" AND "deletedAt" IS NULL' })
@Index('posts_organic', ['authorId', 'id'], {
  where: 'NOT "nullcast" AND NOT "conversational" AND "deletedAt" IS NULL',
})
@Index('posts_media', { synchronize: false })
@Index('posts_card', ['cardId'], { where: '"cardId" IS NOT NULL' })
@Index(['authorId', 'updatedAt', 'id'])
@Index(UNIQUE_POST_INDEX, ['authorId', 'digest'], { unique: true })
export class Post extends Resource {
  /** The account that created it; null for posts made without an account. */
  @IdColumn({ nullable: true }) accountId: string | null;
  /** Author: `as_user_id`. */
  @IdColumn() authorId: string;
  /** The user who created it on behalf of the author; null if the author did. */
  @IdColumn({ nullable: true }) contributorId: string | null;
  @Column({ type: 'varchar' }) text: string;
  /** Detected language of the text, a BCP 47 tag. */
  @Column({ type: 'varchar' }) lang: string;
  /** Hashtags, mentions, links and symbols in the text, as in responses. */
  @Column({ type: 'json' }) entities: object;
  /** Promoted only: absent from its author's timeline. */
  @Column({ type: 'boolean' }) nullcast: boolean;
  @IdColumn({ nullable: true }) cardId: string | null;
  /** Its card shows products of the set that a line item advertises. */
  @Column({ type: 'boolean', default: false }) dynamicProductAd: boolean;
  /** Up to four images, one GIF or one video. */
  @Column({ type: 'varchar', array: true }) mediaKeys: string[];
  @Column({ type: 'varchar' }) conversationSettings: ConversationSettings;
  @IdColumn({ nullable: true }) inReplyToPostId: string | null;
  @IdColumn({ nullable: true }) inReplyToUserId: string | null;
  /** Whether the post is a reply or begins with a mention. */
  @Column({ type: 'boolean' }) conversational: boolean;
  @Column({ type: 'varchar', nullable: true }) videoTitle: string | null;
  @Column({ type: 'varchar', nullable: true }) videoDescription: string | null;
  @Column({ type: 'varchar', nullable: true }) videoCta: VideoCta | null;
  @Column({ type: 'varchar', nullable: true }) videoCtaValue: string | null;
  /** The post that it repeats. A repost is promoted only, has the same content and never changes. */
  @IdColumn({ nullable: true }) repostOfId: string | null;
  /** SHA-256 in hexadecimal of the content and the day; for a repost, of its purpose. */
  @IdColumn() digest: string;
}

/** Posts belong to their author; `accountId` is the account that created one. */
export const POSTS = defineResource<Post>({
  entity: Post,
  name: 'POST',
  label: 'Post',
  parameter: 'post_id',
  newId: newNumber,
  uniques: [{ index: UNIQUE_POST_INDEX, columns: ['authorId', 'digest'], everywhere: true, refusal: duplicatePost }],
  events: { listPerType: true },
});

/** An account's name for a post. Each account has its own. */
@Entity('post_names')
@InSnapshots()
@Index('post_names_name', { synchronize: false })
export class PostName {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) @PostId() postId: string;
  @TextColumn() name: string;
}
