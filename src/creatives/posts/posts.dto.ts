import { closedSet } from '../../common/values/closed-set.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, DecimalId, Field, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { httpUrl } from '../web-url.js';
import { NewCompositionFields, PostText } from '../composition/composition.dto.js';
import {
  CONVERSATION_SETTINGS,
  Post,
  VIDEO_CTAS,
  type ConversationSettings,
  type VideoCta,
} from '../entities/post.entity.js';
import { POST_TYPES, type PostType } from './post.presenter.js';
import { callToActionProblem } from './post.rules.js';

const TIMELINE_TYPES = closedSet('TimelineType', ['ALL', 'NULLCAST', 'ORGANIC']);
export type TimelineType = (typeof TIMELINE_TYPES)[number];

const POST_MODES = closedSet('PostMode', ['compat', 'extended']);
export type PostMode = (typeof POST_MODES)[number];

const MAX_BUTTON_URL_LENGTH = 2_000;

@Example({ post_type: 'PUBLISHED' })
export class ListPosts extends ListQuery(Post, { sortable: ['created_at', 'updated_at'] }) {
  /** Type of the posts to return: published, draft or scheduled. */
  @OneOf(POST_TYPES) post_type: PostType;
  /** Whether to include replies and posts that start with a mention. Defaults to true with `post_ids`. */
  @Bool({ optional: true, default: false }) include_mentions_and_replies?: boolean;
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, max: 80 }) name?: string;
  /** NULLCAST: promoted-only posts. ORGANIC: posts in the author's timeline. Defaults to ALL with `post_ids`. */
  @OneOf(TIMELINE_TYPES, { optional: true, default: 'NULLCAST' }) timeline_type?: TimelineType;
  /** Whether to return only the author's id. */
  @Bool({ optional: true, default: false }) trim_user?: boolean;
  /** Ids of the posts to return. */
  @Ids({ decimal: true, optional: true }) post_ids?: string[];
  /** User id of the posts' author, a promotable user. Defaults to the FULL promotable user. */
  @DecimalId({ optional: true }) user_id?: string;
}

@Rule(['video_cta', 'video_cta_value'], callToActionProblem)
@Example({ as_user_id: '{user_id}', text: 'Our new blend is here. #coffee', name: 'New blend', trim_user: true })
export class CreatePost extends NewCompositionFields {
  /** Text, at most 280 weighted characters. Required without `media_keys`. Not the same text twice in a day. */
  @PostText({ unique: true }) override text?: string;
  /** Who may reply. */
  @OneOf(CONVERSATION_SETTINGS, { nullable: true, default: 'EVERYONE' })
  conversation_settings?: ConversationSettings | null;
  /** Whether to return only the author's id. */
  @Bool({ optional: true, default: false }) trim_user?: boolean;
  /** compat: `text`, truncated to 140 characters. extended: full `full_text` and `display_text_range`. */
  @OneOf(POST_MODES, { optional: true, default: 'compat' }) post_mode?: PostMode;
  /**
   * Whether its card is a dynamic product card. Line items with the creative source DYNAMIC_PRODUCT_CREATIVE promote such
   * posts, and no others.
   */
  @Bool({ nullable: true, default: false }) dynamic_product_ad?: boolean | null;
  /** Label of the video's button. Requires `video_cta_value`. */
  @OneOf(VIDEO_CTAS, { nullable: true }) video_cta?: VideoCta | null;
  /** URL that the video's button opens. Requires `video_cta`. */
  @Field(
    httpUrl({ max: MAX_BUTTON_URL_LENGTH }),
    { nullable: true },
    { type: String, format: 'uri', maxLength: MAX_BUTTON_URL_LENGTH },
  )
  video_cta_value?: string | null;
  /** Description shown below the video's title. */
  @Text({ nullable: true, max: 200 }) video_description?: string | null;
  /** Title shown below the video. */
  @Text({ nullable: true, max: 70 }) video_title?: string | null;
}

@Example({ name: 'New blend, second version' })
export class RenamePost {
  /** The post's new name. Empty removes the name. */
  @Text({ visible: true, nullable: true, max: 80 }) name?: string | null;
}
