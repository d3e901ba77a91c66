import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** Who may reply to a post. */
export const CONVERSATION_SETTINGS = closedSet('ConversationSettings', ['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS']);
export type ConversationSettings = (typeof CONVERSATION_SETTINGS)[number];

export const VIDEO_CTAS = closedSet('VideoCta', ['VISIT_SITE', 'WATCH_NOW']);
export type VideoCta = (typeof VIDEO_CTAS)[number];

/** The index that keeps an author from publishing the same twice in a day. */
export const UNIQUE_POST_INDEX = 'posts_not_twice';

/** A published post of a user of the platform. Ids are decimal. */
@Entity('posts')
@Index('posts_of_author', ['authorId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('posts_nullcast', ['authorId', 'id'], { where: '"nullcast" AND NOT "conversational" AND "deletedAt" IS NULL' })
@Index('posts_organic', ['authorId', 'id'], {
  where: 'NOT "nullcast" AND NOT "conversational" AND "deletedAt" IS NULL',
})
@Index(['authorId', 'updatedAt', 'id'])
@Index(UNIQUE_POST_INDEX, ['authorId', 'digest'], { unique: true })
export class Post extends Resource {
  /** The account it was made in; null where nobody advertised it. */
  @IdColumn({ nullable: true }) accountId: string | null;
  /** Who says it: `as_user_id`. */
  @IdColumn() authorId: string;
  /** Who made it on the author's behalf; null where they did it themselves. */
  @IdColumn({ nullable: true }) contributorId: string | null;
  @Column({ type: 'varchar' }) text: string;
  /** The language of the text, as far as it can be told: BCP 47. */
  @Column({ type: 'varchar' }) lang: string;
  /** What of the text is a hashtag, a mention, a link or a symbol, as answers show it. */
  @Column({ type: 'json' }) entities: object;
  /** Promoted only: in no timeline of its author. */
  @Column({ type: 'boolean' }) nullcast: boolean;
  @IdColumn({ nullable: true }) cardId: string | null;
  /** Up to four images, or one GIF, or one video. */
  @Column({ type: 'varchar', array: true }) mediaKeys: string[];
  @Column({ type: 'varchar' }) conversationSettings: ConversationSettings;
  @IdColumn({ nullable: true }) inReplyToPostId: string | null;
  @IdColumn({ nullable: true }) inReplyToUserId: string | null;
  /** A reply, or begins with a mention. */
  @Column({ type: 'boolean' }) conversational: boolean;
  @Column({ type: 'varchar', nullable: true }) videoTitle: string | null;
  @Column({ type: 'varchar', nullable: true }) videoDescription: string | null;
  @Column({ type: 'varchar', nullable: true }) videoCta: VideoCta | null;
  @Column({ type: 'varchar', nullable: true }) videoCtaValue: string | null;
  /** The post that it repeats: a repost is promoted only, says and shows the same, and is never changed. */
  @IdColumn({ nullable: true }) repostOfId: string | null;
  /** SHA-256 of what it says and shows and of the day, in hexadecimal; of a repost, of what it was made for. */
  @IdColumn() digest: string;
}
