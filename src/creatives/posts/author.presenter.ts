import { ApiProperty } from '@nestjs/swagger';
import type { User } from '../../auth/credentials/user.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import { longTime } from './long-time.js';

const full = { required: false } as const;
const color = { type: String, required: false, example: '1DA1F2' } as const;
const none = { type: String, nullable: true, required: false } as const;

/** The author of a post; where `trim_user` is asked, `id` and `id_str` alone. */
export class AuthorView {
  /** The user's id, as a number. */
  @ApiProperty({ type: 'integer', format: 'int64' }) id: number;
  /** The user's id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** What the user is called. */
  @ApiProperty(full) name?: string;
  /** The user's handle, without its `@`. */
  @ApiProperty(full) screen_name?: string;
  /** Where the user is; empty, for nobody is asked. */
  @ApiProperty(full) @Unescaped() location?: string;
  /** How users describe themselves; empty, for nobody is asked. */
  @ApiProperty(full) @Unescaped() description?: string;
  /** The user's web site. */
  @ApiProperty(none) url?: string | null;
  /** Whether only followers see what the user posts. */
  @ApiProperty(full) protected?: boolean;
  /** How many follow the user. */
  @ApiProperty({ type: 'integer', required: false }) followers_count?: number;
  /** How many the user follows. */
  @ApiProperty({ type: 'integer', required: false }) friends_count?: number;
  /** On how many lists the user is. */
  @ApiProperty({ type: 'integer', required: false }) listed_count?: number;
  /** When the user joined. */
  @ApiProperty({ type: String, required: false, example: 'Tue Aug 27 22:22:12 +0000 2019' })
  @Unescaped()
  created_at?: string;
  /** How many posts the user liked. */
  @ApiProperty({ type: 'integer', required: false }) favourites_count?: number;
  /** Offset from UTC in seconds. */
  @ApiProperty({ type: 'integer', nullable: true, required: false }) utc_offset?: number | null;
  /** The user's time zone. */
  @ApiProperty(none) time_zone?: string | null;
  /** Whether posts may carry places. */
  @ApiProperty(full) geo_enabled?: boolean;
  /** Whether somebody vouched for the user. */
  @ApiProperty(full) verified?: boolean;
  /** How many posts the user made; not counted. */
  @ApiProperty({ type: 'integer', required: false }) statuses_count?: number;
  /** The user's language. */
  @ApiProperty(none) lang?: string | null;
  /** Whether others may post for the user. */
  @ApiProperty(full) contributors_enabled?: boolean;
  /** Whether the user translates. */
  @ApiProperty(full) is_translator?: boolean;
  /** Whether translations are offered. */
  @ApiProperty(full) is_translation_enabled?: boolean;
  /** Colour behind the profile. */
  @ApiProperty(color) @Unescaped() profile_background_color?: string;
  /** Image behind the profile. */
  @ApiProperty(none) profile_background_image_url?: string | null;
  /** Image behind the profile. */
  @ApiProperty(none) profile_background_image_url_https?: string | null;
  /** Whether that image is repeated. */
  @ApiProperty(full) profile_background_tile?: boolean;
  /** The user's picture. */
  @ApiProperty({ type: String, format: 'uri', required: false }) profile_image_url?: string;
  /** The user's picture. */
  @ApiProperty({ type: String, format: 'uri', required: false }) profile_image_url_https?: string;
  /** Image above the profile. */
  @ApiProperty(none) profile_banner_url?: string | null;
  /** Colour of links. */
  @ApiProperty(color) @Unescaped() profile_link_color?: string;
  /** Colour of a line. */
  @ApiProperty(color) @Unescaped() profile_sidebar_border_color?: string;
  /** Colour of an area. */
  @ApiProperty(color) @Unescaped() profile_sidebar_fill_color?: string;
  /** Colour of text. */
  @ApiProperty(color) @Unescaped() profile_text_color?: string;
  /** Whether the image behind the profile is shown. */
  @ApiProperty(full) profile_use_background_image?: boolean;
  /** Whether the profile looks as it does for everybody new. */
  @ApiProperty(full) default_profile?: boolean;
  /** Whether the user has no picture of their own. */
  @ApiProperty(full) default_profile_image?: boolean;
  /** Whether the caller follows the user. */
  @ApiProperty(full) following?: boolean;
  /** Whether the caller has asked to. */
  @ApiProperty(full) follow_request_sent?: boolean;
  /** Whether the caller is told of what the user posts. */
  @ApiProperty(full) notifications?: boolean;
  /** What kind of translator the user is. */
  @ApiProperty(full) @Unescaped() translator_type?: string;
  /** Countries in which the user is not shown. */
  @ApiProperty({ type: String, isArray: true, required: false }) withheld_in_countries?: string[];
}

/** The author alone by their id. */
export const presentAuthorId = (id: string): AuthorView => ({ id: Number(id), id_str: id });

/** The whole author: what the platform knows of users, and for the rest what a new profile has. */
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
