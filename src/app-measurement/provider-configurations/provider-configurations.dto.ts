import { Example } from '../../common/http/params/dto-metadata.js';
import { Ids, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { ProviderConfiguration } from './provider-configuration.entity.js';

export class ListProviderConfigurations extends ListQuery(ProviderConfiguration, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Only the configurations with these ids. */
  @Ids() ids?: string[];
}

/** The provider of the app events of an account. */
@Example({ provider_advertiser_id: 'northwind-1' })
export class CreateProviderConfiguration {
  /** The provider's id of the advertiser. An account has at most one provider. */
  @Text({ visible: true, max: 255 }) provider_advertiser_id: string;
}
