import type { INestApplicationContext, Type } from '@nestjs/common';
import { AccountAccessService } from '../accounts/access/account-access.service.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { AdministrationService, AlreadyPromotable, SeveralBusinesses } from '../accounts/administration.service.js';
import { DirectoryService } from '../audiences/directory/directory.service.js';
import { CredentialsService, UsernameTaken } from '../auth/credentials/credentials.service.js';
import { InvalidCallback } from '../auth/oauth1/callbacks.js';
import { CampaignsService } from '../campaigns/campaigns/campaigns.service.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../common/clock.js';
import { ApiError, ApiErrors } from '../common/errors/api-error.js';
import { readParams } from '../common/http/params.js';
import { Config } from '../config.js';
import { Refusal } from './refusal.js';

/** The services that commands call. */
export interface Services {
  app: INestApplicationContext;
  config: Config;
  clock: Clock;
  credentials: CredentialsService;
  access: AccountAccessService;
  accounts: AccountsService;
  administration: AdministrationService;
  campaigns: CampaignsService;
  directory: DirectoryService;
  funding: FundingInstrumentsService;
  /** Reads parameters as the API would, by the same rules; what is wrong with them becomes a Refusal. */
  read<T extends object>(kind: Type<T>, given: Record<string, unknown>): T;
}

export const servicesOf = (app: INestApplicationContext): Services => ({
  app,
  config: app.get(Config),
  clock: app.get(Clock),
  credentials: app.get(CredentialsService),
  access: app.get(AccountAccessService),
  accounts: app.get(AccountsService),
  administration: app.get(AdministrationService),
  campaigns: app.get(CampaignsService),
  directory: app.get(DirectoryService),
  funding: app.get(FundingInstrumentsService),
  read: (kind, given) => {
    const { params, refused } = readParams(kind, given);
    if (refused) throw refused;
    return params;
  },
});

/** Does a command's work; what the services refuse becomes a Refusal. */
export async function performOn<R>(app: INestApplicationContext, work: (services: Services) => Promise<R>): Promise<R> {
  try {
    return await work(servicesOf(app));
  } catch (error) {
    if (REFUSALS.some((kind) => error instanceof kind)) throw new Refusal(explained(error as Error));
    throw error;
  }
}

/** Errors of the API keep for themselves what is allowed instead. */
const explained = (error: Error): string =>
  (error instanceof ApiErrors ? error.errors : [error])
    .map((each) =>
      each instanceof ApiError && each.detail.details ? `${each.message} (${each.detail.details})` : each.message,
    )
    .join('; ');

const REFUSALS = [InvalidCallback, UsernameTaken, AlreadyPromotable, SeveralBusinesses, ApiError, ApiErrors];
