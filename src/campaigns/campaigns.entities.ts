import type { Type } from '@nestjs/common';
import { Campaign } from './entities/campaign.entity.js';
import { AdvertiserBusinessCategory } from './reference/advertiser-business-categories/advertiser-business-category.entity.js';
import { BiddingRule } from './reference/bidding-rules/bidding-rule.entity.js';
import { ContentCategory } from './reference/content-categories/content-category.entity.js';
import { CuratedCategory } from './entities/curated-category.entity.js';
import { IabCategory } from './reference/iab-categories/iab-category.entity.js';
import { Publisher } from './reference/publishers/publisher.entity.js';
import { FundingInstrument } from './funding-instruments/funding-instrument.entity.js';
import { LineItem } from './entities/line-item.entity.js';
import { TargetingCriterion, TargetingSet } from './criterion-sets/targeting-criterion.entity.js';
import { LineItemCuratedCategory } from './line-item-curated-categories/line-item-curated-category.entity.js';
import { MediaCreative } from './media-creatives/media-creative.entity.js';
import { PrerollCallToAction } from './preroll-call-to-actions/preroll-call-to-action.entity.js';
import { PromotedAccount } from './promoted-accounts/promoted-account.entity.js';
import { PromotedPost } from './promoted-posts/promoted-post.entity.js';
import { ScheduledPromotedPost } from './scheduled-promoted-posts/scheduled-promoted-post.entity.js';

/** The tables of campaigns, their funding and the reference data. */
export const CAMPAIGNS_ENTITIES: Type[] = [
  Campaign,
  FundingInstrument,
  LineItem,
  TargetingCriterion,
  TargetingSet,
  LineItemCuratedCategory,
  MediaCreative,
  PrerollCallToAction,
  PromotedAccount,
  PromotedPost,
  ScheduledPromotedPost,
  AdvertiserBusinessCategory,
  BiddingRule,
  ContentCategory,
  CuratedCategory,
  IabCategory,
  Publisher,
];
