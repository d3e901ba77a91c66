import { Delete, HttpCode, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { UPLOAD_SCOPES } from '../../auth/credentials/scopes.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns } from '../../common/http/answers/returns.js';
import { JsonBody } from '../../common/http/params/params.js';
import { AddSubtitles, AddSubtitlesV1, RemoveSubtitles, RemoveSubtitlesV1 } from './media-subtitles.dto.js';
import { presentSubtitled, RemovedSubtitlesView, SubtitledMediaView } from './media-subtitles.presenter.js';
import { MediaSubtitlesService } from './media-subtitles.service.js';

/** The subtitles of videos. */
@UserController('2/media/subtitles', { tag: 'Media upload', scopes: UPLOAD_SCOPES, body: 'json' })
export class MediaSubtitlesController {
  constructor(private readonly subtitles: MediaSubtitlesService) {}

  /** Adds subtitles to a video, or replaces those of the same language. */
  @Post()
  @HttpCode(200)
  @Returns(SubtitledMediaView)
  async add(@CurrentCaller() caller: Caller, @JsonBody() params: AddSubtitles, @Db() db: EntityManager) {
    const { id, media_category, subtitles } = params;
    const added = [subtitlesOf(subtitles, subtitles.id, 'subtitles.id')];
    const video = { id, category: media_category, parameter: 'id' };
    return presentSubtitled(params, await this.subtitles.add(db, caller, video, added));
  }

  /** Removes the subtitles of a video in one language. Their file expires after a day, unless it is used again. */
  @Delete()
  @Returns(RemovedSubtitlesView)
  async remove(
    @CurrentCaller() caller: Caller,
    @JsonBody() { id, media_category, language_code }: RemoveSubtitles,
    @Db() db: EntityManager,
  ) {
    await this.subtitles.remove(db, caller, { id, category: media_category, parameter: 'id' }, [language_code]);
    return { deleted: true };
  }
}

/** The same for older clients, in several languages at once. */
@UserController('1.1/media/subtitles', { tag: 'Media upload', scopes: UPLOAD_SCOPES, body: 'json' })
export class MediaSubtitlesV1Controller {
  constructor(private readonly subtitles: MediaSubtitlesService) {}

  /** Adds subtitles to a video, as older clients do, or replaces those of the same languages. */
  @Post('create.json')
  @HttpCode(200)
  @ApiResponse({ status: 200, description: 'The video has the subtitles. The body is empty.' })
  async add(@CurrentCaller() caller: Caller, @JsonBody() params: AddSubtitlesV1, @Db() db: EntityManager) {
    const added = params.subtitle_info.subtitles.map((each, i) =>
      subtitlesOf(each, each.media_id, `subtitle_info.subtitles[${i}].media_id`),
    );
    await this.subtitles.add(db, caller, videoOf(params), added);
  }

  /** Removes the subtitles of a video in some languages, as older clients do. */
  @Post('delete.json')
  @HttpCode(200)
  @ApiResponse({ status: 200, description: 'The video has these subtitles no longer. The body is empty.' })
  async remove(@CurrentCaller() caller: Caller, @JsonBody() params: RemoveSubtitlesV1, @Db() db: EntityManager) {
    const codes = params.subtitle_info.subtitles.map(({ language_code }) => language_code.toUpperCase());
    await this.subtitles.remove(db, caller, videoOf(params), [...new Set(codes)]);
  }
}

/** Older clients name one category for all videos, so it is not compared. */
const videoOf = ({ media_id }: Pick<AddSubtitlesV1, 'media_id'>) => ({ id: media_id, parameter: 'media_id' });

const subtitlesOf = (
  { language_code, display_name }: Pick<AddSubtitles['subtitles'], 'language_code' | 'display_name'>,
  fileId: string,
  parameter: string,
) => ({ parameter, fileId, languageCode: language_code.toUpperCase(), displayName: display_name });
