import { Get, Put } from '@nestjs/common';
import { Returns } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import type { ActingAccount } from '../access/acting-account.js';
import { TAX_SETTINGS_READ, TAX_SETTINGS_WRITE } from '../accounts.permissions.js';
import { UpdateTaxSettings } from './tax-settings.dto.js';
import { presentTaxSettings, TaxSettingsView } from './tax-settings.presenter.js';
import { TaxSettingsService } from './tax-settings.service.js';

@AccountController('tax_settings', { tag: 'Settings', reads: TAX_SETTINGS_READ, writes: TAX_SETTINGS_WRITE })
export class TaxSettingsController {
  constructor(private readonly settings: TaxSettingsService) {}

  /** Returns the tax settings of the account. */
  @Get()
  @Returns(TaxSettingsView)
  async get(@CurrentAccount() account: ActingAccount) {
    return presentTaxSettings(await this.settings.get(account));
  }

  /** Changes the tax settings that the request names. An empty value removes one. */
  @Put()
  @Returns(TaxSettingsView)
  async update(@CurrentAccount() account: ActingAccount, @Params() params: UpdateTaxSettings) {
    return presentTaxSettings(await this.settings.update(account, params));
  }
}
