import { closedSet } from '../../common/values/closed-set.js';
import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId, enumSchema, Field, oneOf, Text, type Kind } from '../../common/http/params/fields.js';
import { nested, part, partList } from '../../common/http/params/parts.js';
import { MAX_LANGUAGES } from '../media-inspection/media-limits.js';

export const SUBTITLED_CATEGORIES = closedSet('SubtitledCategory', ['AmplifyVideo', 'PostVideo']);
export type SubtitledCategory = (typeof SUBTITLED_CATEGORIES)[number];

/** Uploads write `post_video` for `PostVideo`. */
const category: Kind = {
  ...oneOf(SUBTITLED_CATEGORIES),
  convert: (given) =>
    typeof given === 'string'
      ? (SUBTITLED_CATEGORIES.find((each) => each.toLowerCase() === given.replaceAll('_', '').toLowerCase()) ?? given)
      : given,
};
const SubtitledMediaCategory = () => Field(category, {}, enumSchema(SUBTITLED_CATEGORIES));

const LANGUAGE = { pattern: /^[A-Z]{2}$/, what: 'a language code of two capitals, such as EN' };
const ANY_LANGUAGE = { pattern: /^[A-Za-z]{2}$/, what: 'a language code of two letters, such as en' };
const MAX_NAME_LENGTH = 100;

/** Subtitles in one language. */
export class Subtitles {
  /** Id of the upload with `media_category` subtitles. */
  @DecimalId() id: string;
  /** The language, in two capitals. */
  @Text({ matching: LANGUAGE, example: 'EN' }) language_code: string;
  /** The language as viewers read it. */
  @Text({ max: MAX_NAME_LENGTH, visible: true, example: 'English' }) display_name: string;
}

/** Subtitles for a video. */
@Example({
  id: '{video_media_id}',
  media_category: 'PostVideo',
  subtitles: { id: '{subtitles_media_id}', language_code: 'EN', display_name: 'English' },
})
export class AddSubtitles {
  /** Upload id of the video. */
  @DecimalId() id: string;
  /** Purpose of the video, as at its upload. */
  @SubtitledMediaCategory() media_category: SubtitledCategory;
  /** The subtitles. */
  @Field(nested(part(Subtitles)), {}, { type: Subtitles }) subtitles: Subtitles;
}

/** A language of a video. */
@Example({ id: '{video_media_id}', media_category: 'PostVideo', language_code: 'DE' })
export class RemoveSubtitles {
  /** Upload id of the video. */
  @DecimalId() id: string;
  /** Purpose of the video, as at its upload. */
  @SubtitledMediaCategory() media_category: SubtitledCategory;
  /** The language, in two capitals. */
  @Text({ matching: LANGUAGE, example: 'DE' }) language_code: string;
}

/** Subtitles in one language, as older clients name them. */
export class SubtitlesV1 {
  /** Id of the upload with `media_category` subtitles. */
  @DecimalId() media_id: string;
  /** The language, in two letters. */
  @Text({ matching: ANY_LANGUAGE, example: 'en' }) language_code: string;
  /** The language as viewers read it. */
  @Text({ max: MAX_NAME_LENGTH, visible: true, example: 'English' }) display_name: string;
}

/** A language, as older clients name it. */
export class LanguageV1 {
  /** The language, in two letters. */
  @Text({ matching: ANY_LANGUAGE, example: 'fr' }) language_code: string;
}

const LIST = { min: 1, max: MAX_LANGUAGES };

/** Subtitles in several languages. */
export class SubtitleInfoV1 {
  /** The subtitles. */
  @Field(nested(partList(part(SubtitlesV1), LIST)), {}, { type: [SubtitlesV1], minItems: LIST.min, maxItems: LIST.max })
  subtitles: SubtitlesV1[];
}

/** Several languages. */
export class LanguagesInfoV1 {
  /** The languages. */
  @Field(nested(partList(part(LanguageV1), LIST)), {}, { type: [LanguageV1], minItems: LIST.min, maxItems: LIST.max })
  subtitles: LanguageV1[];
}

/** Subtitles for a video, as older clients send them. */
@Example({
  media_id: '{video_media_id}',
  media_category: 'PostVideo',
  subtitle_info: { subtitles: [{ media_id: '{subtitles_media_id}', language_code: 'en', display_name: 'English' }] },
})
export class AddSubtitlesV1 {
  /** Upload id of the video. */
  @DecimalId() media_id: string;
  /** Purpose of the video, as at its upload. */
  @SubtitledMediaCategory() media_category: SubtitledCategory;
  /** The subtitles. */
  @Field(nested(part(SubtitleInfoV1)), {}, { type: SubtitleInfoV1 }) subtitle_info: SubtitleInfoV1;
}

/** Languages of a video, as older clients send them. */
@Example({
  media_id: '{video_media_id}',
  media_category: 'PostVideo',
  subtitle_info: { subtitles: [{ language_code: 'fr' }] },
})
export class RemoveSubtitlesV1 {
  /** Upload id of the video. */
  @DecimalId() media_id: string;
  /** Purpose of the video, as at its upload. */
  @SubtitledMediaCategory() media_category: SubtitledCategory;
  /** The languages. */
  @Field(nested(part(LanguagesInfoV1)), {}, { type: LanguagesInfoV1 }) subtitle_info: LanguagesInfoV1;
}
