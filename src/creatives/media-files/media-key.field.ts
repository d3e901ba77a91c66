import { Field, text, type FieldRules } from '../../common/http/params/fields.js';
import { MEDIA_KEY } from './media-key.js';

export const mediaKey = text({ min: 1, max: 100, matching: MEDIA_KEY });

/** The key of a library media item. */
export const MediaKey = (rules: FieldRules = {}) =>
  Field(mediaKey, rules, { type: String, pattern: MEDIA_KEY.pattern.source });
