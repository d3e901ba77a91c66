import { Delete, HttpCode, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../accounts/access/account-controller.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { ChangeFeatures } from '../accounts/features/features.dto.js';
import { FEATURES } from '../accounts/accounts.features.js';
import { FeaturesService } from '../accounts/features/features.service.js';
import { Params } from '../common/http/params/params.js';
import { ACCOUNT_READ, ACCOUNT_WRITE } from '../accounts/accounts.permissions.js';
import { ReturnsList } from '../common/http/answers/returns.js';

@AccountController('features', { tag: 'Sandbox', reads: ACCOUNT_READ, writes: ACCOUNT_WRITE, sandboxOnly: true })
export class SandboxFeaturesController {
  constructor(private readonly features: FeaturesService) {}

  /** Adds features to the account. Returns all of its features. */
  @Post()
  @HttpCode(200)
  @ReturnsList(FEATURES)
  add(@CurrentAccount() account: ActingAccount, @Params() params: ChangeFeatures) {
    return this.features.add(account, params.feature_keys);
  }

  /** Removes features from the account. Returns all of its remaining features. */
  @Delete()
  @ReturnsList(FEATURES)
  remove(@CurrentAccount() account: ActingAccount, @Params() params: ChangeFeatures) {
    return this.features.remove(account, params.feature_keys);
  }
}
