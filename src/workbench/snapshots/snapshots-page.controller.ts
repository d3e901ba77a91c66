import { Readable } from 'node:stream';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formFileOf, jsonOfFormFile, TakesFileForm } from '../../common/http/bodies/file-forms.js';
import { choicesOf, formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { readParams } from '../../common/http/params/params.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { SandboxAccounts, type Owner } from '../sandbox-accounts.service.js';
import { presentSnapshot } from './snapshot.presenter.js';
import { MAX_SNAPSHOTS } from './snapshot.entity.js';
import { ImportSnapshot, RESET_STATES, SNAPSHOT_FILE_SIZE, snapshotName, type ResetState } from './snapshots.dto.js';
import { SnapshotFiles } from './snapshot-files.service.js';
import { SnapshotsService } from './snapshots.service.js';

/** What happened, by the name of the query parameter that the redirect after a form has. */
const NOTICES = {
  saved: 'The snapshot is saved',
  restored: 'The snapshot is restored',
  deleted: 'The snapshot is deleted',
  reset: 'The accounts are reset',
  imported: 'The file is stored as a snapshot, which can be restored now',
  imported_without_people:
    'The file is stored as a snapshot, which can be restored now. What it has of people is ignored: they are matched, counted and estimated again',
} as const;

/** The snapshots of an application in a browser. */
@SectionController('snapshots')
export class SnapshotsPageController {
  constructor(
    private readonly snapshots: SnapshotsService,
    private readonly files: SnapshotFiles,
    private readonly accounts: SandboxAccounts,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, queryParametersOf(reply.request));
  }

  /** Sends a snapshot as a file. */
  @Get(':snapshot_name/content')
  async export(@Param('snapshot_name') name: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const owner = { applicationId: visit.application.id, userId: visit.session.user.userId };
    const text = await this.files.export(owner, snapshotName(name));
    reply.header('content-disposition', `attachment; filename="${snapshotName(name)}.json"`);
    await reply.type('application/json; charset=utf-8').send(Readable.from(text, { objectMode: false }));
  }

  /** Saves a snapshot. */
  @Post()
  async save(@Res() reply: FastifyReply) {
    await this.change(reply, async (owner) => {
      const { name = '' } = formFieldsOf(reply.request);
      await this.snapshots.save(owner, snapshotName(name.trim()), accountsIn(reply.request));
      return 'saved';
    });
  }

  /** Stores a file as a snapshot. By default, it has the name of the file. */
  @Post('import')
  @TakesFileForm('file', SNAPSHOT_FILE_SIZE.bodyLimit)
  async import(@Res() reply: FastifyReply) {
    const { request } = reply;
    await this.change(
      reply,
      async (owner) => {
        const { name: fileName = '' } = formFileOf(request);
        const { name = '', account_ids = '' } = formFieldsOf(request);
        const named = snapshotName(name.trim() || fileName.replace(/\.json$/i, ''));
        const { params, refused } = readParams(ImportSnapshot, account_ids.trim() ? { account_ids } : {}, true);
        if (refused) throw refused;
        const file = await jsonOfFormFile(request, SNAPSHOT_FILE_SIZE.jsonBounds);
        const { ignored } = await this.files.import(owner, named, file, params.account_ids);
        return ignored.length > 0 ? 'imported_without_people' : 'imported';
      },
      'importError',
    );
  }

  /** Resets accounts. */
  @Post('reset')
  async reset(@Res() reply: FastifyReply) {
    await this.change(reply, async ({ userId }) => {
      const { to = '' } = formFieldsOf(reply.request);
      if (!RESET_STATES.includes(to as ResetState))
        throw invalid('to', `Expected one of ${RESET_STATES.join(', ')} for to`, { value: to });
      await this.snapshots.reset(userId, { account_ids: accountsIn(reply.request), to: to as ResetState });
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

  /** Carries out a form and redirects to the list, which tells what happened. An error is shown above the list, or beside the form of an import. */
  private async change(
    reply: FastifyReply,
    work: (owner: Owner) => Promise<keyof typeof NOTICES>,
    place: 'error' | 'importError' = 'error',
  ): Promise<void> {
    await this.pages.carryOut(
      reply,
      'snapshots',
      async ({ application, session }) =>
        `?done=${await work({ applicationId: application.id, userId: session.user.userId })}`,
      (visit, error) => this.show(reply, visit, {}, { error, place }),
    );
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    { done = '' }: Record<string, string | undefined>,
    failed?: { error: ApiError; place: 'error' | 'importError' },
  ): Promise<void> {
    const [{ items }, { accounts, more }] = await Promise.all([
      this.snapshots.list(visit.application.id, { max_results: MAX_SNAPSHOTS }),
      this.accounts.listFor(visit.session.user.userId),
    ]);
    await this.pages.show(reply, visit, {
      section: 'snapshots',
      template: 'snapshots/snapshots',
      title: 'Snapshots',
      status: failed?.error.status,
      isLive: true,
      data: {
        snapshots: items.map(presentSnapshot),
        accounts,
        more,
        told: Object.hasOwn(NOTICES, done) ? NOTICES[done as keyof typeof NOTICES] : undefined,
        ...(failed && { [failed.place]: failed.error.message }),
        given: failed ? formFieldsOf(reply.request) : {},
        maxBytes: SNAPSHOT_FILE_SIZE.bodyLimit,
      },
    });
  }
}

/** The accounts that a form names; undefined for all. Nobody loses the others who adds an account to the choice of all. */
function accountsIn(request: FastifyRequest): string[] | undefined {
  const chosen = choicesOf(request, 'account');
  const named = chosen.filter((id) => id !== '');
  if (named.length === 0) return undefined;
  if (named.length < chosen.length)
    throw invalid('account', 'Expected all of the sandbox or some accounts for account, got both', {
      value: named.join(),
    });
  return named;
}
