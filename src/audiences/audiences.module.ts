import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import { CustomAudiencesController } from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';
import { KeywordInsightsController } from './keyword-insights/keyword-insights.controller.js';
import { KeywordInsightsService } from './keyword-insights/keyword-insights.service.js';

@Module({
  imports: [AccountsModule, CreativesModule],
  controllers: [CustomAudiencesController, KeywordInsightsController],
  providers: [AudiencePermissionsService, CustomAudiencesService, KeywordInsightsService],
  exports: [CustomAudiencesService],
})
export class AudiencesModule {}
