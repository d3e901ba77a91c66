import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import { CustomAudiencePermissionsController } from './audience-permissions/custom-audience-permissions.controller.js';
import { TailoredAudiencePermissionsController } from './audience-permissions/tailored-audience-permissions.controller.js';
import { CustomAudiencesController } from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [CustomAudiencesController, CustomAudiencePermissionsController, TailoredAudiencePermissionsController],
  providers: [AudiencePermissionsService, CustomAudiencesService],
  exports: [AudiencePermissionsService, CustomAudiencesService],
})
export class AudiencesModule {}
