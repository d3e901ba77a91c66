import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
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

@Module({
  imports: [AccountsModule, AudiencesModule, CampaignsModule],
  controllers: [AccountStatisticsController, ActiveEntitiesController],
  providers: [
    AccountStatisticsService,
    ActiveEntitiesService,
    DeliveryFactsService,
    DeliveryRollups,
    RollUpDeliveryJob,
    SimulatedDelivery,
    SegmentedStatistics,
    SimulateDeliveryJob,
    StatisticsReader,
  ],
})
export class StatisticsModule {}
