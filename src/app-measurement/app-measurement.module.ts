import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AppEventTagsController } from './app-event-tags/app-event-tags.controller.js';
import { AppEventTagsService } from './app-event-tags/app-event-tags.service.js';
import { AppListsController } from './app-lists/app-lists.controller.js';
import { AppListsService } from './app-lists/app-lists.service.js';
import { ProviderConfigurationsController } from './provider-configurations/provider-configurations.controller.js';
import { ProviderConfigurationsService } from './provider-configurations/provider-configurations.service.js';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [AppEventTagsController, AppListsController, ProviderConfigurationsController],
  providers: [AppEventTagsService, AppListsService, ProviderConfigurationsService],
  exports: [AppEventTagsService, AppListsService, ProviderConfigurationsService],
})
export class AppMeasurementModule {}
