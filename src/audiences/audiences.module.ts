import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { AudienceAccessService } from './audience-permissions/audience-access.service.js';
import { AudienceSharing } from './audience-permissions/audience-sharing.service.js';
import { AudiencePermissionsService } from './audience-permissions/audience-permissions.service.js';
import {
  CustomAudiencePermissionsController,
  TailoredAudiencePermissionsController,
} from './audience-permissions/audience-permissions.controller.js';
import { AudienceSizes } from './audience-sizes/audience-sizes.service.js';
import { AudienceSnapshots } from './audience-sizes/audience-snapshots.service.js';
import { AudiencesRemoval } from './audiences-removal.service.js';
import { AudienceDiagnosticsService } from './audience-users/audience-diagnostics.service.js';
import { AudienceUsersController, DoNotReachListUsersController } from './audience-users/audience-users.controller.js';
import { AudienceUsersService } from './audience-users/audience-users.service.js';
import { CustomAudienceUsersService } from './audience-users/custom-audience-users.service.js';
import { RemovePeopleJob } from './removals/remove-people.job.js';
import { SizeAudiencesJob } from './audience-sizes/size-audiences.job.js';
import { CustomAudienceBatchService } from './custom-audiences/custom-audience-batch.service.js';
import {
  CustomAudienceBatchController,
  CustomAudiencesController,
} from './custom-audiences/custom-audiences.controller.js';
import { CustomAudiencesService } from './custom-audiences/custom-audiences.service.js';
import { DirectoryEstimatesService } from './directory/directory-estimates.service.js';
import { DirectoryImportService } from './directory/directory-import.service.js';
import { DirectoryService } from './directory/directory.service.js';
import { UserSetConditions } from './directory/user-set-conditions.service.js';
import { DoNotReachListUsersService } from './audience-users/do-not-reach-list-users.service.js';
import { DoNotReachListsController } from './do-not-reach-lists/do-not-reach-lists.controller.js';
import { DoNotReachListsService } from './do-not-reach-lists/do-not-reach-lists.service.js';
import { KeywordInsightsController } from './keyword-insights/keyword-insights.controller.js';
import { KeywordInsightsService } from './keyword-insights/keyword-insights.service.js';
import { LocationIds } from './locations/location-ids.service.js';
import { WebAudiencesService } from './web-audiences/web-audiences.service.js';
import { AudiencePrivacy } from './privacy/audience-privacy.service.js';

@Module({
  imports: [AccountsModule, AuthModule, CreativesModule],
  controllers: [
    AudienceUsersController,
    CustomAudienceBatchController,
    CustomAudiencesController,
    CustomAudiencePermissionsController,
    DoNotReachListsController,
    DoNotReachListUsersController,
    KeywordInsightsController,
    TailoredAudiencePermissionsController,
  ],
  providers: [
    AudienceAccessService,
    AudienceDiagnosticsService,
    AudiencePermissionsService,
    AudiencePrivacy,
    AudienceSharing,
    AudiencesRemoval,
    AudienceSizes,
    AudienceSnapshots,
    AudienceUsersService,
    CustomAudienceBatchService,
    CustomAudiencesService,
    CustomAudienceUsersService,
    DirectoryEstimatesService,
    DirectoryImportService,
    DirectoryService,
    DoNotReachListsService,
    DoNotReachListUsersService,
    KeywordInsightsService,
    LocationIds,
    RemovePeopleJob,
    SizeAudiencesJob,
    UserSetConditions,
    WebAudiencesService,
  ],
  exports: [
    AudienceAccessService,
    AudiencePermissionsService,
    AudiencePrivacy,
    AudienceSharing,
    AudiencesRemoval,
    AudienceSizes,
    CustomAudiencesService,
    CustomAudienceBatchService,
    CustomAudienceUsersService,
    DirectoryEstimatesService,
    DirectoryImportService,
    DirectoryService,
    DoNotReachListsService,
    KeywordInsightsService,
    LocationIds,
    WebAudiencesService,
  ],
})
export class AudiencesModule {}
