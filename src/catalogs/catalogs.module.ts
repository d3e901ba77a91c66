import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AdvertisedProducts } from './advertised-products/advertised-products.service.js';
import { CatalogsExport } from './catalogs-export.service.js';
import { CatalogsRemoval } from './catalogs-removal.service.js';
import { ProductCatalogsController } from './product-catalogs/product-catalogs.controller.js';
import { ProductCatalogsService } from './product-catalogs/product-catalogs.service.js';
import { ProductSetsController } from './product-sets/product-sets.controller.js';
import { ProductSetsService } from './product-sets/product-sets.service.js';
import { ProductStore } from './products/product-store.service.js';
import { ProductsController } from './products/products.controller.js';
import { ProductsService } from './products/products.service.js';
import { FeedSource } from './feed-files/feed-source.js';
import { FeedFetches } from './scheduled-feeds/feed-fetches.service.js';
import { LongFetches } from './scheduled-feeds/long-fetches.js';
import { FetchFeedsJob } from './scheduled-feeds/fetch-feeds.job.js';
import { ScheduledFeedsController } from './scheduled-feeds/scheduled-feeds.controller.js';
import { ScheduledFeedsService } from './scheduled-feeds/scheduled-feeds.service.js';

@Module({
  imports: [AuthModule],
  controllers: [ProductCatalogsController, ProductsController, ProductSetsController, ScheduledFeedsController],
  providers: [
    AdvertisedProducts,
    CatalogsExport,
    CatalogsRemoval,
    FeedFetches,
    FeedSource,
    FetchFeedsJob,
    LongFetches,
    ProductCatalogsService,
    ProductSetsService,
    ProductStore,
    ProductsService,
    ScheduledFeedsService,
  ],
  exports: [AdvertisedProducts, CatalogsExport],
})
export class CatalogsModule {}
