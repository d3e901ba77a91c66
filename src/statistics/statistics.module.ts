import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { SimulateDeliveryJob } from './delivery/simulate-delivery.job.js';
import { SimulatedDelivery } from './delivery/simulated-delivery.service.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';
import { AccountStatisticsController } from './account-statistics/account-statistics.controller.js';
import { AccountStatisticsService } from './account-statistics/account-statistics.service.js';
import { StatisticsReader } from './account-statistics/statistics-reader.service.js';
import { ActiveEntitiesController } from './active-entities/active-entities.controller.js';
import { ActiveEntitiesService } from './active-entities/active-entities.service.js';
import { ResultFilesController } from './jobs/result-files.controller.js';
import { ResultFilesService } from './jobs/result-files.service.js';
import { ResultLinks } from './jobs/result-links.js';
import { WriteResultJob } from './jobs/write-result.job.js';
import { StatisticsJobsController } from './jobs/statistics-jobs.controller.js';
import { StatisticsJobsService } from './jobs/statistics-jobs.service.js';
import { StatisticsJobsUpkeepJob } from './jobs/statistics-jobs-upkeep.job.js';

@Module({
  imports: [AccountsModule, CampaignsModule],
  controllers: [AccountStatisticsController, ActiveEntitiesController, ResultFilesController, StatisticsJobsController],
  providers: [
    AccountStatisticsService,
    ActiveEntitiesService,
    DeliveryFactsService,
    ResultFilesService,
    ResultLinks,
    WriteResultJob,
    SimulatedDelivery,
    SimulateDeliveryJob,
    StatisticsJobsService,
    StatisticsJobsUpkeepJob,
    StatisticsReader,
  ],
})
export class StatisticsModule {}
