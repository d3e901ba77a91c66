import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { DeliveryFactsService } from './facts/delivery-facts.service.js';

@Module({
  imports: [AccountsModule],
  providers: [DeliveryFactsService],
})
export class StatisticsModule {}
