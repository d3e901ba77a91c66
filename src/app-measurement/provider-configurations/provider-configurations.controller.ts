import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Caller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import { MEASUREMENT_READ, MEASUREMENT_WRITE } from '../../measurement/measurement.permissions.js';
import { presentProviderConfiguration, ProviderConfigurationView } from './provider-configuration.presenter.js';
import { CreateProviderConfiguration, ListProviderConfigurations } from './provider-configurations.dto.js';
import { ProviderConfigurationsService } from './provider-configurations.service.js';

const ID = 'app_event_provider_configuration_id';

@AccountController('app_event_provider_configurations', {
  tag: 'App measurement',
  reads: MEASUREMENT_READ,
  writes: MEASUREMENT_WRITE,
  ofMeasurement: true,
})
export class ProviderConfigurationsController {
  constructor(private readonly configurations: ProviderConfigurationsService) {}

  /** Lists the providers of app events of the account: at most one that is not deleted. */
  @Get()
  @ReturnsPage(ProviderConfigurationView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListProviderConfigurations) {
    return (await this.configurations.list(account, query)).map(presentProviderConfiguration);
  }

  /** Returns the configuration of a provider of app events. */
  @Get(`:${ID}`)
  @Returns(ProviderConfigurationView)
  async get(@CurrentAccount() account: ActingAccount, @Param(ID) id: string, @Params() query: OneQuery) {
    return presentProviderConfiguration(await this.configurations.get(account, id, query));
  }

  /** Names the provider of app events: the application that asks. An account has at most one. */
  @Post()
  @Returns(ProviderConfigurationView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @Params() params: CreateProviderConfiguration,
    @CurrentCaller() { application }: Caller,
  ) {
    return presentProviderConfiguration(await this.configurations.create(account, params, application.id));
  }

  /** Deletes the configuration of a provider of app events permanently. */
  @Delete(`:${ID}`)
  @Returns(ProviderConfigurationView)
  async delete(@CurrentAccount() account: ActingAccount, @Param(ID) id: string) {
    return presentProviderConfiguration(await this.configurations.delete(account, id));
  }
}
