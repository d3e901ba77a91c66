import { EXAMPLE_IMAGE } from '../../common/values/example-image.js';
import { closedSet } from '../../common/values/closed-set.js';
import { missing } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  Bool,
  DecimalId,
  enumSchema,
  Field,
  Ids,
  Int,
  oneOf,
  Text,
  type Kind,
} from '../../common/http/params/fields.js';
import { nested, part } from '../../common/http/params/parts.js';
import { MAX_BYTES, MAX_SEGMENTS } from '../media-inspection/media-limits.js';

const EXAMPLE_BYTES = Buffer.from(EXAMPLE_IMAGE, 'base64').length;

const COMMANDS = closedSet('UploadCommand', ['APPEND', 'FINALIZE', 'INIT']);
export type UploadCommand = (typeof COMMANDS)[number];
const CATEGORIES = closedSet('UploadCategory', ['amplify_video', 'post_gif', 'post_image', 'post_video', 'subtitles']);
export type UploadCategory = (typeof CATEGORIES)[number];

/** Case-insensitive words. */
const anyCase = (allowed: readonly string[], turned: (given: string) => string): Kind => ({
  ...oneOf(allowed),
  convert: (given) => (typeof given === 'string' ? turned(given) : given),
});
const upper = (given: string) => given.toUpperCase();
/** Some clients write `PostImage` for `post_image`. */
const snake = (given: string) => given.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

/** Maximum base64 length of a 5 MiB file. */
const MAX_BASE64 = 7_500_000;

type Needed = 'total_bytes' | 'media_type' | 'media_id' | 'segment_index';
const needed =
  <Name extends Needed>(commands: UploadCommand[], name: Name) =>
  (params: Pick<UploadMedia, 'command' | Name>) =>
    params.command && commands.includes(params.command) && params[name] === undefined
      ? missing(name, `with command=${params.command}`)
      : undefined;

/** An upload in one request, or in several requests with `command`. */
@Rule(['command', 'total_bytes'], needed(['INIT'], 'total_bytes'))
@Rule(['command', 'media_type'], needed(['INIT'], 'media_type'))
@Rule(['command', 'media_id'], needed(['APPEND', 'FINALIZE'], 'media_id'))
@Rule(['command', 'segment_index'], needed(['APPEND'], 'segment_index'))
@Example({ command: 'INIT', total_bytes: 1_048_576, media_type: 'video/mp4', media_category: 'post_video' })
export class UploadMedia {
  /** INIT starts a segmented upload, APPEND adds a segment, FINALIZE ends it. Omit it to send the whole file. */
  @Field(anyCase(COMMANDS, upper), { optional: true }, enumSchema(COMMANDS)) command?: UploadCommand;
  /** Purpose of the file. Without it the upload has no `media_key` and cannot be added to a library. */
  @Field(anyCase(CATEGORIES, snake), { optional: true }, enumSchema(CATEGORIES))
  media_category?: UploadCategory;
  /** User ids of users who may use the file besides its uploader. */
  @Ids({ decimal: true, optional: true, max: 100 }) additional_owners?: string[];
  /** With INIT: size of the file in bytes. */
  @Int({ optional: true, min: 1, max: MAX_BYTES }) total_bytes?: number;
  /** With INIT: media type of the file. The service detects the actual type from the bytes. */
  @Text({ optional: true, max: 100 }) media_type?: string;
  /** With APPEND and FINALIZE: upload id. */
  @DecimalId({ optional: true }) media_id?: string;
  /** With APPEND: index of the segment, from 0. */
  @Int({ optional: true, min: 0, max: MAX_SEGMENTS - 1 }) segment_index?: number;
  /** The file or segment in base64, instead of `media`. */
  @Text({ optional: true, max: MAX_BASE64 }) media_data?: string;
}

const STATUS = closedSet('UploadStatusCommand', ['STATUS']);

/** Upload status request. */
export class UploadStatus {
  /** Always STATUS. */
  @Field(anyCase(STATUS, upper), {}, enumSchema(STATUS)) command: (typeof STATUS)[number];
  /** Upload id. */
  @DecimalId({ example: '1790000000000001' }) media_id: string;
}

/** An upload in one request, or in several requests with `command`. */
@Rule(['command', 'media_category'], ({ command, media_category }: Pick<UploadMedia, 'command' | 'media_category'>) =>
  command === undefined && media_category === undefined ? missing('media_category') : undefined,
)
@Example({ media: EXAMPLE_IMAGE, media_category: 'post_image' })
export class UploadMediaV2 extends UploadMedia {}

/** Upload status request. */
export class UploadStatusV2 {
  /** Upload id. */
  @DecimalId({ example: '1790000000000001' }) media_id: string;
  /** STATUS, which may be absent. */
  @Field(anyCase(STATUS, upper), { optional: true }, enumSchema(STATUS)) command?: (typeof STATUS)[number];
}

/** The start of an upload in segments. */
@Example({ total_bytes: EXAMPLE_BYTES, media_type: 'image/png', media_category: 'post_image' })
export class InitializeUpload {
  /** Size of the file in bytes. */
  @Int({ min: 1, max: MAX_BYTES }) total_bytes: number;
  /** Media type of the file. The service detects the actual type from the bytes. */
  @Text({ max: 100 }) media_type: string;
  /** Purpose of the file. Without it the upload has no `media_key` and cannot be added to a library. */
  @Field(anyCase(CATEGORIES, snake), { optional: true }, enumSchema(CATEGORIES))
  media_category?: UploadCategory;
  /** User ids of users who may use the file besides its uploader. */
  @Ids({ decimal: true, optional: true, max: 100 }) additional_owners?: string[];
}

/** The alternative text of a file. */
export class AltText {
  /** What the file shows, for those who cannot see it. */
  @Text({ max: 1_000, visible: true, example: 'A cup of coffee on a table' }) text: string;
}

/** Whether people may download a file. */
export class DownloadStatus {
  /** True if they may. */
  @Bool({ example: true }) allow_download: boolean;
}

/** What an uploader says of a file; what is absent stays as it is. */
export class MediaMetadata {
  /** The alternative text, which previews have. */
  @Field(nested(part(AltText)), { optional: true }, { type: AltText }) alt_text?: AltText;
  /** Whether people may download the file. */
  @Field(nested(part(DownloadStatus)), { optional: true }, { type: DownloadStatus })
  allow_download_status?: DownloadStatus;
}

/** What an uploader says of an upload. */
@Example({ id: '{media_id}', metadata: { alt_text: { text: 'A cup of coffee on a table' } } })
export class DescribeMedia {
  /** Upload id. */
  @DecimalId() id: string;
  /** What the uploader says. */
  @Field(nested(part(MediaMetadata)), {}, { type: MediaMetadata }) metadata: MediaMetadata;
}

/** A segment of an upload. */
@Example({ media: EXAMPLE_IMAGE, segment_index: 0 })
export class AppendSegment {
  /** Index of the segment, from 0. */
  @Int({ min: 0, max: MAX_SEGMENTS - 1 }) segment_index: number;
}
