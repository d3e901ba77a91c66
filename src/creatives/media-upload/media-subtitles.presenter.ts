import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import type { MediaSubtitles } from '../entities/media.entity.js';
import { SUBTITLED_CATEGORIES, type SubtitledCategory } from './media-subtitles.dto.js';

/** Subtitles in one language. */
export class SubtitlesView {
  /** Id of the upload with the text. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000002' }) id: string;
  /** The language, in two capitals. */
  @ApiProperty({ type: String, example: 'EN' }) language_code: string;
  /** The language as viewers read it. */
  @ApiProperty({ type: String, example: 'English' }) display_name: string;
}

/** A video with its subtitles. */
export class SubtitledMediaView {
  /** Upload id of the video. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000001' }) id: string;
  /** Purpose of the video. */
  @ApiProperty(enumSchema(SUBTITLED_CATEGORIES)) media_category: SubtitledCategory;
  /** All subtitles of the video, by language. */
  @ApiProperty({ type: [SubtitlesView] }) associated_subtitles: SubtitlesView[];
}

/** The answer to a removal. */
export class RemovedSubtitlesView {
  /** Always true. */
  @ApiProperty({ type: Boolean, example: true }) deleted: boolean;
}

export const presentSubtitles = ({ fileId, languageCode, displayName }: Row<MediaSubtitles>): SubtitlesView => ({
  id: fileId,
  language_code: languageCode,
  display_name: displayName,
});

export const presentSubtitled = (
  { id, media_category }: Pick<SubtitledMediaView, 'id' | 'media_category'>,
  subtitles: Row<MediaSubtitles>[],
): SubtitledMediaView => ({ id, media_category, associated_subtitles: subtitles.map(presentSubtitles) });
