import { closedSet } from '../../common/closed-set.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
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

export const TIMELINE_TYPES = closedSet('TimelineType', ['ALL', 'NULLCAST', 'ORGANIC']);
export type TimelineType = (typeof TIMELINE_TYPES)[number];

export const POST_MODES = closedSet('PostMode', ['compat', 'extended']);
export type PostMode = (typeof POST_MODES)[number];

const MAX_BUTTON_URL_LENGTH = 2_000;

@Example({ post_type: 'PUBLISHED' })
export class ListPosts extends ListQuery(Post, { sortable: ['created_at', 'updated_at'] }) {
  /** Whether published posts are asked for, or drafts, or scheduled ones. */
  @OneOf(POST_TYPES) post_type: PostType;
  /** Whether replies are included, and posts that begin with a mention. Posts that `post_ids` names are, unless it is false. */
  @Bool({ optional: true, default: false }) include_mentions_and_replies?: boolean;
  /** Only what the account gave a name that begins like this, whatever the case. */
  @Text({ optional: true, max: 80 }) name?: string;
  /** NULLCAST: what is promoted only. ORGANIC: what is in the timeline of its author. ALL where `post_ids` is sent without it. */
  @OneOf(TIMELINE_TYPES, { optional: true, default: 'NULLCAST' }) timeline_type?: TimelineType;
  /** Whether only the id of the author is answered of them. */
  @Bool({ optional: true, default: false }) trim_user?: boolean;
  /** Only the posts with these ids. */
  @Ids({ decimal: true, optional: true }) post_ids?: string[];
  /** Whose posts: those of a promotable user; of the FULL one unless given. */
  @DecimalId({ optional: true }) user_id?: string;
}

@Rule(['video_cta', 'video_cta_value'], callToActionProblem)
@Example({ as_user_id: '{user_id}', text: 'Our new blend is here. #coffee', name: 'New blend', trim_user: true })
export class CreatePost extends NewCompositionFields {
  /** The text, of at most 280 weighted characters; required without `media_keys`. The same is not said twice in a day. */
  @PostText({ unique: true }) override text?: string;
  /** Who may reply. */
  @OneOf(CONVERSATION_SETTINGS, { nullable: true, default: 'EVERYONE' })
  conversation_settings?: ConversationSettings | null;
  /** Whether only the id of the author is answered of them. */
  @Bool({ optional: true, default: false }) trim_user?: boolean;
  /** compat: `text`, cut to 140 characters. extended: `full_text`, whole, and `display_text_range`. */
  @OneOf(POST_MODES, { optional: true, default: 'compat' }) post_mode?: PostMode;
  /** What the button of the video says; together with `video_cta_value`. */
  @OneOf(VIDEO_CTAS, { nullable: true }) video_cta?: VideoCta | null;
  /** Where the button of the video leads. */
  @Field(
    httpUrl({ max: MAX_BUTTON_URL_LENGTH }),
    { nullable: true },
    { type: String, format: 'uri', maxLength: MAX_BUTTON_URL_LENGTH },
  )
  video_cta_value?: string | null;
  /** What is shown below the video's title. */
  @Text({ nullable: true, max: 200 }) video_description?: string | null;
  /** What is shown below the video. */
  @Text({ nullable: true, max: 70 }) video_title?: string | null;
}

@Example({ name: 'New blend, second version' })
export class RenamePost {
  /** What the account calls it from now on; empty for nothing. */
  @Text({ visible: true, nullable: true, max: 80 }) name?: string | null;
}
