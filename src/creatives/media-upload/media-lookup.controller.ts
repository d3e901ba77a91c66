import { Get, Param, Req } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { READ_POSTS_SCOPES } from '../../auth/credentials/scopes.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { noteIgnored, Params } from '../../common/http/params/params.js';
import { routeNotFoundError } from '../../common/http/server/known-routes.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { LookUpMedia, LookUpMediaByKeys } from './media-lookup.dto.js';
import { FoundMediaView, presentFoundMedia } from './media-lookup.presenter.js';
import { MediaUploadsService } from './media-uploads.service.js';

/** Reads of uploaded files by their keys. */
@UserController('2/media', { tag: 'Media upload', scopes: READ_POSTS_SCOPES })
export class MediaLookupController {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly urls: MediaUrls,
  ) {}

  /** Returns uploads of the caller by media keys, in their order. */
  @Get()
  @ApiResponse({ status: 404, description: 'A media key is that of no upload of the caller.' })
  @ReturnsList(FoundMediaView)
  async list(
    @CurrentCaller() caller: Caller,
    @Params() params: LookUpMediaByKeys,
    @Db() db: EntityManager,
    @Req() { query }: FastifyRequest,
  ) {
    noteIgnoredMetrics(query, params);
    const found = await this.uploads.byKeys(db, caller, params.media_keys, 'media_keys');
    return found.map(presentFoundMedia(this.urls, params['media.fields']));
  }

  /** Returns an upload of the caller by its media key. */
  @Get(':media_key')
  @Returns(FoundMediaView)
  async get(
    @CurrentCaller() caller: Caller,
    @Param('media_key') key: string,
    @Params() params: LookUpMedia,
    @Db() db: EntityManager,
    @Req() request: FastifyRequest,
  ) {
    // `upload` and other words are no keys
    if (!MEDIA_KEY.pattern.test(key)) throw routeNotFoundError(request);
    noteIgnoredMetrics(request.query, params);
    const [found] = await this.uploads.byKeys(db, caller, [key], 'media_key');
    return presentFoundMedia(this.urls, params['media.fields'])(found);
  }
}

function noteIgnoredMetrics(query: FastifyRequest['query'], { 'media.fields': fields = [] }: LookUpMedia): void {
  const metrics = fields.filter((field) => field.endsWith('_metrics'));
  if (metrics.length > 0)
    noteIgnored(
      query,
      `${metrics.join(', ')} of media.fields were ignored: GET /2/media/analytics has the metrics of ads.`,
    );
}
