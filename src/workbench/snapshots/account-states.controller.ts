import { HttpCode, Post } from '@nestjs/common';
import { ReturnsData } from '../../common/http/answers/data-responses.js';
import { Params } from '../../common/http/params/params.js';
import { CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { ResetView } from './snapshot.presenter.js';
import { ResetAccounts } from './snapshots.dto.js';
import type { Owner } from '../owner.js';
import { SnapshotsService } from './snapshots.service.js';

/** Gives accounts of the sandbox a known state. Not part of the specification: docs/workbench.md. */
@WorkbenchController('reset')
export class AccountStatesController {
  constructor(private readonly snapshots: SnapshotsService) {}

  /**
   * Removes everything that accounts of the sandbox have, and creates a small world there unless `to` is `EMPTY`. The
   * accounts, their members, features, promotable users, apps and history stay. So do the posts of users.
   */
  @Post()
  @HttpCode(200)
  @ReturnsData(ResetView)
  async reset(@CurrentOwner() { userId }: Owner, @Params() params: ResetAccounts) {
    return { account_ids: await this.snapshots.reset(userId, params), to: params.to };
  }
}
