import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { OncePerUser, Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { Clock } from '../../common/time/clock.js';
import { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { FeedFetchView, presentFetch, presentScheduledFeed, ScheduledFeedView } from './scheduled-feed.presenter.js';
import { CreateScheduledFeed, UpdateScheduledFeed } from './scheduled-feeds.dto.js';
import { ScheduledFeedsService } from './scheduled-feeds.service.js';

@CallerController('product_catalogs/:product_catalog_id/scheduled_feeds', {
  tag: 'Product catalogs',
  quota: 'CATALOG_READS',
  writeQuota: 'CATALOG_WRITES',
  perEndpoint: true,
})
export class ScheduledFeedsController {
  constructor(
    private readonly feeds: ScheduledFeedsService,
    private readonly clock: Clock,
  ) {}

  /** Lists the scheduled feed of a catalog: one, or none. */
  @Get()
  @ReturnsList(ScheduledFeedView)
  async list(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return (await this.feeds.list(db, userId, catalogId, query)).map(presentScheduledFeed);
  }

  /** Creates the scheduled feed of a catalog, which can have one. Its file is fetched regularly, and its products are stored. */
  @Post()
  @OncePerUser()
  @Returns(ScheduledFeedView, { status: 201 })
  async create(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Params() params: CreateScheduledFeed,
    @Db() db: EntityManager,
  ) {
    return presentScheduledFeed(await this.feeds.create(db, userId, catalogId, params));
  }

  /** Changes a scheduled feed. A fetch that runs ends. */
  @Put(':scheduled_feed_id')
  @Returns(ScheduledFeedView)
  async update(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('scheduled_feed_id') id: string,
    @Params() params: UpdateScheduledFeed,
    @Db() db: EntityManager,
  ) {
    return presentScheduledFeed(await this.feeds.update(db, userId, { catalogId, id }, params));
  }

  /** Deletes a scheduled feed permanently. Its products stay. */
  @Delete(':scheduled_feed_id')
  @OncePerUser()
  @Returns(ScheduledFeedView)
  async delete(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('scheduled_feed_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentScheduledFeed(await this.feeds.delete(db, userId, { catalogId, id }, query));
  }

  /** Returns the last fetch of a scheduled feed, with the first rows that it rejected. */
  @Get(':scheduled_feed_id/fetch')
  @Returns(FeedFetchView)
  async lastFetch(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('scheduled_feed_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentFetch(await this.feeds.get(db, userId, { catalogId, id }, query), this.clock.now());
  }

  /** Fetches a scheduled feed now, unless that is happening already. The schedule stays. */
  @Post(':scheduled_feed_id/fetch')
  @HttpCode(200)
  @Returns(FeedFetchView)
  async fetch(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('scheduled_feed_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentFetch(await this.feeds.fetchNow(db, userId, { catalogId, id }, query), this.clock.now());
  }
}
