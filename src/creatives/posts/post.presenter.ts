import { ApiProperty } from '@nestjs/swagger';
import type { User } from '../../auth/credentials/user.entity.js';
import { closedSet } from '../../common/closed-set.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { SCHEDULED_STATUSES, type ScheduledStatus } from '../entities/scheduled-post.entity.js';
import { AuthorView, presentAuthor, presentAuthorId } from './author.presenter.js';
import { cardUriOf } from '../composition/composition.rules.js';
import { longTime } from './long-time.js';
import { CONVERSATION_SETTINGS, type ConversationSettings } from '../entities/post.entity.js';
import { compatOf, displayRangeOf, lengthOf, type Indices, type TextEntities } from '../composition/post-text.rules.js';

export const POST_TYPES = closedSet('PostType', ['DRAFT', 'PUBLISHED', 'SCHEDULED']);
export type PostType = (typeof POST_TYPES)[number];

const MEDIA_ENTITY_TYPES = closedSet('MediaEntityType', ['photo', 'animated_gif', 'video']);
type MediaEntityType = (typeof MEDIA_ENTITY_TYPES)[number];

const INDICES = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 } as const;
const ID_NUMBER = { type: 'integer', format: 'int64' } as const;
const NOTHING = { type: Object, nullable: true, additionalProperties: true } as const;

class TagView {
  /** What stands behind its `#` or `$`. */
  @ApiProperty() text: string;
  /** Where it stands in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class MentionView {
  /** The user's handle. */
  @ApiProperty() screen_name: string;
  /** What the user is called. */
  @ApiProperty() name: string;
  /** The user's id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** The user's id. */
  @ApiProperty(DECIMAL_ID) id_str: string;
  /** Where it stands in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class UrlView {
  /** The link as it was written. */
  @ApiProperty() url: string;
  /** Where it leads. */
  @ApiProperty() expanded_url: string;
  /** How it is shown. */
  @ApiProperty() display_url: string;
  /** Where it stands in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class MediaEntityView {
  /** The medium's id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** The medium's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** Its key in the media library. */
  @ApiProperty() @Unescaped() media_key: string;
  /** The end of the text, where it is shown. */
  @ApiProperty(INDICES) indices: Indices;
  /** The image, or the first frame. */
  @ApiProperty({ type: String, format: 'uri' }) media_url: string;
  /** The image, or the first frame. */
  @ApiProperty({ type: String, format: 'uri' }) media_url_https: string;
  /** The file itself. */
  @ApiProperty({ type: String, format: 'uri' }) url: string;
  /** The file itself. */
  @ApiProperty({ type: String, format: 'uri' }) expanded_url: string;
  /** How its address is shown. */
  @ApiProperty() display_url: string;
  /** What it is. */
  @ApiProperty(enumSchema(MEDIA_ENTITY_TYPES)) @Unescaped() type: MediaEntityType;
}

class EntitiesView {
  /** Its hashtags. */
  @ApiProperty({ type: TagView, isArray: true }) hashtags: TagView[];
  /** Its symbols, such as `$BEAN`. */
  @ApiProperty({ type: TagView, isArray: true }) symbols: TagView[];
  /** The users that it mentions. */
  @ApiProperty({ type: MentionView, isArray: true }) user_mentions: MentionView[];
  /** Its links. */
  @ApiProperty({ type: UrlView, isArray: true }) urls: UrlView[];
  /** Its images, or its GIF, or its video; absent where there are none. */
  @ApiProperty({ type: MediaEntityView, isArray: true, required: false }) media?: MediaEntityView[];
}

class ScopesView {
  /** Whether it is in the timelines of those who follow its author. */
  @ApiProperty() followers: boolean;
}

/** What every object of a post has. */
class PostFields {
  /** When it was made. */
  @ApiProperty({ type: String, example: 'Tue Aug 27 22:22:12 +0000 2019' }) @Unescaped() created_at: string;
  /** Its id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** Its id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** What the account calls it. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Whether the text is cut. */
  @ApiProperty() truncated: boolean;
  /** What of the text is more than text. */
  @ApiProperty({ type: EntitiesView }) entities: EntitiesView;
  /** With what it was made: a link, as HTML. */
  @ApiProperty() source: string;
  /** The post that it answers, as a number. */
  @ApiProperty({ ...ID_NUMBER, nullable: true }) in_reply_to_status_id: number | null;
  /** The post that it answers. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) in_reply_to_status_id_str: string | null;
  /** The user whom it answers, as a number. */
  @ApiProperty({ ...ID_NUMBER, nullable: true }) in_reply_to_user_id: number | null;
  /** The user whom it answers. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) in_reply_to_user_id_str: string | null;
  /** The handle of the user whom it answers. */
  @ApiProperty({ type: String, nullable: true }) in_reply_to_screen_name: string | null;
  /** Its author. */
  @ApiProperty({ type: AuthorView }) user: AuthorView;
  /** Always null: posts have no place. */
  @ApiProperty(NOTHING) geo: object | null;
  /** Always null: posts have no place. */
  @ApiProperty(NOTHING) coordinates: object | null;
  /** Always null: posts have no place. */
  @ApiProperty(NOTHING) place: object | null;
  /** The users who made it on behalf of its author; null where the author did. */
  @ApiProperty({ type: 'integer', isArray: true, nullable: true }) contributors: number[] | null;
  /** How often it was reposted. */
  @ApiProperty({ type: 'integer' }) retweet_count: number;
  /** How often it was liked. */
  @ApiProperty({ type: 'integer' }) favorite_count: number;
  /** Whether the caller liked it. */
  @ApiProperty() favorited: boolean;
  /** Whether the caller reposted it. */
  @ApiProperty() retweeted: boolean;
  /** To whom it is shown. */
  @ApiProperty({ type: ScopesView }) scopes: ScopesView;
  /** The language of its text: BCP 47, or `und`. */
  @ApiProperty() @Unescaped() lang: string;
  /** The card that is shown below the text; absent where there is none. */
  @ApiProperty({ type: String, required: false, example: 'card://1234567890123456' }) @Unescaped() card_uri?: string;
}

/** A post, a draft or a scheduled post as lists show it. */
export class PostView extends PostFields {
  /** Whether it is deleted. */
  @ApiProperty() deleted: boolean;
  /** Its whole text. */
  @ApiProperty() full_text: string;
  /** What of it is shown: from the first code point up to but not including the second. */
  @ApiProperty(INDICES) display_text_range: Indices;
  /** Who may reply. */
  @ApiProperty(enumSchema(CONVERSATION_SETTINGS)) @Unescaped() conversation_settings: ConversationSettings;
  /** Whether it is promoted only. */
  @ApiProperty() nullcast: boolean;
  /** Whether it is published, a draft or scheduled. */
  @ApiProperty(enumSchema(POST_TYPES)) @Unescaped() post_type: PostType;
  /** When it goes live, or went; null unless it was scheduled. */
  @ApiProperty({ ...TIME, nullable: true }) scheduled_at: string | null;
  /** What became of it; null unless it was scheduled. */
  @ApiProperty({ ...enumSchema(SCHEDULED_STATUSES), nullable: true }) scheduled_status: ScheduledStatus | null;
  /** Its id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() post_id: string;
  /** The post of another user that it repeats in order to promote it; absent where it repeats none. */
  @ApiProperty({ ...DECIMAL_ID, required: false }) @Unescaped() reposted_post_id?: string;
}

/** A post as its creation answers it: `text` in the compat mode, `full_text` and `display_text_range` in the extended one. */
export class CreatedPostView extends PostFields {
  /** Its text, cut to 140 characters; in the compat mode. */
  @ApiProperty({ required: false }) text?: string;
  /** Its whole text; in the extended mode. */
  @ApiProperty({ required: false }) full_text?: string;
  /** What of it is shown; in the extended mode. */
  @ApiProperty({ ...INDICES, required: false }) display_text_range?: Indices;
}

/** A post, a draft or a scheduled post with all that its object tells. */
export interface SeenPost {
  id: string;
  type: PostType;
  createdAt: string;
  text: string;
  entities: TextEntities;
  lang: string;
  nullcast: boolean;
  cardId: string | null;
  /** Those of its media that are known, in their order. */
  media: Row<LibraryMedia>[];
  conversationSettings: ConversationSettings;
  contributorId: string | null;
  inReplyToPostId: string | null;
  inReplyToUserId: string | null;
  inReplyToName: string | null;
  name: string | null;
  scheduledAt: string | null;
  scheduledStatus: ScheduledStatus | null;
  authorId: string;
  /** The post that it repeats. */
  repostOfId: string | null;
  isDeleted: boolean;
  /** Absent where only their id is asked. */
  author?: Row<User>;
}

/** Addresses that objects of posts name. */
export interface PostLinks {
  /** Where a file of a medium is served. */
  file: (file: string) => string;
  /** The picture of users who have none. */
  picture: string;
  /** With what posts are made, as an HTML link. */
  source: string;
}

export const presentPost = (post: SeenPost, links: PostLinks): PostView => {
  const range = displayRangeOf(post.text);
  const view = fieldsOf(post, links, false, entitiesOf(post, post.entities, range[1], links)) as PostView;
  view.full_text = post.text;
  view.display_text_range = range;
  view.conversation_settings = post.conversationSettings;
  view.nullcast = post.nullcast;
  view.post_type = post.type;
  view.scheduled_at = wireTime(post.scheduledAt);
  view.scheduled_status = post.scheduledStatus;
  view.post_id = post.id;
  view.deleted = post.isDeleted;
  if (post.repostOfId !== null) view.reposted_post_id = post.repostOfId;
  return view;
};

export function presentCreatedPost(post: SeenPost, links: PostLinks, mode: 'compat' | 'extended'): CreatedPostView {
  if (mode === 'extended') {
    const end = lengthOf(post.text);
    const view = fieldsOf(post, links, false, entitiesOf(post, post.entities, end, links)) as CreatedPostView;
    view.full_text = post.text;
    view.display_text_range = displayRangeOf(post.text);
    return view;
  }
  const { text, truncated, entities } = compatOf(post.text, post.entities);
  const shown = entitiesOf(post, entities, lengthOf(text), links);
  const view = fieldsOf(post, links, truncated, shown) as CreatedPostView;
  view.text = text;
  return view;
}

function fieldsOf(post: SeenPost, links: PostLinks, truncated: boolean, entities: EntitiesView): PostFields {
  const { inReplyToPostId, inReplyToUserId, contributorId, author, cardId } = post;
  const fields: PostFields = {
    created_at: longTime(post.createdAt),
    id: Number(post.id),
    id_str: post.id,
    name: post.name,
    truncated,
    entities,
    source: links.source,
    in_reply_to_status_id: inReplyToPostId === null ? null : Number(inReplyToPostId),
    in_reply_to_status_id_str: inReplyToPostId,
    in_reply_to_user_id: inReplyToUserId === null ? null : Number(inReplyToUserId),
    in_reply_to_user_id_str: inReplyToUserId,
    in_reply_to_screen_name: post.inReplyToName,
    user: author ? authorOf(author, links) : presentAuthorId(post.authorId),
    geo: null,
    coordinates: null,
    place: null,
    contributors: contributorId === null ? null : [Number(contributorId)],
    retweet_count: 0,
    favorite_count: 0,
    favorited: false,
    retweeted: false,
    scopes: { followers: !post.nullcast },
    lang: post.lang,
  };
  if (cardId !== null) fields.card_uri = cardUriOf(cardId)!;
  return fields;
}

/** Authors as they are answered: those of a page are mostly one. */
const authors = new WeakMap<Row<User>, AuthorView>();

function authorOf(author: Row<User>, { picture }: PostLinks): AuthorView {
  const known = authors.get(author);
  if (known) return known;
  const view = presentAuthor(author, picture);
  authors.set(author, view);
  return view;
}

const ENTITY_TYPE_OF = { IMAGE: 'photo', GIF: 'animated_gif', VIDEO: 'video' } as const;

function entitiesOf({ media }: SeenPost, entities: TextEntities, end: number, links: PostLinks): EntitiesView {
  const { hashtags, symbols, user_mentions, urls } = entities;
  const view: EntitiesView = { hashtags, symbols, user_mentions, urls };
  if (media.length > 0) {
    view.media = media.map((each) => {
      const url = links.file(each.file);
      const image = each.posterFile === null ? url : links.file(each.posterFile);
      return {
        id: Number(each.mediaId),
        id_str: each.mediaId,
        media_key: each.mediaKey,
        indices: [end, end],
        media_url: image,
        media_url_https: image,
        url,
        expanded_url: url,
        display_url: url.replace(/^https?:\/\//, ''),
        type: ENTITY_TYPE_OF[each.mediaType],
      };
    });
  }
  return view;
}
