import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AppMeasurementModule } from '../app-measurement/app-measurement.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { MeasurementModule } from '../measurement/measurement.module.js';
import { DeliveryAudiences } from './delivery/delivery-audiences.service.js';
import { PastDelivery } from './delivery/past-delivery.service.js';
import { SimulateDeliveryJob } from './delivery/simulate-delivery.job.js';
import { SimulatedDelivery } from './delivery/simulated-delivery.service.js';
import { DeliveryRollups } from './facts/delivery-rollups.service.js';
import { RollUpDeliveryJob } from './facts/roll-up-delivery.job.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';
import { AccountStatisticsController } from './account-statistics/account-statistics.controller.js';
import { AccountStatisticsService } from './account-statistics/account-statistics.service.js';
import { SegmentedStatistics } from './account-statistics/segmented-statistics.service.js';
import { StatisticsReader } from './account-statistics/statistics-reader.service.js';
import { ActiveEntitiesController } from './active-entities/active-entities.controller.js';
import { ActiveEntitiesService } from './active-entities/active-entities.service.js';
import { ResultFilesController, StatisticsJobsController } from './jobs/statistics-jobs.controller.js';
import { ResultFilesService, ResultLinks } from './jobs/result-files.service.js';
import { WriteResultJob } from './jobs/write-result.job.js';
import { StatisticsJobsService } from './jobs/statistics-jobs.service.js';
import { StatisticsJobsUpkeepJob } from './jobs/statistics-jobs-upkeep.job.js';
import { MediaAnalyticsController } from './media-analytics/media-analytics.controller.js';
import { MediaAnalyticsService } from './media-analytics/media-analytics.service.js';
import { ReachController } from './reach/reach.controller.js';
import { ReachService } from './reach/reach.service.js';
import { StatisticsReports } from './reports/statistics-reports.service.js';

@Module({
  imports: [AccountsModule, AppMeasurementModule, AudiencesModule, CampaignsModule, CreativesModule, MeasurementModule],
  controllers: [
    AccountStatisticsController,
    ActiveEntitiesController,
    MediaAnalyticsController,
    ReachController,
    ResultFilesController,
    StatisticsJobsController,
  ],
  providers: [
    AccountStatisticsService,
    ActiveEntitiesService,
    DeliveryAudiences,
    DeliveryFactsService,
    DeliveryRollups,
    MediaAnalyticsService,
    PastDelivery,
    ReachService,
    ResultFilesService,
    ResultLinks,
    RollUpDeliveryJob,
    SimulatedDelivery,
    SegmentedStatistics,
    SimulateDeliveryJob,
    StatisticsJobsService,
    StatisticsJobsUpkeepJob,
    StatisticsReader,
    StatisticsReports,
    WriteResultJob,
  ],
  exports: [PastDelivery, SimulatedDelivery, StatisticsReports],
})
export class StatisticsModule {}
