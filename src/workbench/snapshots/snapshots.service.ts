import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import { Created } from '../../common/http/answers/results.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { snapshotLimitReached, snapshotNotFound, snapshotTooLarge } from '../workbench.errors.js';
import { AccountStates } from './account-states.service.js';
import { DemoWorld } from './demo-world.service.js';
import { type Owner, SandboxAccounts } from '../sandbox-accounts.service.js';
import {
  COUNTED_SNAPSHOTS,
  MAX_SNAPSHOT_BYTES,
  MAX_SNAPSHOT_ROWS,
  MAX_SNAPSHOTS,
  Snapshot,
} from './snapshot.entity.js';
import { deleteSnapshot, replaceSnapshot } from './snapshots.records.statements.js';
import { measureAccounts, saveParts, type StateSize } from './snapshots.statements.js';
import type { ListSnapshots, ResetAccounts } from './snapshots.dto.js';

const LIMITS: StateSize = { rows: MAX_SNAPSHOT_ROWS, bytes: MAX_SNAPSHOT_BYTES };

/** Stores the parts of a new snapshot, in the transaction that stores the snapshot. */
type StoreParts = (tx: EntityManager, snapshotId: string) => Promise<StateSize>;

/** Saves and restores accounts of the sandbox. */
@Injectable()
export class SnapshotsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly accounts: SandboxAccounts,
    private readonly states: AccountStates,
    private readonly world: DemoWorld,
  ) {}

  list(applicationId: string, query: ListSnapshots): Promise<Page<Row<Snapshot>>> {
    return tokenPage(this.of(applicationId), query);
  }

  /** A snapshot of this application; 404 for any other name. */
  async get(applicationId: string, name: string): Promise<Row<Snapshot>> {
    const snapshot = await this.of(applicationId).where('name', name).getOne();
    if (!snapshot) throw snapshotNotFound(name);
    return snapshot;
  }

  /** Saves the present state of accounts. It replaces an earlier snapshot with this name. */
  async save(owner: Owner, name: string, given?: readonly string[]): Promise<Created<Row<Snapshot>>> {
    const accountIds = await this.accounts.administeredBy(owner.userId, given);
    const size = await measureAccounts(this.db.manager, accountIds, MAX_SNAPSHOT_ROWS);
    if (isTooLarge(size)) throw snapshotTooLarge(size, LIMITS);
    return this.store(owner.applicationId, name, accountIds, (tx, id) => saveParts(tx, id, accountIds));
  }

  /** Gives the accounts of a snapshot what they had when it was saved. The user must still administer them. */
  async restore({ applicationId, userId }: Owner, name: string): Promise<Row<Snapshot>> {
    const snapshot = await this.get(applicationId, name);
    await this.accounts.requireStill(userId, 'snapshot', snapshot.accountIds);
    await this.states.restore(snapshot);
    return snapshot;
  }

  /** Deletes a snapshot of this application. */
  async delete(applicationId: string, name: string): Promise<void> {
    if (!(await deleteSnapshot(this.db.manager, applicationId, name))) throw snapshotNotFound(name);
  }

  /** Gives accounts a known state, and returns them. */
  async reset(userId: string, { account_ids: given, to }: ResetAccounts): Promise<string[]> {
    const accountIds = await this.accounts.administeredBy(userId, given);
    const fill = (tx: EntityManager) => this.world.create(tx, userId, accountIds);
    await this.states.empty(accountIds, to === 'DEMO' ? fill : undefined);
    return accountIds;
  }

  /** Stores a snapshot and what `parts` stores of it, or neither. */
  async store(
    applicationId: string,
    name: string,
    accountIds: string[],
    parts: StoreParts,
  ): Promise<Created<Row<Snapshot>>> {
    const work = async (tx: EntityManager) => {
      const now = this.clock.now();
      const { id, isNew } = await replaceSnapshot(tx, { id: newId(now), applicationId, name, accountIds, now });
      const counted = { ownerId: applicationId, kind: COUNTED_SNAPSHOTS, by: 1, limit: MAX_SNAPSHOTS };
      await write(tx, isNew ? changeCounters([counted]) : [], [
        exists(Application, { id: applicationId }, invalidToken),
      ]);
      const size = await parts(tx, id);
      if (isTooLarge(size)) throw snapshotTooLarge(size, LIMITS);
      const [snapshot] = await rows(tx, Snapshot).where('id', id).update({ rows: size.rows, bytes: size.bytes });
      return new Created(snapshot, isNew);
    };
    return retrying(() => inTransactionFor(this.db.manager, `snapshots ${applicationId}`, work)).catch(
      (error: unknown) => {
        throw isLimitReached(error) ? snapshotLimitReached(MAX_SNAPSHOTS) : error;
      },
    );
  }

  private of(applicationId: string) {
    return rows(this.db.manager, Snapshot).where('applicationId', applicationId);
  }
}

const isTooLarge = ({ rows, bytes }: StateSize): boolean => rows > LIMITS.rows || bytes > LIMITS.bytes;
