import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { DAY_MS } from '../../common/time/days.js';
import { invalid } from '../../common/errors/catalogue.js';
import { SandboxAccounts } from '../sandbox-accounts.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { MAX_CLOCKS } from './test-clock.entity.js';
import { presentClock } from './test-clock.presenter.js';
import { TestClocksService } from './test-clocks.service.js';

/** Days by which the forms advance a clock. */
const DAYS = [1, 7, 30, 90];

/** The test clocks of an application in a browser. */
@SectionController('clocks')
export class ClocksPageController {
  constructor(
    private readonly clocks: TestClocksService,
    private readonly accounts: SandboxAccounts,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit);
  }

  /** Advances a clock by some days. */
  @Post(':clock_id/advance')
  async advance(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    await this.act(reply, async ({ application, session }) => {
      const days = Number(formFieldsOf(reply.request).days);
      if (!DAYS.includes(days)) throw invalid('days', `Expected one of ${DAYS.join(', ')} for days`);
      const { clock } = await this.clocks.get(application.id, clockId);
      const frozen_time = new Date(Date.parse(clock.frozenTime) + days * DAY_MS).toISOString();
      const owner = { applicationId: application.id, userId: session.user.userId };
      await this.clocks.advance(owner, clockId, { frozen_time });
    });
  }

  /** Attaches an account to a clock. */
  @Post('attach')
  async attach(@Res() reply: FastifyReply) {
    await this.act(reply, async ({ application, session }) => {
      const { clock = '', account = '' } = formFieldsOf(reply.request);
      const owner = { applicationId: application.id, userId: session.user.userId };
      await this.clocks.attach(owner, clock, account);
    });
  }

  /** Detaches an account from a clock. */
  @Post(':clock_id/detach')
  async detach(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    await this.act(reply, async ({ application }) => {
      await this.clocks.detach(application.id, clockId, formFieldsOf(reply.request).account ?? '');
    });
  }

  /** Detaches an account that follows a clock of another application. */
  @Post('release')
  async release(@Res() reply: FastifyReply) {
    await this.act(reply, async ({ session }) => {
      await this.clocks.release(session.user.userId, formFieldsOf(reply.request).account ?? '');
    });
  }

  /** Deletes a clock. */
  @Post(':clock_id/delete')
  async delete(@Param('clock_id') clockId: string, @Res() reply: FastifyReply) {
    await this.act(reply, ({ application }) => this.clocks.delete(application.id, clockId));
  }

  /** Does what a form asks for, and leads back to the list. */
  private async act(reply: FastifyReply, work: (visit: Visit) => Promise<void>): Promise<void> {
    await this.pages.carryOut(reply, 'clocks', work, (visit, error) => this.show(reply, visit, error));
  }

  private async show(reply: FastifyReply, visit: Visit, error?: ApiError): Promise<void> {
    const [{ items }, { accounts }] = await Promise.all([
      this.clocks.list(visit.application.id, { max_results: MAX_CLOCKS }),
      this.accounts.listFor(visit.session.user.userId),
    ]);
    const free = accounts.filter(({ clockId }) => clockId === null);
    const elsewhere = accounts.filter(
      ({ clockId }) => clockId !== null && !items.some(({ clock }) => clock.id === clockId),
    );
    await this.pages.show(reply, visit, {
      section: 'clocks',
      template: 'clocks/clocks',
      title: 'Clocks',
      status: error?.status,
      isLive: true,
      data: { clocks: items.map(presentClock), free, elsewhere, days: DAYS, error: error?.message },
    });
  }
}
