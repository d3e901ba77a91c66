import { closedSet } from '../../common/closed-set.js';
import { missing } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { DecimalId, enumSchema, Field, Ids, Int, oneOf, Text, type Kind } from '../../common/http/params/fields.js';
import { MAX_BYTES, MAX_SEGMENTS } from '../media-inspection/media-limits.js';

const COMMANDS = closedSet('UploadCommand', ['APPEND', 'FINALIZE', 'INIT']);
export type UploadCommand = (typeof COMMANDS)[number];
const CATEGORIES = closedSet('UploadCategory', ['amplify_video', 'post_gif', 'post_image', 'post_video']);
export type UploadCategory = (typeof CATEGORIES)[number];

/** Words of which the case does not count. */
const anyCase = (allowed: readonly string[], turned: (given: string) => string): Kind => ({
  ...oneOf(allowed),
  convert: (given) => (typeof given === 'string' ? turned(given) : given),
});
const upper = (given: string) => given.toUpperCase();

/** A base64 text of a file of 5 MiB. */
const MAX_BASE64 = 7_500_000;

type Needed = 'total_bytes' | 'media_type' | 'media_id' | 'segment_index';
const needed =
  <Name extends Needed>(commands: UploadCommand[], name: Name) =>
  (params: Pick<UploadMedia, 'command' | Name>) =>
    params.command && commands.includes(params.command) && params[name] === undefined
      ? missing(name, `with command=${params.command}`)
      : undefined;

/** An upload in one request, or in several, which `command` tells apart. */
@Rule(['command', 'total_bytes'], needed(['INIT'], 'total_bytes'))
@Rule(['command', 'media_type'], needed(['INIT'], 'media_type'))
@Rule(['command', 'media_id'], needed(['APPEND', 'FINALIZE'], 'media_id'))
@Rule(['command', 'segment_index'], needed(['APPEND'], 'segment_index'))
@Example({ command: 'INIT', total_bytes: 1_048_576, media_type: 'video/mp4', media_category: 'post_video' })
export class UploadMedia {
  /** INIT begins an upload in segments, APPEND brings one of them, FINALIZE ends it. Without it the request has the whole file. */
  @Field(anyCase(COMMANDS, upper), { optional: true }, enumSchema(COMMANDS)) command?: UploadCommand;
  /** What the file is for. Without it there is no `media_key`, and no library takes the file. */
  @Field(anyCase(CATEGORIES, (given) => given.toLowerCase()), { optional: true }, enumSchema(CATEGORIES))
  media_category?: UploadCategory;
  /** Users who may use the file besides its uploader. */
  @Ids({ decimal: true, optional: true, max: 100 }) additional_owners?: string[];
  /** With INIT: how many bytes the file has. */
  @Int({ optional: true, min: 1, max: MAX_BYTES }) total_bytes?: number;
  /** With INIT: the media type of the file. What it is decided by is its bytes. */
  @Text({ optional: true, max: 100 }) media_type?: string;
  /** With APPEND and FINALIZE: which upload is meant. */
  @DecimalId({ optional: true }) media_id?: string;
  /** With APPEND: the place of the segment, from 0. */
  @Int({ optional: true, min: 0, max: MAX_SEGMENTS - 1 }) segment_index?: number;
  /** The file, or the segment, in base64, in place of `media`. */
  @Text({ optional: true, max: MAX_BASE64 }) media_data?: string;
}

const STATUS = closedSet('UploadStatusCommand', ['STATUS']);

/** How far an upload is. */
export class UploadStatus {
  /** STATUS. */
  @Field(anyCase(STATUS, upper), {}, enumSchema(STATUS)) command: (typeof STATUS)[number];
  /** Which upload is meant. */
  @DecimalId({ example: '1790000000000001' }) media_id: string;
}
