import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConversionMatching } from './attribution/conversion-matching.service.js';
import { AppAttribution } from './attribution/app-attribution.service.js';
import { ConversionsUpkeepJob } from './conversions/conversions-upkeep.job.js';
import { ConversionsController } from './conversions/conversions.controller.js';
import { ConversionsService } from './conversions/conversions.service.js';
import { EngagementsUpkeepJob } from './engagements/engagements-upkeep.job.js';
import { EngagementsService } from './engagements/engagements.service.js';
import { MeasurementExport } from './measurement-export.service.js';
import { MeasurementRemoval } from './measurement-removal.service.js';
import { PixelCode } from './pixel/pixel-code.js';
import { PixelController } from './pixel/pixel.controller.js';
import { PixelTokensService } from './pixel-tokens/pixel-tokens.service.js';
import { WebAudiencesJob } from './web-audiences/web-audiences.job.js';
import { WebEventTagsController } from './web-event-tags/web-event-tags.controller.js';
import { WebEventTagsService } from './web-event-tags/web-event-tags.service.js';

@Module({
  imports: [AccountsModule, AuthModule, AudiencesModule],
  controllers: [ConversionsController, PixelController, WebEventTagsController],
  providers: [
    AppAttribution,
    ConversionMatching,
    ConversionsService,
    ConversionsUpkeepJob,
    EngagementsService,
    EngagementsUpkeepJob,
    MeasurementExport,
    MeasurementRemoval,
    PixelCode,
    PixelTokensService,
    WebAudiencesJob,
    WebEventTagsService,
  ],
  exports: [
    AppAttribution,
    ConversionsService,
    ConversionsUpkeepJob,
    EngagementsService,
    MeasurementExport,
    PixelTokensService,
    WebEventTagsService,
  ],
})
export class MeasurementModule {}
