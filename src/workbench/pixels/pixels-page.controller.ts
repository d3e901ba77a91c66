import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { wireTime } from '../../common/db/postgres/stored-times.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { readParams } from '../../common/http/params/params.js';
import { ConversionsService } from '../../measurement/conversions/conversions.service.js';
import { pixelIdOf } from '../../measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../measurement/pixel-tokens/pixel-tokens.service.js';
import { WebEventTagsService } from '../../measurement/web-event-tags/web-event-tags.service.js';
import { ManagedAccounts } from '../conversions/managed-accounts.service.js';
import { presentReceivedConversion } from '../conversions/received-conversion.presenter.js';
import { SendTestConversion } from '../conversions/received-conversions.dto.js';
import { WorkbenchConversions } from '../conversions/workbench-conversions.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';

/** Maximum number of conversions that the page shows. */
const MAX_SHOWN = 50;
const MAX_NAME_LENGTH = 100;

/** Maximum number of tags from which a test conversion is chosen. */
const MAX_TAGS = 200;

/** The pixels of a user's accounts in a browser: their tokens, the conversions that arrived last, and a form that sends one. */
@SectionController('pixels')
export class PixelsPageController {
  constructor(
    private readonly accounts: ManagedAccounts,
    private readonly tokens: PixelTokensService,
    private readonly conversions: ConversionsService,
    private readonly tests: WorkbenchConversions,
    private readonly tags: WebEventTagsService,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    const [account, sent, duplicate] = [query.account, query.sent, query.duplicate].map((value) =>
      typeof value === 'string' ? value : undefined,
    );
    if (visit) await this.show(reply, visit, account, { sent, duplicate });
  }

  /** Sends a conversion to the pixel, and shows it in the list. */
  @Post(':account_id/conversions')
  async send(@Param('account_id') accountId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'pixels',
      async ({ session }) => {
        const { params, refused } = readParams(SendTestConversion, {
          ...formFieldsOf(reply.request),
          account_id: accountId,
        });
        if (refused) throw refused;
        const { received, isDuplicate } = await this.tests.send(session.user.userId, params);
        const { id } = received.conversion;
        return `?account=${encodeURIComponent(accountId)}&${isDuplicate ? 'duplicate' : 'sent'}=${id}`;
      },
      (visit, error) => this.show(reply, visit, accountId, { error }),
      { ofMeasurement: true },
    );
  }

  /** Creates a token and shows it, once. */
  @Post(':account_id/tokens')
  async create(@Param('account_id') accountId: string, @Res() reply: FastifyReply) {
    await this.pages.answer(
      reply,
      async (visit) => {
        const name = formFieldsOf(reply.request).name?.trim() ?? '';
        if (name === '' || name.length > MAX_NAME_LENGTH)
          throw invalid('name', `A token needs a name of at most ${MAX_NAME_LENGTH} characters`);
        const account = await this.accounts.acting(visit.session.user.userId, accountId);
        const { token } = await this.tokens.create(account, name);
        await this.show(reply, visit, accountId, { token });
      },
      (visit, error) => this.show(reply, visit, accountId, { error }),
      { ofMeasurement: true },
    );
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
      // whatever the application may do now
      null,
    );
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    accountId?: string,
    { token, error, sent, duplicate }: { token?: string; error?: ApiError; sent?: string; duplicate?: string } = {},
  ): Promise<void> {
    const { userId } = visit.session.user;
    const listed = await this.accounts.listFor(userId);
    const acting = (id: string | undefined) => (id ? this.accounts.acting(userId, id) : undefined);
    const given = await acting(accountId)?.catch((problem: unknown) => {
      // the error of a form may be that the account is not theirs
      if (error && problem instanceof ApiError) return undefined;
      throw problem;
    });
    const shown = given ?? (await acting(listed.at(0)?.id));
    // the list has the first ones only
    const accounts = !shown || listed.some(({ id }) => id === shown.id) ? listed : [...listed, shown];
    const [tokens, received, tags] = shown
      ? await Promise.all([
          this.tokens.list(shown),
          this.conversions.latest(shown, MAX_SHOWN),
          this.tags.list(shown, { count: MAX_TAGS }).then(({ items }) => items),
        ])
      : [[], [], []];
    await this.pages.show(reply, visit, {
      section: 'pixels',
      template: 'pixels/pixels',
      title: 'Pixels',
      status: error?.status ?? (token === undefined ? undefined : 201),
      // a page that answers a form has another address
      isLive: token === undefined && error === undefined,
      data: {
        accounts,
        account: shown,
        pixelId: shown && pixelIdOf(shown.id),
        tokens: tokens.map(({ id, name, createdAt }) => ({ id, name, createdAt: wireTime(createdAt) })),
        conversions: received.map(presentReceivedConversion),
        tags: tags.map(({ id, name, type }) => ({ id, name, type })),
        sent,
        duplicate,
        token,
        error: error?.message,
      },
    });
  }
}
