import { Get } from '@nestjs/common';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import { ListFeatures } from './features.dto.js';
import { ACCOUNT_READ } from '../accounts.permissions.js';
import { FEATURES } from '../accounts.features.js';
import { FeaturesService } from './features.service.js';

@AccountController('features', { tag: 'Features', reads: ACCOUNT_READ })
export class FeaturesController {
  constructor(private readonly features: FeaturesService) {}

  /** Lists the beta and limited features of the account. */
  @Get()
  @ReturnsList(FEATURES)
  list(@CurrentAccount() account: ActingAccount, @Params() query: ListFeatures) {
    return this.features.list(account, query.feature_keys);
  }
}
