import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccountStatisticsController } from './account-statistics/account-statistics.controller.js';
import { AccountStatisticsService } from './account-statistics/account-statistics.service.js';
import { ActiveEntitiesController } from './active-entities/active-entities.controller.js';
import { ActiveEntitiesService } from './active-entities/active-entities.service.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [AccountStatisticsController, ActiveEntitiesController],
  providers: [AccountStatisticsService, ActiveEntitiesService, DeliveryFactsService],
})
export class StatisticsModule {}
