import { Example } from '../../common/http/params/dto-metadata.js';
import { EnumList, Field, list, listSchema, text } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { MEDIA_KEY } from '../media-files/media-key.js';

/** The fields of an uploaded file. */
const MEDIA_FIELDS = closedSet('MediaField', [
  'alt_text',
  'duration_ms',
  'height',
  'media_key',
  'non_public_metrics',
  'organic_metrics',
  'preview_image_url',
  'promoted_metrics',
  'public_metrics',
  'type',
  'url',
  'variants',
  'width',
]);
export type MediaField = (typeof MEDIA_FIELDS)[number];

const MAX_KEYS = 100;

/** What to return of an uploaded file. */
export class LookUpMedia {
  /** The fields beside `media_key` and `type`. Metrics are ignored: statistics of ads have them. */
  @EnumList(MEDIA_FIELDS, { optional: true, max: MEDIA_FIELDS.length }) 'media.fields'?: MediaField[];
}

/** The files to return, and what of them. */
@Example({ media_keys: ['{media_key_image}'], 'media.fields': ['width', 'height', 'url'] })
export class LookUpMediaByKeys extends LookUpMedia {
  /** Media keys of uploads of the caller. */
  @Field(
    list(text({ min: 1, max: Infinity, matching: MEDIA_KEY }), { max: MAX_KEYS }),
    {},
    listSchema({ type: 'string', pattern: MEDIA_KEY.pattern.source }, { min: 1, max: MAX_KEYS }),
  )
  media_keys: string[];
}
