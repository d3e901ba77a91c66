import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { SimulateDeliveryJob } from './delivery/simulate-delivery.job.js';
import { SimulatedDelivery } from './delivery/simulated-delivery.service.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';

@Module({
  imports: [AccountsModule, CampaignsModule],
  providers: [DeliveryFactsService, SimulatedDelivery, SimulateDeliveryJob],
})
export class StatisticsModule {}
