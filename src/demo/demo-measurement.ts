import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AppEventTagsService } from '../app-measurement/app-event-tags/app-event-tags.service.js';
import { AppListsService } from '../app-measurement/app-lists/app-lists.service.js';
import { ProviderConfigurationsService } from '../app-measurement/provider-configurations/provider-configurations.service.js';
import { pixelIdOf } from '../measurement/entities/pixel-id.js';
import { ConversionsService } from '../measurement/conversions/conversions.service.js';
import { WebEventTagsService } from '../measurement/web-event-tags/web-event-tags.service.js';

/** A tag of the website, tags of the app and lists of apps, and one of each to delete. */
export async function makeMeasurement(
  app: INestApplicationContext,
  account: ActingAccount,
): Promise<Record<string, string>> {
  const tags = app.get(WebEventTagsService);
  const windows = { click_window: 30, view_through_window: 1, retargeting_enabled: false };
  const { id: web_event_tag_id } = await tags.create(account, { name: 'Bought coffee', type: 'PURCHASE', ...windows });
  const { id: spare } = await tags.create(account, { name: 'Read the menu', type: 'CONTENT_VIEW', ...windows });
  const event = {
    app_store_identifier: 'com.example.northwind.coffee',
    os_type: 'ANDROID',
    conversion_type: 'INSTALL',
    provider_app_event_id: 'install',
    provider_app_event_name: 'Install',
  } as const;
  const [appTags, lists] = [app.get(AppEventTagsService), app.get(AppListsService)];
  const apps = { name: 'Apps of competitors', app_store_identifiers: ['com.example.tea', '284882215'] };
  const bought = {
    conversion_timestamp: account.now().getTime(),
    event_id: web_event_tag_id,
    conversion_id: 'order-4710',
    identifiers: [{ twclid: '2-4q1m8yb6o4zv9h3k0x2c7d5ta' }],
    value: 20,
  };
  const received = await app.get(ConversionsService).receiveOne(account, bought);
  return {
    received_conversion_id: received.ids[0],
    web_event_tag_id,
    spare_web_event_tag_id: spare,
    pixel_id: pixelIdOf(account.id),
    app_event_tag_id: (await appTags.create(account, event)).id,
    spare_app_event_tag_id: (await appTags.create(account, event)).id,
    app_list_id: (await lists.create(account, apps)).id,
    spare_app_list_id: (await lists.create(account, apps)).id,
  };
}

/** The provider of the app events. An account has one, so that the example of a new one is in another account. */
export async function makeProvider(
  app: INestApplicationContext,
  account: ActingAccount,
  applicationId: string,
  otherAccountId: string,
): Promise<Record<string, string>> {
  const providers = app.get(ProviderConfigurationsService);
  const { id } = await providers.create(account, { provider_advertiser_id: 'northwind' }, applicationId);
  return {
    app_event_provider_configuration_id: id,
    spare_app_event_provider_configuration_id: id,
    'createProviderConfiguration.account_id': otherAccountId,
  };
}
