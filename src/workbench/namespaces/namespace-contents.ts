import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { solelyAdministeredAccounts } from '../../accounts/accounts-removal.statements.js';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { AccessTokensService } from '../../auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../../auth/credentials/applications.service.js';
import type { KeyAndSecret } from '../../auth/credentials/tokens.js';
import { User } from '../../auth/credentials/user.entity.js';
import { UsersService } from '../../auth/credentials/users.service.js';
import { RemovalService } from '../../auth/removal.service.js';
import { UserRemoval } from '../../auth/user-removal/user-removal.service.js';
import { FundingInstrumentsService } from '../../campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { MediaUploadsService } from '../../creatives/media-upload/media-uploads.service.js';
import { WebhookAdministration } from '../../webhooks/endpoints/webhook-administration.service.js';
import type { Namespace } from './namespace.entity.js';

/** The keys and secrets of a new namespace. */
export interface NamespaceKeys {
  consumer: KeyAndSecret;
  token: KeyAndSecret;
}

/** The columns of a namespace that name what is in it. */
type Contents = Omit<Row<Namespace>, 'id' | 'applicationId' | 'createdAt' | 'expiresAt' | 'name'>;

const TIMEZONE = 'America/Los_Angeles';
const CREDIT_LIMIT_MICRO = 50_000_000_000;
/** Campaigns may begin before the namespace does, and test clocks two years before it. */
const FUNDED_SINCE_MS = 3 * 365 * DAY_MS;
/** Number of accounts in a look-up. */
const BATCH = 100;

/** Creates and deletes what is in a namespace, in the transaction of the caller. */
@Injectable()
export class NamespaceContents {
  constructor(
    private readonly clock: Clock,
    private readonly users: UsersService,
    private readonly applications: ApplicationsService,
    private readonly tokens: AccessTokensService,
    private readonly accounts: AccountsService,
    private readonly funding: FundingInstrumentsService,
    private readonly media: MediaUploadsService,
    private readonly webhooks: WebhookAdministration,
    private readonly removal: RemovalService,
    private readonly userRemoval: UserRemoval,
  ) {}

  /** Creates a user with an application, a token, and an account with funding in each environment. */
  async create(
    tx: EntityManager,
    { id, name }: Pick<Namespace, 'id' | 'name'>,
    now: Date,
  ): Promise<{ contents: Contents; keys: NamespaceKeys }> {
    // the removal of a user looks for both names in the journals of all applications
    const user = await this.users.create(`ns${id}`, {}, tx);
    const { application, consumer } = await this.applications.create({ name, ownerId: user.id }, tx);
    const token = await this.tokens.issue(user.id, application.id, 'write', tx);
    const production = await this.createAccount(tx, user.id, { environment: 'production', name }, now);
    const sandbox = await this.createAccount(tx, user.id, { environment: 'sandbox', name: `${name} (sandbox)` }, now);
    return {
      contents: {
        innerApplicationId: application.id,
        userId: user.id,
        username: user.username,
        accountId: production.accountId,
        sandboxAccountId: sandbox.accountId,
        fundingInstrumentId: production.fundingInstrumentId,
        sandboxFundingInstrumentId: sandbox.fundingInstrumentId,
      },
      keys: { consumer, token },
    };
  }

  /**
   * Deletes the accounts of the namespace, the application and the user. A job of the user's deletion then removes what
   * other tables keep of them.
   */
  async remove(tx: EntityManager, namespace: Row<Namespace>): Promise<void> {
    const { userId, innerApplicationId, accountId, sandboxAccountId } = namespace;
    const accountIds = [accountId, sandboxAccountId];
    // an account that the user creates meanwhile is there before this, or not at all
    await rows(tx, User).where('id', userId).setLock('pessimistic_write').getOne();
    await this.deleteAccounts(tx, userId, accountIds);
    // those that the namespace created in the sandbox
    for (let found = BATCH; found === BATCH;) {
      const others = await solelyAdministeredAccounts(tx, userId, BATCH);
      found = others.length;
      const ids = others.map(({ id }) => id);
      accountIds.push(...ids);
      await this.deleteAccounts(tx, userId, ids);
    }
    await this.media.expireAll(userId, accountIds, tx);
    await this.webhooks.deleteAll(innerApplicationId, tx);
    await this.removal.deleteApplication({ id: innerApplicationId }, tx);
    await this.userRemoval.delete(userId, tx, true);
  }

  private async createAccount(
    tx: EntityManager,
    userId: string,
    given: Pick<Row<Account>, 'environment' | 'name'>,
    now: Date,
  ) {
    const account = await this.accounts.create(userId, { ...given, timezone: TIMEZONE }, tx);
    const { id } = await this.funding.create(this.asAdministrator(tx, account, userId), {
      currency: 'USD',
      start_time: new Date(now.getTime() - FUNDED_SINCE_MS).toISOString(),
      type: 'CREDIT_CARD',
      credit_limit_local_micro: CREDIT_LIMIT_MICRO,
    });
    return { accountId: account.id, fundingInstrumentId: id };
  }

  private async deleteAccounts(tx: EntityManager, userId: string, ids: string[]): Promise<void> {
    const remaining = await rows(tx, Account).whereIn('id', ids).getMany();
    for (const account of remaining) await this.accounts.delete(this.asAdministrator(tx, account, userId));
  }

  /** The account as its guard would pass it to a service. */
  private asAdministrator(tx: EntityManager, account: Row<Account>, userId: string): ActingAccount {
    const now = this.clock.timeOf(account);
    return { userId, role: 'ACCOUNT_ADMIN', postComposer: true, db: tx, now, ...account };
  }
}
