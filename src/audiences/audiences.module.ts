import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import { CustomAudienceBatchController } from './custom-audiences/custom-audience-batch.controller.js';
import { CustomAudienceBatchService } from './custom-audiences/custom-audience-batch.service.js';
import { CustomAudiencesController } from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [CustomAudienceBatchController, CustomAudiencesController],
  providers: [AudiencePermissionsService, CustomAudienceBatchService, CustomAudiencesService],
  exports: [CustomAudiencesService],
})
export class AudiencesModule {}
