import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import { one } from '../../common/list/one.js';
import { DO_NOT_REACH_LISTS, DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { DO_NOT_REACH_OPERATIONS, MAX_OPERATIONS, type DoNotReachUsers } from './audience-users.dto.js';
import { AudienceUsersService } from './audience-users.service.js';
import { Upload, countsOf, type UploadCounts } from './upload.js';
import { windowInList } from './validity-window.rules.js';

/** Uploads the users of do-not-reach lists. */
@Injectable()
export class DoNotReachListUsersService {
  constructor(
    private readonly resources: Resources,
    private readonly users: AudienceUsersService,
  ) {}

  /** Performs up to 2,500 operations in order, all or none. Returns the counts of each operation. */
  async upload(account: ActingAccount, listId: string, body: unknown): Promise<BatchResult<UploadCounts>> {
    const unknownTo = DO_NOT_REACH_LISTS.notFoundError(account);
    await one(this.resources.of(account, DO_NOT_REACH_LISTS), listId, unknownTo);
    this.users.assertRoom(listId);
    const path = { do_not_reach_list_id: listId, account_id: account.id };
    const unechoed = ['users', 'emails'];
    const batch = await Batch.readLarge(body, MAX_OPERATIONS, DO_NOT_REACH_OPERATIONS, path, unechoed);
    const now = account.now();
    const operations = batch.run({
      Update: ({ params }) => ({ people: peopleOf(params), window: windowInList(params, now) }),
      Delete: ({ params }) => ({ people: peopleOf(params) }),
    });
    const target = { id: listId, kind: 'DO_NOT_REACH_LIST', accountId: account.id, entity: DoNotReachList } as const;
    const holder = { ...target, unknown: () => unknownTo(listId), required: [] };
    await this.users.upload(account, holder, await Upload.of(batch, operations.items));
    return operations.map((operation) => countsOf([operation]));
  }
}

const peopleOf = ({ users = [], emails = [] }: DoNotReachUsers) => [...users, ...emails];
