import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AdvertiserBusinessCategoriesService } from './advertiser-business-categories/advertiser-business-categories.service.js';
import { BiddingRulesService } from './bidding-rules/bidding-rules.service.js';
import { ContentCategoriesService } from './content-categories/content-categories.service.js';
import { CuratedCategoriesController } from './curated-categories/curated-categories.controller.js';
import { CuratedCategoriesService } from './curated-categories/curated-categories.service.js';
import { IabCategoriesService } from './iab-categories/iab-categories.service.js';
import { PublishersService } from './publishers/publishers.service.js';
import { ReferenceData } from './reference-data.service.js';
import {
  AdvertiserBusinessCategoriesController,
  BiddingRulesController,
  ContentCategoriesController,
  IabCategoriesController,
  PlacementsController,
  PublishersController,
} from './reference.controller.js';

const SERVICES = [
  AdvertiserBusinessCategoriesService,
  BiddingRulesService,
  ContentCategoriesService,
  CuratedCategoriesService,
  IabCategoriesService,
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
