import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { PROVIDER_CONFIGURATIONS } from './provider-configuration.entity.js';
import type { CreateProviderConfiguration, ListProviderConfigurations } from './provider-configurations.dto.js';

@Injectable()
export class ProviderConfigurationsService {
  constructor(
    private readonly resources: Resources,
    private readonly applications: ApplicationQueries,
  ) {}

  list(account: ActingAccount, query: ListProviderConfigurations) {
    return page(this.resources.of(account, PROVIDER_CONFIGURATIONS).whereIn('id', query.ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    const configurations = this.resources.of(account, PROVIDER_CONFIGURATIONS);
    return one(configurations, id, PROVIDER_CONFIGURATIONS.notFoundError(account), query);
  }

  /** The provider has the name of its application. */
  async create(account: ActingAccount, params: CreateProviderConfiguration, applicationId: string) {
    const application = await this.applications.findById(applicationId, account.db);
    return this.resources.create(account, PROVIDER_CONFIGURATIONS, {
      accountId: account.id,
      providerName: application?.name ?? applicationId,
      providerAdvertiserId: params.provider_advertiser_id,
    });
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, PROVIDER_CONFIGURATIONS, id);
  }
}
