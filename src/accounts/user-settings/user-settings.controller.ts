import { Get, Param, Put } from '@nestjs/common';
import { Returns } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import type { ActingAccount } from '../access/acting-account.js';
import { ACCOUNT_READ, OWN_SETTINGS_WRITE } from '../accounts.permissions.js';
import { UpdateUserSettings } from './user-settings.dto.js';
import { presentUserSettings, UserSettingsView } from './user-settings.presenter.js';
import { UserSettingsService } from './user-settings.service.js';

@AccountController('user_settings', { tag: 'Settings', reads: ACCOUNT_READ, writes: OWN_SETTINGS_WRITE })
export class UserSettingsController {
  constructor(private readonly settings: UserSettingsService) {}

  /** Returns the settings of a user of the account: one's own, or for administrators those of any user. */
  @Get(':user_id')
  @Returns(UserSettingsView)
  async get(@CurrentAccount() account: ActingAccount, @Param('user_id') userId: string) {
    return presentUserSettings(await this.settings.get(account, userId));
  }

  /** Changes the settings of the authenticated user that the request names. An empty value removes one. */
  @Put(':user_id')
  @Returns(UserSettingsView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('user_id') userId: string,
    @Params() params: UpdateUserSettings,
  ) {
    return presentUserSettings(await this.settings.update(account, userId, params));
  }
}
