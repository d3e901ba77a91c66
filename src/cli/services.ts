import type { INestApplicationContext, Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../accounts/access/account-access.service.js';
import { AccountAppsService } from '../accounts/account-apps/account-apps.service.js';
import { AccountsExport } from '../accounts/accounts-export.service.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { MembershipsService } from '../accounts/access/memberships.service.js';
import { BusinessesService, SeveralBusinesses } from '../accounts/accounts/businesses.service.js';
import { AdministrationService } from '../accounts/administration.service.js';
import { FeaturesService } from '../accounts/features/features.service.js';
import { AlreadyPromotable } from '../accounts/promotable-users/promotable-users.service.js';
import { PromotableUsersService } from '../accounts/promotable-users/promotable-users.service.js';
import { DirectoryImportService } from '../audiences/directory/directory-import.service.js';
import { DirectoryService } from '../audiences/directory/directory.service.js';
import { AuthExport } from '../auth/auth-export.service.js';
import { AccessTokenQueries } from '../auth/credentials/access-token.queries.js';
import { AccessTokensService } from '../auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../auth/credentials/application.queries.js';
import { ApplicationsService } from '../auth/credentials/applications.service.js';
import { KeyRotation } from '../auth/credentials/key-rotation.js';
import { GrantQueries } from '../auth/grants/grant.queries.js';
import { GrantsService } from '../auth/grants/grants.service.js';
import { SignInService } from '../auth/sessions/sign-in.service.js';
import { UsernameTaken, UsersService } from '../auth/credentials/users.service.js';
import { OperatorTokens, ScopesRefused } from '../auth/oauth2/operator-tokens.service.js';
import { RemovalService } from '../auth/removal.service.js';
import { InvalidCallback } from '../auth/credentials/callbacks.js';
import { UserRemoval, UserRemovalRefused } from '../auth/user-removal/user-removal.service.js';
import { CampaignLimitService } from '../campaigns/campaigns/campaign-limit.service.js';
import { CuratedCategoriesService } from '../campaigns/reference/curated-categories/curated-categories.service.js';
import { PublishersService } from '../campaigns/reference/publishers/publishers.service.js';
import {
  AdministrationRefused,
  ReferenceData,
  ReferenceRefused,
} from '../campaigns/reference/reference-data.service.js';
import { SpendingService } from '../campaigns/spending/spending.service.js';
import { CatalogsExport } from '../catalogs/catalogs-export.service.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../common/time/clock.js';
import { ApiError, ApiErrors, sentenceOf } from '../common/errors/api-error.js';
import { readParams } from '../common/http/params/params.js';
import { StorageQuotas } from '../common/storage/storage-quotas.js';
import { CreativesExport } from '../creatives/creatives-export.service.js';
import { ConversionsService } from '../measurement/conversions/conversions.service.js';
import { MeasurementExport } from '../measurement/measurement-export.service.js';
import { PixelTokensService } from '../measurement/pixel-tokens/pixel-tokens.service.js';
import { Config } from '../config/config.js';
import { StatisticsReports } from '../statistics/reports/statistics-reports.service.js';
import { WebhookAdministration } from '../webhooks/endpoints/webhook-administration.service.js';
import { WebhooksService } from '../webhooks/endpoints/webhooks.service.js';
import { CommandRefusal } from './refusal.js';

/** The services that commands call. */
const SERVICES = {
  clock: Clock,
  config: Config,
  access: AccountAccessService,
  accountApps: AccountAppsService,
  accounts: AccountsService,
  accountsExport: AccountsExport,
  administration: AdministrationService,
  applicationQueries: ApplicationQueries,
  applications: ApplicationsService,
  authExport: AuthExport,
  businesses: BusinessesService,
  campaignLimit: CampaignLimitService,
  catalogsExport: CatalogsExport,
  conversions: ConversionsService,
  creativesExport: CreativesExport,
  curatedCategories: CuratedCategoriesService,
  dataSource: DataSource,
  directory: DirectoryService,
  directoryImport: DirectoryImportService,
  features: FeaturesService,
  funding: FundingInstrumentsService,
  grantQueries: GrantQueries,
  grants: GrantsService,
  keyRotation: KeyRotation,
  measurementExport: MeasurementExport,
  memberships: MembershipsService,
  operatorTokens: OperatorTokens,
  pixelTokens: PixelTokensService,
  promotableUsers: PromotableUsersService,
  publishers: PublishersService,
  quotas: StorageQuotas,
  reference: ReferenceData,
  removal: RemovalService,
  signIn: SignInService,
  spending: SpendingService,
  statisticsReports: StatisticsReports,
  tokenQueries: AccessTokenQueries,
  tokens: AccessTokensService,
  userRemoval: UserRemoval,
  users: UsersService,
  webhookAdministration: WebhookAdministration,
  webhooks: WebhooksService,
};

/** The services that commands call, and the application that provides them. */
export type Services = { [N in keyof typeof SERVICES]: InstanceType<(typeof SERVICES)[N]> } & {
  app: INestApplicationContext;
  /** Parses parameters by the rules of the API; problems become a Refusal. */
  read<T extends object>(kind: Type<T>, given: Record<string, unknown>): T;
};

function servicesOf(app: INestApplicationContext): Services {
  const services = Object.entries(SERVICES).map(([name, kind]) => [name, app.get<object>(kind)]);
  return { app, read, ...(Object.fromEntries(services) as Omit<Services, 'app' | 'read'>) };
}

function read<T extends object>(kind: Type<T>, given: Record<string, unknown>): T {
  const { params, refused } = readParams(kind, given);
  if (refused) throw refused;
  return params;
}

/** Runs a command's work; errors of the services become a Refusal. */
export async function performOn<R>(app: INestApplicationContext, work: (services: Services) => Promise<R>): Promise<R> {
  try {
    return await work(servicesOf(app));
  } catch (error) {
    if (REFUSALS.some((kind) => error instanceof kind)) throw new CommandRefusal(explained(error as Error));
    throw error;
  }
}

/** Errors of the API keep for themselves what is allowed instead. */
const explained = (error: Error): string =>
  (error instanceof ApiErrors ? error.errors : [error])
    .map((each) => {
      if (!(each instanceof ApiError)) return each.message;
      const hint = sentenceOf(each.hint);
      const message = each.detail.details ? `${each.message} (${each.detail.details})` : each.message;
      return hint === undefined ? message : `${message}. ${hint}`;
    })
    .join('; ');

const REFUSALS = [
  AdministrationRefused,
  ReferenceRefused,
  InvalidCallback,
  UsernameTaken,
  UserRemovalRefused,
  AlreadyPromotable,
  SeveralBusinesses,
  ScopesRefused,
  ApiError,
  ApiErrors,
];
