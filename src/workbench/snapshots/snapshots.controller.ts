import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { CurrentApplicationId, CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { presentSnapshot, SnapshotDeletedView, SnapshotView, ResetView } from './snapshot.presenter.js';
import { ListSnapshots, SaveSnapshot, snapshotName, ResetAccounts } from './snapshots.dto.js';
import type { Owner } from '../sandbox-accounts.service.js';
import { SnapshotsService } from './snapshots.service.js';

/** Gives accounts of the sandbox a known state. Not part of the specification: docs/workbench.md. */
@WorkbenchController('reset')
export class AccountStatesController {
  constructor(private readonly snapshots: SnapshotsService) {}

  /**
   * Removes everything that accounts of the sandbox have, and creates sample data there unless `to` is `EMPTY`. The
   * accounts, their members, features, promotable users, apps and history stay. So do the posts of users.
   */
  @Post()
  @HttpCode(200)
  @Returns(ResetView)
  async reset(@CurrentOwner() { userId }: Owner, @Params() params: ResetAccounts) {
    return { account_ids: await this.snapshots.reset(userId, params), to: params.to };
  }
}

/** Saved states of accounts of the sandbox. Not part of the specification: docs/workbench.md. */
@WorkbenchController('snapshots')
export class SnapshotsController {
  constructor(private readonly snapshots: SnapshotsService) {}

  /** Lists the snapshots of the application, newest first. */
  @Get()
  @ReturnsPage(SnapshotView)
  async list(@CurrentApplicationId() applicationId: string, @Params() query: ListSnapshots) {
    return (await this.snapshots.list(applicationId, query)).map(presentSnapshot);
  }

  /** Returns a snapshot without its content. */
  @Get(':snapshot_name')
  @Returns(SnapshotView)
  async get(@CurrentApplicationId() applicationId: string, @Param('snapshot_name') name: string) {
    return presentSnapshot(await this.snapshots.get(applicationId, snapshotName(name)));
  }

  /**
   * Saves what accounts of the sandbox have, under a name. It replaces an earlier snapshot with this name. An application has
   * at most 20 snapshots, and a snapshot at most 20,000 rows.
   */
  @Put(':snapshot_name')
  @HttpCode(201)
  @Returns(SnapshotView, { status: [200, 201] })
  async save(
    @CurrentOwner() owner: Owner,
    @Param('snapshot_name') name: string,
    @Params() { account_ids: accountIds }: SaveSnapshot,
  ) {
    return (await this.snapshots.save(owner, snapshotName(name), accountIds)).map(presentSnapshot);
  }

  /**
   * Gives the accounts of a snapshot what they had when it was saved, with the same ids, and removes everything else. The
   * history of the accounts stays, and webhooks receive no events.
   */
  @Post(':snapshot_name/restore')
  @HttpCode(200)
  @Returns(SnapshotView)
  async restore(@CurrentOwner() owner: Owner, @Param('snapshot_name') name: string) {
    return presentSnapshot(await this.snapshots.restore(owner, snapshotName(name)));
  }

  /** Deletes a snapshot. The accounts stay as they are. */
  @Delete(':snapshot_name')
  @Returns(SnapshotDeletedView)
  async delete(@CurrentApplicationId() applicationId: string, @Param('snapshot_name') name: string) {
    await this.snapshots.delete(applicationId, snapshotName(name));
    return { deleted: true };
  }
}
