import { Get, Injectable, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Membership } from '../../accounts/access/membership.entity.js';
import { MANAGERS } from '../../accounts/access/roles.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { formFieldsOf } from '../../auth/pages/browser-sessions.js';
import { wireTime } from '../../common/db/postgres/stored-times.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { timeOfId } from '../../common/entity/ids.js';
import { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound, invalid } from '../../common/errors/catalogue.js';
import type { Conversion } from '../../measurement/conversions/conversion.entity.js';
import { ConversionsService } from '../../measurement/conversions/conversions.service.js';
import { pixelIdOf } from '../../measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../measurement/pixel-tokens/pixel-tokens.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';

/** Maximum number of accounts, and of conversions, that the page shows. */
const MAX_SHOWN = 50;
const MAX_NAME_LENGTH = 100;

/** Finds the accounts whose pixels a user manages. */
@Injectable()
export class ManagedAccounts {
  constructor(
    private readonly db: DataSource,
    private readonly access: AccountAccessService,
  ) {}

  /** The first accounts, of both environments. */
  listFor(userId: string): Promise<Row<Account>[]> {
    return this.of(userId).orderBy('id').limit(MAX_SHOWN).getMany();
  }

  /** An account, on behalf of the user; 404 for any that the user does not manage. */
  async acting(userId: string, accountId: string): Promise<ActingAccount> {
    const account = await this.of(userId).where('id', accountId).getOne();
    const acting = account && (await this.access.find(account.environment, accountId, userId));
    if (!acting) throw accountNotFound(accountId);
    return acting;
  }

  private of(userId: string): Rows<Account> {
    const memberships = rows(this.db.manager, Membership)
      .where('userId', userId)
      .whereIn('role', [...MANAGERS]);
    return rows(this.db.manager, Account).whereInSubquery('id', memberships, 'accountId');
  }
}

/** The pixels of a user's accounts in a browser: their tokens, and the conversions that arrived last. */
@SectionController('pixels')
export class PixelsPageController {
  constructor(
    private readonly accounts: ManagedAccounts,
    private readonly tokens: PixelTokensService,
    private readonly conversions: ConversionsService,
    private readonly pages: WorkbenchPages,
    private readonly db: DataSource,
  ) {}

  @Get()
  async list(@Query('account') accountId: unknown, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, typeof accountId === 'string' ? accountId : undefined);
  }

  /** Creates a token and shows it, once. */
  @Post(':account_id/tokens')
  async create(@Param('account_id') accountId: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    try {
      this.pages.requireOwnForm(reply.request);
      const name = formFieldsOf(reply.request).name?.trim() ?? '';
      if (name === '' || name.length > MAX_NAME_LENGTH)
        throw invalid('name', `A token needs a name of at most ${MAX_NAME_LENGTH} characters`);
      const account = await this.accounts.acting(visit.session.user.userId, accountId);
      const { token } = await this.tokens.create(account, name);
      await this.show(reply, visit, accountId, { token });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.show(reply, visit, accountId, { error });
    }
  }

  /** Revokes a token. */
  @Post(':account_id/tokens/:token_id/revoke')
  async revoke(@Param('account_id') accountId: string, @Param('token_id') tokenId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'pixels',
      async ({ session }) => {
        await this.tokens.revoke(await this.accounts.acting(session.user.userId, accountId), tokenId);
        return `?account=${encodeURIComponent(accountId)}`;
      },
      (visit, error) => this.show(reply, visit, accountId, { error }),
    );
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    accountId?: string,
    { token, error }: { token?: string; error?: ApiError } = {},
  ): Promise<void> {
    const accounts = await this.accounts.listFor(visit.session.user.userId);
    const account = accounts.find(({ id }) => id === accountId) ?? accounts.at(0);
    const shown = account && { id: account.id, db: this.db.manager };
    const [tokens, received] = shown
      ? await Promise.all([this.tokens.list(shown), this.conversions.latest(shown, MAX_SHOWN)])
      : [[], []];
    await this.pages.show(reply, visit, {
      section: 'pixels',
      template: 'pixels/pixels',
      title: 'Pixels',
      status: error?.status ?? (token === undefined ? undefined : 201),
      data: {
        accounts,
        account,
        pixelId: account && pixelIdOf(account.id),
        tokens: tokens.map(({ id, name, createdAt }) => ({ id, name, createdAt: wireTime(createdAt) })),
        conversions: received.map(lineOf),
        token,
        error: error?.message,
      },
    });
  }
}

/** A conversion in a few words, without what identifies a person. */
const lineOf = ({ id, tagId, eventName, convertedAt, valueMicro, currency, identifiers }: Row<Conversion>) => ({
  received: wireTime(timeOfId(id).toISOString()),
  converted: wireTime(convertedAt),
  event: tagId ?? eventName,
  isUnmatched: tagId === null,
  value: valueMicro === null ? '' : `${valueMicro / 1_000_000} ${currency}`,
  identifiers: identifiers.length,
});
