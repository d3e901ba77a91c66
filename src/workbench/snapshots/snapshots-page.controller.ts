import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { SandboxAccounts, type Owner } from '../sandbox-accounts.service.js';
import { presentSnapshot } from './snapshot.presenter.js';
import { MAX_SNAPSHOTS } from './snapshot.entity.js';
import { RESET_STATES, snapshotName, type ResetState } from './snapshots.dto.js';
import { SnapshotsService } from './snapshots.service.js';

/** What happened, by the name of the query parameter that the redirect after a form has. */
const NOTICES = {
  saved: 'The snapshot is saved',
  restored: 'The snapshot is restored',
  deleted: 'The snapshot is deleted',
  reset: 'The accounts are reset',
} as const;

/** The snapshots of an application in a browser. */
@SectionController('snapshots')
export class SnapshotsPageController {
  constructor(
    private readonly snapshots: SnapshotsService,
    private readonly accounts: SandboxAccounts,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, queryParametersOf(reply.request));
  }

  /** Saves a snapshot. */
  @Post()
  async save(@Res() reply: FastifyReply) {
    await this.change(reply, async (owner) => {
      const { name = '', account = '' } = formFieldsOf(reply.request);
      await this.snapshots.save(owner, snapshotName(name.trim()), namedIn(account));
      return 'saved';
    });
  }

  /** Resets accounts. */
  @Post('reset')
  async reset(@Res() reply: FastifyReply) {
    await this.change(reply, async ({ userId }) => {
      const { account = '', to = '' } = formFieldsOf(reply.request);
      if (!RESET_STATES.includes(to as ResetState))
        throw invalid('to', `Expected one of ${RESET_STATES.join(', ')} for to`, { value: to });
      await this.snapshots.reset(userId, { account_ids: namedIn(account), to: to as ResetState });
      return 'reset';
    });
  }

  /** Restores a snapshot. */
  @Post(':snapshot_name/restore')
  async restore(@Param('snapshot_name') name: string, @Res() reply: FastifyReply) {
    await this.change(reply, async (owner) => {
      await this.snapshots.restore(owner, snapshotName(name));
      return 'restored';
    });
  }

  /** Deletes a snapshot. */
  @Post(':snapshot_name/delete')
  async delete(@Param('snapshot_name') name: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ applicationId }) => {
      await this.snapshots.delete(applicationId, snapshotName(name));
      return 'deleted';
    });
  }

  /** Carries out a form and redirects to the list, which tells what happened. An error is shown above the list. */
  private async change(reply: FastifyReply, work: (owner: Owner) => Promise<keyof typeof NOTICES>): Promise<void> {
    await this.pages.carryOut(
      reply,
      'snapshots',
      async ({ application, session }) =>
        `?done=${await work({ applicationId: application.id, userId: session.user.userId })}`,
      (visit, error) => this.show(reply, visit, {}, error),
    );
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    { done = '' }: Record<string, string | undefined>,
    error?: ApiError,
  ): Promise<void> {
    const [{ items }, { accounts, more }] = await Promise.all([
      this.snapshots.list(visit.application.id, { max_results: MAX_SNAPSHOTS }),
      this.accounts.listFor(visit.session.user.userId),
    ]);
    await this.pages.show(reply, visit, {
      section: 'snapshots',
      template: 'snapshots/snapshots',
      title: 'Snapshots',
      status: error?.status,
      isLive: true,
      data: {
        snapshots: items.map(presentSnapshot),
        accounts,
        more,
        told: Object.hasOwn(NOTICES, done) ? NOTICES[done as keyof typeof NOTICES] : undefined,
        error: error?.message,
      },
    });
  }
}

/** The account that a form names; undefined for all. */
const namedIn = (account: string): string[] | undefined => (account === '' ? undefined : [account]);
