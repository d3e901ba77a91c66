import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountAccessService } from './access/account-access.service.js';
import { MembershipsService } from './access/memberships.service.js';
import { AuthenticatedUserAccessController } from './access/authenticated-user-access.controller.js';
import { AccountAppsController } from './account-apps/account-apps.controller.js';
import { AccountAppsService } from './account-apps/account-apps.service.js';
import { AccountsController, AccountSelfController } from './accounts/accounts.controller.js';
import { AccountsExport } from './accounts-export.service.js';
import { FileJobs } from './file-jobs/file-jobs.service.js';
import { AccountsRemoval } from './accounts-removal.service.js';
import { AccountsService } from './accounts/accounts.service.js';
import { BusinessesService, BusinessQueries } from './accounts/businesses.service.js';
import { AdministrationService } from './administration.service.js';
import { AccountHistoryController } from './change-log/account-history.controller.js';
import { AccountHistoryService } from './change-log/account-history.service.js';
import { FeaturesController } from './features/features.controller.js';
import { FeaturesService } from './features/features.service.js';
import { PromotableUserCache } from './promotable-users/promotable-user-cache.service.js';
import { PromotableUsersController } from './promotable-users/promotable-users.controller.js';
import { PromotableUsersService } from './promotable-users/promotable-users.service.js';
import { Resources } from './resources/resources.service.js';
import { TaxSettingsController } from './tax-settings/tax-settings.controller.js';
import { TaxSettingsService } from './tax-settings/tax-settings.service.js';
import { AccountTimes } from './times/account-times.service.js';
import { TimedWorks } from './times/timed-work.js';
import { UserSettingsController } from './user-settings/user-settings.controller.js';
import { UserSettingsService } from './user-settings/user-settings.service.js';

@Module({
  imports: [AuthModule],
  controllers: [
    AccountsController,
    AccountSelfController,
    AccountAppsController,
    AccountHistoryController,
    AuthenticatedUserAccessController,
    FeaturesController,
    PromotableUsersController,
    TaxSettingsController,
    UserSettingsController,
  ],
  providers: [
    AccountAccessService,
    AccountAppsService,
    AccountsExport,
    AccountsRemoval,
    AccountsService,
    AccountTimes,
    AccountHistoryService,
    AdministrationService,
    BusinessesService,
    BusinessQueries,
    FileJobs,
    MembershipsService,
    Resources,
    FeaturesService,
    PromotableUserCache,
    PromotableUsersService,
    TaxSettingsService,
    TimedWorks,
    UserSettingsService,
  ],
  exports: [
    AuthModule,
    AccountAccessService,
    AccountAppsService,
    AccountsExport,
    AccountsService,
    AccountTimes,
    AdministrationService,
    BusinessesService,
    FileJobs,
    MembershipsService,
    Resources,
    FeaturesService,
    PromotableUserCache,
    PromotableUsersService,
    TaxSettingsService,
    TimedWorks,
    UserSettingsService,
  ],
})
export class AccountsModule {}
