import { Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { invalid } from '../../common/errors/catalogue.js';
import { configurationNotFound } from '../app-measurement.errors.js';

/** The index that limits an account to one. */
const ONE_PROVIDER = 'app_event_provider_configurations_one';

/** The provider that counts the app events of an account, and its id of the account. */
@Entity('app_event_provider_configurations')
@InSnapshots()
@Index(['accountId', 'updatedAt', 'id'])
@Index(ONE_PROVIDER, ['accountId'], { unique: true, where: '"deletedAt" IS NULL' })
export class ProviderConfiguration extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  /** The application that created it: a provider has one of its own. */
  @TextColumn() providerName: string;
  @TextColumn() @SpecialReference('an id of the provider') providerAdvertiserId: string;
}

/** A configuration is created and deleted, never updated. */
export const PROVIDER_CONFIGURATIONS = defineResource<ProviderConfiguration>({
  entity: ProviderConfiguration,
  name: 'APP_EVENT_PROVIDER_CONFIGURATION',
  label: 'App Event Provider Configuration',
  parameter: 'app_event_provider_configuration_id',
  notFound: configurationNotFound,
  uniques: [
    {
      index: ONE_PROVIDER,
      columns: [],
      refusal: ({ providerAdvertiserId }) =>
        invalid('provider_advertiser_id', 'The account already has a provider of app events', {
          value: providerAdvertiserId,
          details: 'delete its configuration first',
        }),
    },
  ],
});
