import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { newIdOf } from '../../accounts/resource-definition.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { segmentsProblem } from '../../audiences/custom-audiences/segments.parts.js';
import { Vault } from '../../auth/credentials/vault.js';
import { LocationIds } from '../../audiences/locations/location-ids.service.js';
import { AdvertisedProducts } from '../../catalogs/advertised-products/advertised-products.service.js';
import type { Created } from '../../common/http/answers/results.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { columnsRead } from '../../common/db/query/table-metadata.js';
import { valuesOf } from '../../common/entity/columns.js';
import { textKindOf, type ContentProblem } from '../../common/entity/snapshots.js';
import { invalid } from '../../common/errors/catalogue.js';
import { storedCardProblem } from '../../creatives/stored-cards/stored-card.js';
import type { Card } from '../../creatives/entities/card.entity.js';
import { userGroupsProblem } from '../../campaigns/ab-tests/ab-test.entity.js';
import { audienceCriteriaProblem } from '../../statistics/facts/delivery-audience.entity.js';
import type { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { storedLineItemProblem } from '../../campaigns/line-items/stored-line-item.js';
import { ImportReferences } from './import-references.service.js';
import { withNewIds, type ImportTarget } from './new-ids.rules.js';
import { MAX_ACCOUNTS, SandboxAccounts, type Owner } from '../sandbox-accounts.service.js';
import {
  FILE_FORMAT,
  FILE_VERSION,
  readSnapshotFile,
  removeWithheld,
  accountsText,
  type ColumnShape,
  type SavedAccount,
  type SavedRow,
  type SnapshotFile,
  type TableShapes,
} from './snapshot-file.rules.js';
import { MAX_SNAPSHOT_ROWS, Snapshot } from './snapshot.entity.js';
import { snapshotTables, type SnapshotTable } from './snapshot-tables.js';
import { snapshotReplaced } from '../workbench.errors.js';
import { insertParts, readParts } from './snapshots.records.statements.js';
import { SnapshotsService } from './snapshots.service.js';

/** The purpose of a signature of the Vault. */
const PURPOSE = 'snapshot file';

/** A file that was stored as a snapshot. */
interface ImportedSnapshot {
  stored: Created<Row<Snapshot>>;
  /** The columns that files of earlier releases have and that were ignored. */
  ignored: readonly string[];
}

/** Writes snapshots as files, and stores files as snapshots. */
@Injectable()
export class SnapshotFiles {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly vault: Vault,
    private readonly accounts: SandboxAccounts,
    private readonly snapshots: SnapshotsService,
    private readonly references: ImportReferences,
    private readonly locationIds: LocationIds,
    private readonly products: AdvertisedProducts,
  ) {}

  /**
   * The text of the file of a snapshot, one table of an account at a time. It has no secrets, because no table here has
   * any, and nothing of the directory. The user still administers its accounts.
   */
  async export({ applicationId, userId }: Owner, name: string): Promise<AsyncGenerator<string>> {
    const snapshot = await this.snapshots.get(applicationId, name);
    await this.accounts.requireStill(userId, 'snapshot', snapshot.accountIds);
    return this.fileText(snapshot);
  }

  /**
   * Stores a file as a snapshot of this name. With `given`, its accounts become these, in this order. A file that this
   * service wrote of the same accounts keeps its ids; rows of any other one get new ids.
   */
  async import(owner: Owner, name: string, body: unknown, given?: readonly string[]): Promise<ImportedSnapshot> {
    const shapes = this.shapes();
    const file = readSnapshotFile(body, shapes, { accounts: MAX_ACCOUNTS, rows: MAX_SNAPSHOT_ROWS });
    const from = file.accounts.map(({ account_id: id }) => id);
    if (given && given.length !== from.length)
      throw invalid('account_ids', `Expected ${from.length} accounts, as many as the file has, for account_ids`);
    const to = given ?? from;
    const accountIds = await this.accounts.administeredBy(owner.userId, to);
    const isOurs = this.isOurs(file);
    // the signature is that of the text with them
    const ignored = removeWithheld(file.accounts, shapes);
    if (!isOurs) requireContents(file);
    const isSame = to.every((id, i) => id === from[i]) && isOurs;
    const saved = isSame ? file.accounts : await this.renewed(file, to, owner.userId);
    this.recount(saved);
    const stored = await this.snapshots.store(owner.applicationId, name, accountIds, (tx, id) =>
      insertParts(tx, id, saved),
    );
    return { stored, ignored };
  }

  /** The first line up to the accounts, the accounts table by table, and the signature of their text. */
  private async *fileText({ id, name, accountIds, updatedAt }: Row<Snapshot>): AsyncGenerator<string> {
    const shapes = this.shapes();
    const hash = createHash('sha256');
    const signed = (text: string) => {
      hash.update(text);
      return text;
    };
    const head = { format: FILE_FORMAT, version: FILE_VERSION, name, saved_at: new Date(updatedAt).toISOString() };
    yield `${JSON.stringify(head).slice(0, -1)},"accounts":`;
    for (const [i, accountId] of accountIds.entries()) {
      yield signed(`${i === 0 ? '[' : ','}{"account_id":${JSON.stringify(accountId)},"tables":{`);
      let first = true;
      for await (const { table, content } of readParts(this.db.manager, id, accountId)) {
        // snapshots in the database have them
        removeWithheld([{ account_id: accountId, tables: { [table]: content } }], shapes);
        yield signed(`${first ? '' : ','}${JSON.stringify(table)}:${JSON.stringify(content)}`);
        first = false;
      }
      yield signed('}}');
    }
    // a save under its name replaces its parts: what was read of both is no state that an account had
    if (!(await rows(this.db.manager, Snapshot).where('id', id).where('updatedAt', updatedAt).getExists()))
      throw snapshotReplaced();
    yield signed(']');
    yield `,"signature":${JSON.stringify(this.vault.sign(PURPOSE, hash.digest('hex')))}}\n`;
  }

  /** Gives rows the columns that files do not have. */
  private recount(accounts: readonly SavedAccount[]): void {
    for (const { name, withheld } of snapshotTables())
      for (const { tables } of accounts)
        for (const row of tables[name] ?? [])
          for (const [column, valueOf] of Object.entries(withheld)) row[column] = valueOf(row);
  }

  private isOurs({ accounts, signature }: SnapshotFile): boolean {
    const digest = createHash('sha256').update(accountsText(accounts)).digest('hex');
    return signature !== undefined && this.vault.isSigned(PURPOSE, digest, signature);
  }

  private async renewed({ accounts }: SnapshotFile, to: readonly string[], userId: string): Promise<SavedAccount[]> {
    const targets: ImportTarget[] = [];
    const sets = accounts.flatMap(({ tables }) =>
      (tables.line_items ?? []).flatMap(({ productSetId: id }) => (typeof id === 'string' ? [id] : [])),
    );
    const products = await this.products.ownSets(this.db.manager, userId, [...new Set(sets)]);
    for (const accountId of to) {
      const users = await rows(this.db.manager, PromotableUser).where('accountId', accountId).getMany();
      const promotable = users.toSorted((a, b) => rankOf(a) - rankOf(b));
      targets.push({
        accountId,
        userId,
        promotableUserIds: promotable.map((each) => each.userId),
        products,
        locationOf: (value) => this.locationIds.canonical(value),
        newIdIn: ({ entity }) => newIdOf(entity, this.clock.now()),
      });
    }
    const renewed = withNewIds(accounts, targets);
    for (const [i, account] of renewed.entries())
      await this.references.require(account, `accounts[${i}]`, targets[i], to);
    return renewed;
  }

  private shapes(): TableShapes {
    return new Map(
      snapshotTables().map((table) => {
        const columns = columnsRead(this.db.getMetadata(table.entity));
        return [table.name, columns.map((column) => shapeOf(table, column))];
      }),
    );
  }
}

/** A column as a file is validated. */
const shapeOf = (
  { entity, name: table, withheld }: SnapshotTable,
  { databaseName: name, propertyName, type, isArray, isNullable, isPrimary: isKey }: ColumnMetadata,
): ColumnShape => ({
  table,
  name,
  type: typeof type === 'string' ? type : 'text',
  isArray,
  isNullable,
  isKey,
  values: valuesOf(entity, propertyName),
  text: textKindOf(entity, propertyName),
  isWithheld: Object.hasOwn(withheld, propertyName),
});

/** The checks of columns together, and of JSON, by table: the problem of a row, if it is not what the API stores. */
const CONTENTS: Record<string, (row: SavedRow) => ContentProblem | undefined> = {
  ab_tests: userGroupsProblem,
  cards: (row) => storedCardProblem(row as unknown as Row<Card>),
  custom_audiences: ({ audienceType, segments }) => segmentsProblem(audienceType === 'FLEXIBLE', segments),
  delivery_audiences: ({ criteria }) => audienceCriteriaProblem(criteria),
  line_items: (row) => storedLineItemProblem(row as unknown as Row<LineItem>),
};

/** 400 for the first row that the API would not store. */
function requireContents({ accounts }: SnapshotFile): void {
  for (const [i, { tables }] of accounts.entries()) {
    for (const [table, problemOf] of Object.entries(CONTENTS))
      for (const [n, row] of (tables[table] ?? []).entries()) {
        const problem = problemOf(row);
        if (!problem) continue;
        const at = `accounts[${i}].tables.${table}[${n}].${problem.column}`;
        throw invalid(at, `Wrong value for ${at}: ${problem.message}`, { value: problem.value });
      }
  }
}

const rankOf = ({ promotableUserType }: Row<PromotableUser>): number => (promotableUserType === 'FULL' ? 0 : 1);
