import { Field, list, listSchema, text, type FieldRules } from '../../common/http/params/fields.js';
import { MEDIA_KEY } from './media-key.js';

export const mediaKey = text({ min: 1, max: 100, matching: MEDIA_KEY });

/** The key of a library media item. */
export const MediaKey = (rules: FieldRules = {}) =>
  Field(mediaKey, rules, { type: String, pattern: MEDIA_KEY.pattern.source });

/** The maximum number of keys in a request for uploads. */
const MAX_KEYS = 100;

/** The keys of uploads. */
export const UploadKeys = () =>
  Field(
    list(text({ min: 1, max: Infinity, matching: MEDIA_KEY }), { max: MAX_KEYS }),
    {},
    listSchema({ type: 'string', pattern: MEDIA_KEY.pattern.source }, { min: 1, max: MAX_KEYS }),
  );
