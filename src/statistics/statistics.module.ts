import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DeliveryAudiences } from './delivery/delivery-audiences.service.js';
import { PastDelivery } from './delivery/past-delivery.service.js';
import { SimulateDeliveryJob } from './delivery/simulate-delivery.job.js';
import { SimulatedDelivery } from './delivery/simulated-delivery.service.js';
import { DeliveryRollups } from './facts/delivery-rollups.service.js';
import { RollUpDeliveryJob } from './facts/roll-up-delivery.job.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';
import { AccountStatisticsController } from './account-statistics/account-statistics.controller.js';
import { AccountStatisticsService } from './account-statistics/account-statistics.service.js';
import { StatisticsReader } from './account-statistics/statistics-reader.service.js';
import { ActiveEntitiesController } from './active-entities/active-entities.controller.js';
import { ActiveEntitiesService } from './active-entities/active-entities.service.js';
import { ReachController } from './reach/reach.controller.js';
import { ReachService } from './reach/reach.service.js';
import { StatisticsReports } from './reports/statistics-reports.service.js';

@Module({
  imports: [AccountsModule, CampaignsModule],
  controllers: [AccountStatisticsController, ActiveEntitiesController, ReachController],
  providers: [
    AccountStatisticsService,
    ActiveEntitiesService,
    DeliveryAudiences,
    DeliveryFactsService,
    DeliveryRollups,
    PastDelivery,
    ReachService,
    RollUpDeliveryJob,
    SimulatedDelivery,
    SimulateDeliveryJob,
    StatisticsReader,
    StatisticsReports,
  ],
  exports: [PastDelivery, StatisticsReports],
})
export class StatisticsModule {}
