import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AdvertiserBusinessCategoriesController } from './advertiser-business-categories/advertiser-business-categories.controller.js';
import { AdvertiserBusinessCategoriesService } from './advertiser-business-categories/advertiser-business-categories.service.js';
import { BiddingRulesController } from './bidding-rules/bidding-rules.controller.js';
import { BiddingRulesService } from './bidding-rules/bidding-rules.service.js';
import { ContentCategoriesController } from './content-categories/content-categories.controller.js';
import { ContentCategoriesService } from './content-categories/content-categories.service.js';
import { CuratedCategoriesController } from './curated-categories/curated-categories.controller.js';
import { CuratedCategoriesService } from './curated-categories/curated-categories.service.js';
import { IabCategoriesController } from './iab-categories/iab-categories.controller.js';
import { IabCategoriesService } from './iab-categories/iab-categories.service.js';
import { PlacementsController } from './placements/placements.controller.js';
import { PlacementsService } from './placements/placements.service.js';
import { PublishersController } from './publishers/publishers.controller.js';
import { PublishersService } from './publishers/publishers.service.js';
import { ReferenceData } from './reference-data.service.js';

const SERVICES = [
  AdvertiserBusinessCategoriesService,
  BiddingRulesService,
  ContentCategoriesService,
  CuratedCategoriesService,
  IabCategoriesService,
  PlacementsService,
  PublishersService,
  ReferenceData,
];

/** The reference data of campaigns: categories, placements, bids and publishers. */
@Module({
  imports: [AccountsModule],
  controllers: [
    AdvertiserBusinessCategoriesController,
    BiddingRulesController,
    ContentCategoriesController,
    CuratedCategoriesController,
    IabCategoriesController,
    PlacementsController,
    PublishersController,
  ],
  providers: SERVICES,
  exports: SERVICES,
})
export class ReferenceModule {}
