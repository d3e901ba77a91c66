import type { CreateAppEventTag } from '../../../src/app-measurement/app-event-tags/app-event-tags.dto.js';
import { AppEventTagsService } from '../../../src/app-measurement/app-event-tags/app-event-tags.service.js';
import type { CreateAppList } from '../../../src/app-measurement/app-lists/app-lists.dto.js';
import { AppListsService } from '../../../src/app-measurement/app-lists/app-lists.service.js';
import { ProviderConfigurationsService } from '../../../src/app-measurement/provider-configurations/provider-configurations.service.js';
import type { CreateWebEventTag } from '../../../src/measurement/web-event-tags/web-event-tags.dto.js';
import { WebEventTagsService } from '../../../src/measurement/web-event-tags/web-event-tags.service.js';
import { world } from '../app.js';
import { fresh, type Some } from './fresh.js';

export const measurement = {
  /** A tag of purchases, unless something else is named. */
  webEventTag: ({ account, ...params }: Some<CreateWebEventTag>) =>
    world()
      .get(WebEventTagsService)
      .create(account, {
        name: fresh('Tag'),
        type: 'PURCHASE',
        click_window: 30,
        view_through_window: 1,
        retargeting_enabled: false,
        ...params,
      }),

  /** A tag of the installs of an app, unless something else is named. */
  appEventTag: ({ account, ...params }: Some<CreateAppEventTag>) =>
    world()
      .get(AppEventTagsService)
      .create(account, {
        app_store_identifier: 'com.example.shop',
        os_type: 'ANDROID',
        conversion_type: 'INSTALL',
        provider_app_event_id: fresh('event'),
        provider_app_event_name: 'Install',
        ...params,
      }),

  /** A list of one app, unless others are named. */
  appList: ({ account, ...params }: Some<CreateAppList>) =>
    world()
      .get(AppListsService)
      .create(account, { name: fresh('Apps'), app_store_identifiers: ['com.example.shop'], ...params }),

  /** The provider of app events, of which an account has one. */
  providerConfiguration: ({ account }: Some<object>) =>
    world()
      .get(ProviderConfigurationsService)
      .create(account, { provider_advertiser_id: fresh('advertiser') }, 'Provider'),
};
