import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import {
  SandboxAccountController,
  SandboxAccountsController,
  SandboxFeaturesController,
  SandboxFundingInstrumentsController,
} from './sandbox.controller.js';

/** Writes that exist only in the sandbox. Elsewhere their guard responds as if they did not exist. */
@Module({
  imports: [AccountsModule, CampaignsModule],
  controllers: [
    SandboxAccountsController,
    SandboxAccountController,
    SandboxFeaturesController,
    SandboxFundingInstrumentsController,
  ],
})
export class SandboxModule {}
