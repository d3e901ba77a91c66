import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { AbTestsController } from './ab-tests/ab-tests.controller.js';
import { AbTestsService } from './ab-tests/ab-tests.service.js';
import { AudienceEstimateController } from './audience-estimate/audience-estimate.controller.js';
import { AudienceEstimateService } from './audience-estimate/audience-estimate.service.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CampaignBatchController, CampaignsController } from './campaigns/campaigns.controller.js';
import { CampaignDelivery } from './campaigns/campaign-delivery.service.js';
import { CampaignLimitService } from './campaigns/campaign-limit.service.js';
import { CampaignsRemoval } from './campaigns-removal.service.js';
import { CampaignsService } from './campaigns/campaigns.service.js';
import { FundingCache } from './funding-instruments/funding-cache.service.js';
import { FundingInstrumentsController } from './funding-instruments/funding-instruments.controller.js';
import { DeliverySpending } from './spending/delivery-spending.service.js';
import { SpendingService } from './spending/spending.service.js';
import { FundingInstrumentsService } from './funding-instruments/funding-instruments.service.js';
import { LineItemAppsController } from './line-item-apps/line-item-apps.controller.js';
import { LineItemAppsService } from './line-item-apps/line-item-apps.service.js';
import { LineItemDelivery } from './line-items/line-item-delivery.service.js';
import { LineItemReference } from './line-items/line-item-reference.service.js';
import { LineItemBatchController, LineItemsController } from './line-items/line-items.controller.js';
import { LineItemContextReader } from './line-items/line-item-context.service.js';
import { LineItemsService } from './line-items/line-items.service.js';
import { ParentLineItems } from './line-items/parent-line-items.service.js';
import { MediaCreativesController } from './media-creatives/media-creatives.controller.js';
import { MediaCreativesService } from './media-creatives/media-creatives.service.js';
import { PrerollCallToActionsController } from './preroll-call-to-actions/preroll-call-to-actions.controller.js';
import { PrerollCallToActionsService } from './preroll-call-to-actions/preroll-call-to-actions.service.js';
import { PromotedAccountsController } from './promoted-accounts/promoted-accounts.controller.js';
import { PromotedAccountsService } from './promoted-accounts/promoted-accounts.service.js';
import { PromotedPostsController } from './promoted-posts/promoted-posts.controller.js';
import { MeasurementModule } from '../measurement/measurement.module.js';
import { PartnerEventsController } from './partner-events/partner-events.controller.js';
import { PartnerEvents } from './partner-events/partner-events.service.js';
import { PromotedProducts } from './promoted-posts/promoted-products.service.js';
import { PostPromotion } from './promoted-posts/post-promotion.service.js';
import { PromotedPostsService } from './promoted-posts/promoted-posts.service.js';
import { ScheduledPromotedPostsController } from './scheduled-promoted-posts/scheduled-promoted-posts.controller.js';
import { ScheduledPromotedPostsJob } from './scheduled-promoted-posts/scheduled-promoted-posts.job.js';
import { ScheduledPromotedPostsService } from './scheduled-promoted-posts/scheduled-promoted-posts.service.js';
import { ReferenceModule } from './reference/reference.module.js';
import { TargetingOptionsController, TvOptionsController } from './targeting-look-ups/look-ups.controller.js';
import { LookUps } from './targeting-look-ups/look-ups.service.js';
import { TargetingSuggestionsController } from './targeting-suggestions/targeting-suggestions.controller.js';
import { TargetingSuggestions } from './targeting-suggestions/targeting-suggestions.service.js';
import { TargetedByController } from './targeted-by/targeted-by.controller.js';
import { TargetedBy } from './targeted-by/targeted-by.service.js';
import {
  TargetingCriteriaBatchController,
  TargetingCriteriaController,
} from './targeting-criteria/targeting-criteria.controller.js';
import { TargetingCriteriaService } from './targeting-criteria/targeting-criteria.service.js';
import { StoredCriteria } from './stored-criteria/stored-criteria.service.js';
import { TrackingTagsController } from './tracking-tags/tracking-tags.controller.js';
import { TrackingTagsService } from './tracking-tags/tracking-tags.service.js';
import { TargetingValues } from './targeting-values/targeting-values.service.js';
import { LineItemCuratedCategoriesController } from './line-item-curated-categories/line-item-curated-categories.controller.js';
import { LineItemCuratedCategoriesService } from './line-item-curated-categories/line-item-curated-categories.service.js';

@Module({
  imports: [
    AccountsModule,
    AudiencesModule,
    AuthModule,
    CatalogsModule,
    CreativesModule,
    MeasurementModule,
    ReferenceModule,
  ],
  controllers: [
    AbTestsController,
    AudienceEstimateController,
    CampaignsController,
    CampaignBatchController,
    FundingInstrumentsController,
    LineItemAppsController,
    LineItemsController,
    LineItemBatchController,
    TargetedByController,
    TargetingCriteriaController,
    TargetingCriteriaBatchController,
    LineItemCuratedCategoriesController,
    MediaCreativesController,
    PartnerEventsController,
    PrerollCallToActionsController,
    PromotedAccountsController,
    PromotedPostsController,
    ScheduledPromotedPostsController,
    TargetingOptionsController,
    TargetingSuggestionsController,
    TrackingTagsController,
    TvOptionsController,
  ],
  providers: [
    AbTestsService,
    AudienceEstimateService,
    CampaignDelivery,
    CampaignLimitService,
    CampaignsRemoval,
    CampaignsService,
    FundingCache,
    FundingInstrumentsService,
    DeliverySpending,
    SpendingService,
    LineItemAppsService,
    LineItemCuratedCategoriesService,
    LineItemDelivery,
    LineItemReference,
    LineItemContextReader,
    LineItemsService,
    ParentLineItems,
    LookUps,
    TargetedBy,
    TargetingCriteriaService,
    MediaCreativesService,
    PartnerEvents,
    PrerollCallToActionsService,
    PromotedAccountsService,
    PostPromotion,
    PromotedPostsService,
    PromotedProducts,
    ScheduledPromotedPostsJob,
    ScheduledPromotedPostsService,
    StoredCriteria,
    TargetingSuggestions,
    TargetingValues,
    TrackingTagsService,
  ],
  exports: [
    ReferenceModule,
    AbTestsService,
    AudienceEstimateService,
    CampaignLimitService,
    CampaignsService,
    FundingCache,
    FundingInstrumentsService,
    DeliverySpending,
    SpendingService,
    LineItemsService,
    TargetingCriteriaService,
    LineItemCuratedCategoriesService,
    MediaCreativesService,
    PrerollCallToActionsService,
    PromotedAccountsService,
    PromotedPostsService,
    ScheduledPromotedPostsService,
    StoredCriteria,
    TargetingValues,
    TrackingTagsService,
  ],
})
export class CampaignsModule {}
