import { Example } from '../../common/http/params/dto-metadata.js';
import { EnumList } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { UploadKeys } from '../media-files/media-key.field.js';

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

/** What to return of an uploaded file. */
export class LookUpMedia {
  /** The fields beside `media_key` and `type`. Metrics are ignored: `GET /2/media/analytics` has those of ads. */
  @EnumList(MEDIA_FIELDS, { optional: true, max: MEDIA_FIELDS.length }) 'media.fields'?: MediaField[];
}

/** The files to return, and what of them. */
@Example({ media_keys: ['{media_key_image}'], 'media.fields': ['width', 'height', 'url'] })
export class LookUpMediaByKeys extends LookUpMedia {
  /** Media keys of uploads of the caller. */
  @UploadKeys() media_keys: string[];
}
