import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AudiencesRemoval } from '../audiences/audiences-removal.service.js';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { Clock } from '../common/time/clock.js';
import { AccountTimes } from '../accounts/times/account-times.service.js';
import { deleteClocksOfOwner } from './clocks/test-clocks.statements.js';
import { deleteFaultsOfOwner } from './faults/faults.statements.js';
import { deleteJournalsOfDeleted, deleteRequestsAbout } from './journal/journal.statements.js';
import { expireNamespacesOfOwner } from './namespaces/namespaces.statements.js';
import { deleteSnapshotsAbout } from './snapshots/snapshots.records.statements.js';

/**
 * Removes what the workbench keeps of deleted users: requests and snapshots about them, and the faults, snapshots,
 * namespaces and test clocks of their applications.
 */
@Injectable()
export class WorkbenchRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
    private readonly audiences: AudiencesRemoval,
    private readonly times: AccountTimes,
  ) {}

  onModuleInit(): void {
    const { manager } = this.db;
    this.removal.register({
      domain: 'workbench',
      remove: async (user) => {
        const { id, username, name } = user;
        await deleteRequestsAbout(manager, id, [username, name]);
        await deleteJournalsOfDeleted(manager, id);
        await deleteFaultsOfOwner(manager, id);
        // before the directory forgets the user
        const { hashes } = await this.audiences.identifiersOf(user);
        await deleteSnapshotsAbout(manager, id, { texts: [`"${id}"`, ...hashes], names: [username, name] });
        await expireNamespacesOfOwner(manager, id, this.clock.now().toISOString());
        await this.db.transaction(async (tx) => this.times.detach(tx, await deleteClocksOfOwner(tx, id)));
      },
    });
  }
}
