import { Get, Req } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { READ_POSTS_SCOPES } from '../../auth/credentials/scopes.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { noteIgnored, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { GetMediaAnalytics, type MediaAnalyticsField } from './media-analytics.dto.js';
import { MediaAnalyticsView, presentMediaAnalytics } from './media-analytics.presenter.js';
import { MediaAnalyticsService } from './media-analytics.service.js';

/** Fields that nothing counts. */
const UNCOUNTED: readonly MediaAnalyticsField[] = ['play_from_tap', 'watch_time_ms'];

/** Statistics of uploaded files. */
@UserController('2/media', { tag: 'Media upload', scopes: READ_POSTS_SCOPES })
export class MediaAnalyticsController {
  constructor(private readonly analytics: MediaAnalyticsService) {}

  /**
   * Returns how often uploads of the caller were watched, for each unit of a time range: in ads of the accounts whose
   * paid statistics the caller may read. Values are sums of those of `GET /12/stats`. A card with several videos counts
   * for each of them.
   */
  @Get('analytics')
  @ApiResponse({ status: 404, description: 'A media key is that of no upload of the caller.' })
  @ReturnsList(MediaAnalyticsView)
  async list(
    @CurrentCaller() caller: Caller,
    @ParsedParams(GetMediaAnalytics) request: Parsed<GetMediaAnalytics>,
    @Db() db: EntityManager,
    @Req() { query }: FastifyRequest,
  ) {
    const fields = request.value('media_analytics.fields');
    const ignored = UNCOUNTED.filter((field) => fields?.includes(field));
    if (ignored.length > 0)
      noteIgnored(query, `${ignored.join(', ')} of media_analytics.fields were ignored: nothing counts them.`);
    const found = await this.analytics.get(db, caller, request);
    return found.map(presentMediaAnalytics(fields));
  }
}
