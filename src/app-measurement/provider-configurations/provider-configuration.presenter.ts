import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { present } from '../../common/http/answers/present.js';
import { ResourceView } from '../../common/http/answers/responses.js';
import { PROVIDER_CONFIGURATIONS, type ProviderConfiguration } from './provider-configuration.entity.js';

@Noun('app event provider configuration', 'app event provider configurations')
export class ProviderConfigurationView extends ResourceView {
  /** The provider: the name of the application that created the configuration. */
  @ApiProperty() provider_name: string;
  /** The provider's id of the advertiser. */
  @ApiProperty() provider_advertiser_id: string;
  /** The same id. */
  @ApiProperty() provider_advertiser_identifier: string;
}

export const presentProviderConfiguration = (configuration: Row<ProviderConfiguration>): ProviderConfigurationView =>
  present(ProviderConfigurationView, configuration, {
    provider_advertiser_identifier: configuration.providerAdvertiserId,
  });

recordAs(PROVIDER_CONFIGURATIONS, ProviderConfigurationView, presentProviderConfiguration);
