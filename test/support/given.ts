import { AccountAccessService } from '../../src/accounts/access/account-access.service.js';
import type { ActingAccount } from '../../src/accounts/access/acting-account.js';
import type { Role } from '../../src/accounts/access/roles.js';
import { AccountsService, type NewAccount } from '../../src/accounts/accounts/accounts.service.js';
import { AdministrationService } from '../../src/accounts/administration.service.js';
import type { PromotableUserType } from '../../src/accounts/promotable-users/promotable-user.entity.js';
import type { AccessLevel } from '../../src/auth/credentials/application.entity.js';
import { CredentialsService, type KeyAndSecret } from '../../src/auth/credentials/credentials.service.js';
import type { User } from '../../src/auth/credentials/user.entity.js';
import { CampaignsService } from '../../src/campaigns/campaigns/campaigns.service.js';
import type { CreateCampaign } from '../../src/campaigns/campaigns/campaigns.dto.js';
import { FundingInstrumentsService } from '../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type { CreateFundingInstrument } from '../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import type { Row } from '../../src/common/db/query/rows.js';
import type { Environment } from '../../src/common/http/public-urls.js';
import { Api, type Credentials } from './api.js';
import { world } from './app.js';

/** Somebody who can call, through the one application of the spec file unless another is named. */
export interface Client {
  user: Row<User>;
  credentials: Credentials;
  api: Api;
}

/** A client on an account of their own. */
export interface Advertiser extends Client {
  account: ActingAccount;
}

export interface Application {
  id: string;
  consumer: KeyAndSecret;
}

type Some<T> = Partial<T> & { account: ActingAccount };

let count = 0;
const fresh = (what: string) => `${what}_${++count}`;

let shared: Promise<Application> | undefined;

/** Arranges through the services, so that a test's requests are those it is about. Everything is fresh: nothing is cleaned up. */
export const given = {
  /** An application of a user of its own. */
  async application(accessLevel: AccessLevel = 'write'): Promise<Application> {
    const credentials = world().get(CredentialsService);
    const owner = await credentials.createUser(fresh('owner'));
    const { application, consumer } = await credentials.createApplication({
      name: 'Tests',
      ownerId: owner.id,
      accessLevel,
    });
    return { id: application.id, consumer };
  },

  /** A user with a token. */
  async client({
    application,
    accessLevel = 'write',
    environment = 'production',
  }: { application?: Application; accessLevel?: AccessLevel; environment?: Environment } = {}): Promise<Client> {
    const credentials = world().get(CredentialsService);
    const { id, consumer } = application ?? (await (shared ??= given.application()));
    const user = await credentials.createUser(fresh('user'));
    const token = await credentials.issueToken(user.id, id, accessLevel);
    const own = { consumer, token };
    return { user, credentials: own, api: new Api(own).in(environment) };
  },

  /** A user with a role on a new account. */
  async advertiser({
    role = 'ACCOUNT_ADMIN',
    postComposer = true,
    environment = 'production',
    name = fresh('Account'),
    ...rest
  }: Partial<NewAccount> & {
    role?: Role;
    postComposer?: boolean;
    application?: Application;
    accessLevel?: AccessLevel;
  } = {}): Promise<Advertiser> {
    const { application, accessLevel, ...given_ } = rest;
    const client = await given.client({ application, accessLevel, environment });
    const account = await given.account({ ...given_, userId: client.user.id, environment, name });
    if (role === 'ACCOUNT_ADMIN' && postComposer) return { ...client, account };
    await world().get(AdministrationService).grant(account.id, client.user.id, role, postComposer);
    return { ...client, account: await acting(account.id, client.user.id, environment) };
  },

  /** One more account of a user. */
  async account({
    userId,
    environment = 'production',
    name = fresh('Account'),
    timezone = 'America/Los_Angeles',
    ...rest
  }: Partial<NewAccount> & { userId: string }): Promise<ActingAccount> {
    const account = await world()
      .get(AccountsService)
      .create(userId, { environment, name, timezone, ...rest });
    return acting(account.id, userId, environment);
  },

  /** Somebody else on an account that exists. */
  async member(account: ActingAccount, role: Role): Promise<Advertiser> {
    const client = await given.client({ environment: account.environment });
    await world().get(AdministrationService).grant(account.id, client.user.id, role);
    return { ...client, account: await acting(account.id, client.user.id, account.environment) };
  },

  /** The client's token is no more. */
  async revokedToken({ credentials }: Client): Promise<void> {
    await world().get(CredentialsService).revokeToken(credentials.token.key);
    await world().caughtUp();
  },

  async fundingInstrument({ account, ...params }: Some<CreateFundingInstrument>) {
    return world()
      .get(FundingInstrumentsService)
      .create(account, { currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD', ...params });
  },

  /** An active campaign; its funding is made where none is named. */
  async campaign({ account, ...params }: Some<CreateCampaign>) {
    const [campaign] = await given.campaigns({ account, count: 1, ...params });
    return campaign;
  },

  /** Many campaigns that differ in their numbered names, 40 at a time. */
  async campaigns({ account, count: wanted, ...params }: Some<CreateCampaign> & { count: number }) {
    const funding_instrument_id = params.funding_instrument_id ?? (await given.fundingInstrument({ account })).id;
    const service = world().get(CampaignsService);
    const operations = Array.from({ length: wanted }, () => ({
      operation_type: 'Create',
      params: {
        name: fresh('Campaign'),
        daily_budget_amount_local_micro: 5_500_000,
        ...params,
        funding_instrument_id,
      },
    }));
    const made = [];
    for (let from = 0; from < wanted; from += 40) {
      const { items } = await service.batch(account, operations.slice(from, from + 40));
      made.push(...items.map(({ campaign }) => campaign));
    }
    return made;
  },

  async promotableUser(account: ActingAccount, type: PromotableUserType = 'RETWEETS_ONLY') {
    const user = await world().get(CredentialsService).createUser(fresh('promotable'));
    return (await world().get(AdministrationService).addPromotableUser(account.id, user.id, type))!;
  },
};

/** The account as its guard hands it to a service. */
async function acting(id: string, userId: string, environment: Environment): Promise<ActingAccount> {
  return (await world().get(AccountAccessService).find(environment, id, userId))!;
}
