import { ApiProperty } from '@nestjs/swagger';
import type { User } from '../../auth/credentials/user.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';

const full = { required: false } as const;
const color = { type: String, required: false, example: '1DA1F2' } as const;
const none = { type: String, nullable: true, required: false } as const;

/** The author of a post; only `id` and `id_str` with `trim_user`. */
export class AuthorView {
  /** The user's id, as a number. */
  @ApiProperty({ type: 'integer', format: 'int64' }) id: number;
  /** The user's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** The user's display name. */
  @ApiProperty(full) name?: string;
  /** The user's handle, without its `@`. */
  @ApiProperty(full) screen_name?: string;
  /** The user's location; always empty, because the service stores none. */
  @ApiProperty(full) @Unescaped() location?: string;
  /** The user's description; always empty, because the service stores none. */
  @ApiProperty(full) @Unescaped() description?: string;
  /** The user's website. */
  @ApiProperty(none) url?: string | null;
  /** Whether only followers see the user's posts. */
  @ApiProperty(full) protected?: boolean;
  /** Number of followers. */
  @ApiProperty({ type: 'integer', required: false }) followers_count?: number;
  /** Number of users that the user follows. */
  @ApiProperty({ type: 'integer', required: false }) friends_count?: number;
  /** Number of lists that contain the user. */
  @ApiProperty({ type: 'integer', required: false }) listed_count?: number;
  /** Time when the user joined. */
  @ApiProperty({ type: String, required: false, example: 'Tue Aug 27 22:22:12 +0000 2019' })
  @Unescaped()
  created_at?: string;
  /** Number of posts that the user liked. */
  @ApiProperty({ type: 'integer', required: false }) favourites_count?: number;
  /** Offset from UTC in seconds. */
  @ApiProperty({ type: 'integer', nullable: true, required: false }) utc_offset?: number | null;
  /** The user's time zone. */
  @ApiProperty(none) time_zone?: string | null;
  /** Whether posts may carry locations. */
  @ApiProperty(full) geo_enabled?: boolean;
  /** Whether the user is verified. */
  @ApiProperty(full) verified?: boolean;
  /** Number of the user's posts; not counted. */
  @ApiProperty({ type: 'integer', required: false }) statuses_count?: number;
  /** The user's language. */
  @ApiProperty(none) lang?: string | null;
  /** Whether other users may post on behalf of the user. */
  @ApiProperty(full) contributors_enabled?: boolean;
  /** Whether the user is a translator. */
  @ApiProperty(full) is_translator?: boolean;
  /** Whether the profile offers translations. */
  @ApiProperty(full) is_translation_enabled?: boolean;
  /** Background color of the profile. */
  @ApiProperty(color) @Unescaped() profile_background_color?: string;
  /** URL of the profile's background image. */
  @ApiProperty(none) profile_background_image_url?: string | null;
  /** HTTPS URL of the profile's background image. */
  @ApiProperty(none) profile_background_image_url_https?: string | null;
  /** Whether the background image is tiled. */
  @ApiProperty(full) profile_background_tile?: boolean;
  /** URL of the user's profile image. */
  @ApiProperty({ type: String, format: 'uri', required: false }) profile_image_url?: string;
  /** HTTPS URL of the user's profile image. */
  @ApiProperty({ type: String, format: 'uri', required: false }) profile_image_url_https?: string;
  /** URL of the banner above the profile. */
  @ApiProperty(none) profile_banner_url?: string | null;
  /** Color of links. */
  @ApiProperty(color) @Unescaped() profile_link_color?: string;
  /** Border color of the sidebar. */
  @ApiProperty(color) @Unescaped() profile_sidebar_border_color?: string;
  /** Fill color of the sidebar. */
  @ApiProperty(color) @Unescaped() profile_sidebar_fill_color?: string;
  /** Text color. */
  @ApiProperty(color) @Unescaped() profile_text_color?: string;
  /** Whether the profile shows its background image. */
  @ApiProperty(full) profile_use_background_image?: boolean;
  /** Whether the profile has the default design. */
  @ApiProperty(full) default_profile?: boolean;
  /** Whether the user has the default profile image. */
  @ApiProperty(full) default_profile_image?: boolean;
  /** Whether the caller follows the user. */
  @ApiProperty(full) following?: boolean;
  /** Whether the caller sent the user a follow request. */
  @ApiProperty(full) follow_request_sent?: boolean;
  /** Whether the caller receives notifications of the user's posts. */
  @ApiProperty(full) notifications?: boolean;
  /** Translator type of the user. */
  @ApiProperty(full) @Unescaped() translator_type?: string;
  /** Countries that withhold the user. */
  @ApiProperty({ type: String, isArray: true, required: false }) withheld_in_countries?: string[];
}

/** The author with the id only. */
export const presentAuthorId = (id: string): AuthorView => ({ id: Number(id), id_str: id });

/** The full author: the stored user data, and the values of a new profile for all other fields. */
export const presentAuthor = (user: Row<User>, picture: string): AuthorView => ({
  id: Number(user.id),
  id_str: user.id,
  name: user.name,
  screen_name: user.username,
  location: '',
  description: '',
  url: null,
  protected: false,
  followers_count: 0,
  friends_count: 0,
  listed_count: 0,
  created_at: longTime(user.createdAt),
  favourites_count: 0,
  utc_offset: null,
  time_zone: null,
  geo_enabled: false,
  verified: false,
  statuses_count: 0,
  lang: null,
  contributors_enabled: false,
  is_translator: false,
  is_translation_enabled: false,
  profile_background_color: 'F5F8FA',
  profile_background_image_url: null,
  profile_background_image_url_https: null,
  profile_background_tile: false,
  profile_image_url: picture,
  profile_image_url_https: picture,
  profile_banner_url: null,
  profile_link_color: '1DA1F2',
  profile_sidebar_border_color: 'C0DEED',
  profile_sidebar_fill_color: 'DDEEF6',
  profile_text_color: '333333',
  profile_use_background_image: true,
  default_profile: true,
  default_profile_image: true,
  following: false,
  follow_request_sent: false,
  notifications: false,
  translator_type: 'none',
  withheld_in_countries: [],
});

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Converts a stored UTC time to the format of post and user objects: `Tue Aug 27 22:22:12 +0000 2019`. */
export function longTime(stored: string): string {
  const [year, month, day] = [stored.slice(0, 4), stored.slice(5, 7), stored.slice(8, 10)];
  const weekday = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay();
  return `${DAYS[weekday]} ${MONTHS[Number(month) - 1]} ${day} ${stored.slice(11, 19)} +0000 ${year}`;
}
