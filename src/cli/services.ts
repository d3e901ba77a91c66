import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { AdministrationService, AlreadyPromotable, SeveralBusinesses } from '../accounts/administration.service.js';
import { CredentialsService, UsernameTaken } from '../auth/credentials/credentials.service.js';
import { InvalidCallback } from '../auth/oauth1/callbacks.js';
import { CampaignsService } from '../campaigns/campaigns/campaigns.service.js';
import { Clock } from '../common/clock.js';
import { ApiError } from '../common/errors/api-error.js';
import { Config } from '../config.js';
import { Refusal } from './refusal.js';

/** The services that commands call. */
export interface Services {
  app: INestApplicationContext;
  config: Config;
  clock: Clock;
  credentials: CredentialsService;
  accounts: AccountsService;
  administration: AdministrationService;
  campaigns: CampaignsService;
}

export const servicesOf = (app: INestApplicationContext): Services => ({
  app,
  config: app.get(Config),
  clock: app.get(Clock),
  credentials: app.get(CredentialsService),
  accounts: app.get(AccountsService),
  administration: app.get(AdministrationService),
  campaigns: app.get(CampaignsService),
});

/** Does a command's work; what the services refuse becomes a Refusal. */
export async function performOn<R>(app: INestApplicationContext, work: (services: Services) => Promise<R>): Promise<R> {
  try {
    return await work(servicesOf(app));
  } catch (error) {
    if (REFUSALS.some((kind) => error instanceof kind)) throw new Refusal((error as Error).message);
    throw error;
  }
}

const REFUSALS = [InvalidCallback, UsernameTaken, AlreadyPromotable, SeveralBusinesses, ApiError];
