import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import { CustomAudiencesController } from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';
import { DirectoryService } from './directory/directory.service.js';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [CustomAudiencesController],
  providers: [AudiencePermissionsService, CustomAudiencesService, DirectoryService],
  exports: [CustomAudiencesService, DirectoryService],
})
export class AudiencesModule {}
