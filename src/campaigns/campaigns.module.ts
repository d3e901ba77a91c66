import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CampaignBatchController, CampaignsController } from './campaigns/campaigns.controller.js';
import { CampaignsService } from './campaigns/campaigns.service.js';
import { FundingInstrumentsController } from './funding-instruments/funding-instruments.controller.js';
import { FundingInstrumentsService } from './funding-instruments/funding-instruments.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [CampaignsController, CampaignBatchController, FundingInstrumentsController],
  providers: [CampaignsService, FundingInstrumentsService],
  exports: [CampaignsService, FundingInstrumentsService],
})
export class CampaignsModule {}
