import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import { AudienceSizes } from './audience-users/audience-sizes.service.js';
import { AudienceUsersController } from './audience-users/audience-users.controller.js';
import { AudienceUsersService } from './audience-users/audience-users.service.js';
import { CustomAudienceUsersService } from './audience-users/custom-audience-users.service.js';
import { SizeAudiencesJob } from './audience-users/size-audiences.job.js';
import { CustomAudiencesController } from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [CustomAudiencesController, AudienceUsersController],
  providers: [
    AudiencePermissionsService,
    AudienceSizes,
    AudienceUsersService,
    CustomAudiencesService,
    CustomAudienceUsersService,
    SizeAudiencesJob,
  ],
  exports: [CustomAudiencesService],
})
export class AudiencesModule {}
