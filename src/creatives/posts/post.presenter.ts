import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { User } from '../../auth/credentials/user.entity.js';
import { closedSet } from '../../common/values/closed-set.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { Shared } from '../../common/http/answers/list-serializer.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { cardUriOrNull } from '../composition/composition.rules.js';
import {
  compatOf,
  displayRangeOf,
  codePointsIn,
  type Indices,
  type TextEntities,
} from '../composition/post-text.rules.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { CONVERSATION_SETTINGS, POSTS, Post, type ConversationSettings } from '../entities/post.entity.js';
import { SCHEDULED_STATUSES, type ScheduledStatus } from '../entities/scheduled-post.entity.js';
import { AuthorView, longTime, presentAuthor, presentAuthorId } from './author.presenter.js';

export const POST_TYPES = closedSet('PostType', ['DRAFT', 'PUBLISHED', 'SCHEDULED']);
export type PostType = (typeof POST_TYPES)[number];

const MEDIA_ENTITY_TYPES = closedSet('MediaEntityType', ['photo', 'animated_gif', 'video']);
type MediaEntityType = (typeof MEDIA_ENTITY_TYPES)[number];

const INDICES = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 } as const;
const ID_NUMBER = { type: 'integer', format: 'int64' } as const;
const NOTHING = { type: Object, nullable: true, additionalProperties: true } as const;

class TagView {
  /** Text after the `#` or `$`. */
  @ApiProperty() text: string;
  /** Start and end in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class MentionView {
  /** The user's handle. */
  @ApiProperty() screen_name: string;
  /** The user's display name. */
  @ApiProperty() name: string;
  /** The user's id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** The user's id. */
  @ApiProperty(DECIMAL_ID) id_str: string;
  /** Start and end in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class UrlView {
  /** The link as written in the text. */
  @ApiProperty() url: string;
  /** Target URL. */
  @ApiProperty() expanded_url: string;
  /** The link as displayed. */
  @ApiProperty() display_url: string;
  /** Start and end in the text, in code points. */
  @ApiProperty(INDICES) indices: Indices;
}

class MediaEntityView {
  /** The media's id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** The media's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** The media's key in the media library. */
  @ApiProperty() @Unescaped() media_key: string;
  /** Start and end of the media link: the end of the text. */
  @ApiProperty(INDICES) indices: Indices;
  /** URL of the image or of the first frame. */
  @ApiProperty({ type: String, format: 'uri' }) media_url: string;
  /** HTTPS URL of the image or of the first frame. */
  @ApiProperty({ type: String, format: 'uri' }) media_url_https: string;
  /** URL of the file. */
  @ApiProperty({ type: String, format: 'uri' }) url: string;
  /** URL of the file. */
  @ApiProperty({ type: String, format: 'uri' }) expanded_url: string;
  /** The URL as displayed. */
  @ApiProperty() display_url: string;
  /** Media type. */
  @ApiProperty(enumSchema(MEDIA_ENTITY_TYPES)) @Unescaped() type: MediaEntityType;
}

class EntitiesView {
  /** Hashtags in the text. */
  @ApiProperty({ type: TagView, isArray: true }) hashtags: TagView[];
  /** Symbols in the text, such as `$BEAN`. */
  @ApiProperty({ type: TagView, isArray: true }) symbols: TagView[];
  /** Users mentioned in the text. */
  @ApiProperty({ type: MentionView, isArray: true }) user_mentions: MentionView[];
  /** Links in the text. */
  @ApiProperty({ type: UrlView, isArray: true }) urls: UrlView[];
  /** Images, GIF or video of the post; absent if it has none. */
  @ApiProperty({ type: MediaEntityView, isArray: true, required: false }) media?: MediaEntityView[];
}

class ScopesView {
  /** Whether the post appears in the timelines of the author's followers. */
  @ApiProperty() followers: boolean;
}

/** Fields of every post object. */
class PostFields {
  /** Creation time. */
  @ApiProperty({ type: String, example: 'Tue Aug 27 22:22:12 +0000 2019' }) @Unescaped() created_at: string;
  /** The post's id, as a number. */
  @ApiProperty(ID_NUMBER) id: number;
  /** The post's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** The post's name, visible only to the account. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Whether the text is truncated. */
  @ApiProperty() truncated: boolean;
  /** Entities in the text: hashtags, symbols, mentions, links and media. */
  @ApiProperty({ type: EntitiesView }) entities: EntitiesView;
  /** Client that created the post: a link, as HTML. */
  @ApiProperty() source: string;
  /** Id of the post that it replies to, as a number. */
  @ApiProperty({ ...ID_NUMBER, nullable: true }) in_reply_to_status_id: number | null;
  /** Id of the post that it replies to. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) in_reply_to_status_id_str: string | null;
  /** Id of the user that it replies to, as a number. */
  @ApiProperty({ ...ID_NUMBER, nullable: true }) in_reply_to_user_id: number | null;
  /** Id of the user that it replies to. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) in_reply_to_user_id_str: string | null;
  /** Handle of the user that it replies to. */
  @ApiProperty({ type: String, nullable: true }) in_reply_to_screen_name: string | null;
  /** The author. */
  @ApiProperty({ type: AuthorView }) @Shared() user: AuthorView;
  /** Always null: posts have no location. */
  @ApiProperty(NOTHING) geo: object | null;
  /** Always null: posts have no location. */
  @ApiProperty(NOTHING) coordinates: object | null;
  /** Always null: posts have no location. */
  @ApiProperty(NOTHING) place: object | null;
  /** Users who created the post on behalf of its author; null if the author did. */
  @ApiProperty({ type: 'integer', isArray: true, nullable: true }) contributors: number[] | null;
  /** Number of reposts. */
  @ApiProperty({ type: 'integer' }) retweet_count: number;
  /** Number of likes. */
  @ApiProperty({ type: 'integer' }) favorite_count: number;
  /** Whether the caller liked the post. */
  @ApiProperty() favorited: boolean;
  /** Whether the caller reposted the post. */
  @ApiProperty() retweeted: boolean;
  /** Audience of the post. */
  @ApiProperty({ type: ScopesView }) scopes: ScopesView;
  /** Language of the text: a BCP 47 tag or `und`. */
  @ApiProperty() @Unescaped() lang: string;
  /** URI of the card shown below the text; absent if there is none. */
  @ApiProperty({ type: String, required: false, example: 'card://1234567890123456' }) @Unescaped() card_uri?: string;
  /** True for a post with a dynamic product card; absent for others. */
  @ApiProperty({ required: false }) dynamic_product_ad?: boolean;
}

/** A published, draft or scheduled post in lists. */
export class PostView extends PostFields {
  /** Whether the post is deleted. */
  @ApiProperty() deleted: boolean;
  /** The full text. */
  @ApiProperty() full_text: string;
  /** Displayed range of the text in code points: start inclusive, end exclusive. */
  @ApiProperty(INDICES) display_text_range: Indices;
  /** Who may reply. */
  @ApiProperty(enumSchema(CONVERSATION_SETTINGS)) @Unescaped() conversation_settings: ConversationSettings;
  /** Whether the post is promoted only. */
  @ApiProperty() nullcast: boolean;
  /** Whether the post is published, a draft or scheduled. */
  @ApiProperty(enumSchema(POST_TYPES)) @Unescaped() post_type: PostType;
  /** Scheduled time of publication; null for posts that were not scheduled. */
  @ApiProperty({ ...TIME, nullable: true }) scheduled_at: string | null;
  /** Status of the scheduled post; null for posts that were not scheduled. */
  @ApiProperty({ ...enumSchema(SCHEDULED_STATUSES), nullable: true }) scheduled_status: ScheduledStatus | null;
  /** The post's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() post_id: string;
  /** The post of another user that this post repeats for promotion; absent if it repeats none. */
  @ApiProperty({ ...DECIMAL_ID, required: false }) @Unescaped() reposted_post_id?: string;
}

/** The response to a creation: `text` in compat mode, `full_text` and `display_text_range` in extended mode. */
@Noun('post')
export class CreatedPostView extends PostFields {
  /** Text, truncated to 140 characters; compat mode only. */
  @ApiProperty({ required: false }) text?: string;
  /** The full text; extended mode only. */
  @ApiProperty({ required: false }) full_text?: string;
  /** Displayed range of the text; extended mode only. */
  @ApiProperty({ ...INDICES, required: false }) display_text_range?: Indices;
}

/** A published, draft or scheduled post with all data of its object. */
export interface SeenPost {
  id: string;
  type: PostType;
  createdAt: string;
  text: string;
  entities: TextEntities;
  lang: string;
  nullcast: boolean;
  cardId: string | null;
  dynamicProductAd: boolean;
  /** The media found for the post's keys, in order. */
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
  /** Id of the post that it repeats. */
  repostOfId: string | null;
  isDeleted: boolean;
  /** Absent if the request needs only the author's id. */
  author?: Row<User>;
}

/** URLs and links for post objects. */
export interface PostLinks {
  /** URL of a media file. */
  file: (file: string) => string;
  /** Profile image of users without one. */
  picture: string;
  /** Client that creates posts, as an HTML link. */
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
    const end = codePointsIn(post.text);
    const view = fieldsOf(post, links, false, entitiesOf(post, post.entities, end, links)) as CreatedPostView;
    view.full_text = post.text;
    view.display_text_range = displayRangeOf(post.text);
    return view;
  }
  const { text, truncated, entities } = compatOf(post.text, post.entities);
  const shown = entitiesOf(post, entities, codePointsIn(text), links);
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
  if (cardId !== null) fields.card_uri = cardUriOrNull(cardId)!;
  if (post.dynamicProductAd) fields.dynamic_product_ad = true;
  return fields;
}

/** Caches presented authors, because most posts of a page share one author. */
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

/** Snapshot of a post for the change history. */
export const snapshotOfPost = (post: Row<Post>) => ({
  id: post.id,
  user_id: post.authorId,
  text: post.text,
  nullcast: post.nullcast,
  card_uri: cardUriOrNull(post.cardId),
  ...(post.dynamicProductAd && { dynamic_product_ad: true }),
  media_keys: post.mediaKeys,
  conversation_settings: post.conversationSettings,
  ...(post.repostOfId !== null && { reposted_post_id: post.repostOfId }),
  created_at: wireTime(post.createdAt),
});

const NUMBER = { type: 'string', pattern: DECIMAL_ID.pattern };
const NULLABLE_TEXT = { type: ['string', 'null'] };

const RECORDED = {
  ofTypes: {
    create: {
      id: { ...NUMBER, description: 'The id of the post.' },
      user_id: { ...NUMBER, description: 'User id of the author.' },
      text: { type: 'string', description: 'Text of the post.' },
      nullcast: { type: 'boolean', description: 'Whether the post is promoted only.' },
      card_uri: { ...NULLABLE_TEXT, description: 'URI of the card; null if there is none.' },
      dynamic_product_ad: { type: 'boolean', description: 'Only for a post with a dynamic product card: true.' },
      media_keys: { type: 'array', items: { type: 'string' }, description: 'Media keys of the post.' },
      conversation_settings: { ...NULLABLE_TEXT, description: 'Who may reply; null if everyone may.' },
      reposted_post_id: { ...NUMBER, description: 'Only for a repost: the id of the original post.' },
      created_at: { type: 'string', format: 'date-time', description: 'When the post was created.' },
    },
    update: {
      name: { ...NULLABLE_TEXT, description: 'The name of the post within the account; null if it has none.' },
    },
  },
  optional: ['reposted_post_id', 'dynamic_product_ad'],
};

recordAs(POSTS, RECORDED, snapshotOfPost);
