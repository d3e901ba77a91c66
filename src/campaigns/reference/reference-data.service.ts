import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ArrayOverlap, DataSource, type EntityManager } from 'typeorm';
import { readAsset } from '../../common/asset.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { deletePermanently, insertOrUpdate, write } from '../../common/db/query/write.js';
import { Publisher } from './publishers/publisher.entity.js';
import {
  inconsistenciesOf,
  readReferenceFile,
  REFERENCE_KINDS,
  writeReferenceFile,
  type ReferenceFile,
  type ReferenceTables,
} from './reference-data.rules.js';
import type {
  AnyReferenceKind,
  ReferenceKind,
  ReferenceName,
  ReferenceRow,
  ReferenceValues,
} from './reference-kind.js';

/** The result of replacing a kind of reference data: its rows, and how many were added, changed and removed. */
export interface Replaced {
  kind: ReferenceName;
  rows: number;
  added: number;
  changed: number;
  removed: number;
}

/** A value of reference data. */
export type ShownReference = string | number | null | string[];

/** The file is not valid reference data. Nothing was changed. */
export class ReferenceRefused extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`nothing was changed:\n  ${problems.join('\n  ')}`);
  }
}

const CHANNEL = 'reference';
/** A change notifies all replicas, which drop the cached data. The TTL covers a lost notification. */
const TTL_MS = 60_000;

/**
 * The reference data of the platform: lists that are read constantly and rarely change. They ship
 * with the service, can be replaced while it runs, and every replica caches them until it is notified of a change.
 */
@Injectable()
export class ReferenceData {
  private readonly known: SharedCache<readonly object[]>;

  constructor(
    private readonly db: DataSource,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: REFERENCE_KINDS.length, ttlMs: TTL_MS });
  }

  /**
   * All rows of a kind in their order. Do not modify them: calls share one array until the data is read again. `db`: a
   * transaction.
   */
  async all<T extends ReferenceRow>(kind: ReferenceKind<T>, db = this.db.manager): Promise<readonly Row<T>[]> {
    const known = this.known.get(kind.name);
    if (known) return known as readonly Row<T>[];
    const keep = this.known.beginRead();
    const found = await stored(db, kind);
    keep(kind.name, found);
    return found as readonly Row<T>[];
  }

  /** The rows of a kind under the names of the API. */
  async shown(name: ReferenceName): Promise<Record<string, ShownReference>[]> {
    const kind = kindOf(name);
    const all = (await stored(this.db.manager, kind)) as unknown as Record<string, ShownReference>[];
    return all.map((row) => Object.fromEntries(kind.columns.map(({ name, property }) => [name, row[property]])));
  }

  /** The rows of a kind as a file for `replace`. */
  async file(name: ReferenceName): Promise<string> {
    const kind = kindOf(name);
    return writeReferenceFile(kind, await stored(this.db.manager, kind));
  }

  /** Parses a file. Its column headings determine its kind. */
  read(text: string): ReferenceFile {
    return readReferenceFile(text, REFERENCE_KINDS);
  }

  /** The file of a kind that ships with the service. */
  shipped(name: ReferenceName): string {
    return readAsset(kindOf(name).file);
  }

  /** Makes all replicas read the data again. */
  refresh(): Promise<void> {
    return this.known.invalidate(this.db.manager);
  }

  /**
   * Replaces all rows of a kind by those of a file, all or none. Removes rows that are not in the file, unless a
   * publisher refers to them. `checkOnly` stores nothing and reports what would change.
   */
  async replace(text: string, { checkOnly = false } = {}): Promise<Replaced> {
    const read = this.read(text);
    if (read.problems) throw new ReferenceRefused(read.problems);
    return retrying(() => this.db.transaction((tx) => this.replaceIn(tx, read.kind, read.rows, checkOnly)));
  }

  private async replaceIn(
    tx: EntityManager,
    kind: AnyReferenceKind,
    wanted: readonly ReferenceValues[],
    checkOnly: boolean,
  ): Promise<Replaced> {
    // One replacement at a time, because the kinds must be consistent with each other.
    await lockName(tx, 'reference data');
    const tables: Partial<ReferenceTables> = {};
    for (const each of REFERENCE_KINDS) tables[each.name] = await stored(tx, each);
    const before = tables[kind.name] as readonly ReferenceValues[];
    const problems = inconsistenciesOf({ ...(tables as ReferenceTables), [kind.name]: wanted });
    if (problems.length > 0) throw new ReferenceRefused(problems);

    const [{ property: key }] = kind.columns;
    const known = new Map(before.map((row) => [row[key], row]));
    const different = wanted.filter((row) => !isDeepStrictEqual({ ...known.get(row[key]) }, { ...row }));
    const added = wanted.filter((row) => !known.has(row[key])).length;
    const moved = different.filter((row) =>
      isDeepStrictEqual({ ...known.get(row[key]), position: 0 }, { ...row, position: 0 }),
    );
    const named = new Set(wanted.map((row) => row[key]));
    const removed = before.filter((row) => !named.has(row[key]));
    const columns = kind.columns.slice(1).map(({ property }) => property);
    if (!checkOnly) {
      await write(tx, [
        deletePermanently(
          kind.entity,
          removed.map((row) => ({ [key]: row[key] })),
        ),
        insertOrUpdate(kind.entity, different, ['position', ...columns] as 'position'[]),
      ]);
      await this.known.invalidate(tx);
    }
    // Checked after the removal: a publisher that is created concurrently locks its categories.
    if (kind.name === 'content_categories')
      await refuseOrphans(
        tx,
        removed.map((row) => row[key] as string),
      );
    return {
      kind: kind.name,
      rows: wanted.length,
      added,
      changed: different.length - added - moved.length,
      removed: removed.length,
    };
  }
}

/** The kind with this name. */
const kindOf = (name: ReferenceName): AnyReferenceKind => REFERENCE_KINDS.find((kind) => kind.name === name)!;

const stored = (db: EntityManager, { entity }: AnyReferenceKind): Promise<Row<ReferenceRow>[]> =>
  rows(db, entity).orderBy('position').getMany();

/** Rejects the removal of content categories that publishers refer to. */
async function refuseOrphans(tx: EntityManager, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return;
  const publishers = await tx.findBy(Publisher, { contentCategoryIds: ArrayOverlap(removed) });
  const used = removed.filter((id) => publishers.some(({ contentCategoryIds }) => contentCategoryIds.includes(id)));
  throw new ReferenceRefused(
    used.map((id) => `content_categories: publishers use ${id}, which the import would remove`),
  );
}

/** Caches what `make` returns for a list, as long as the list is the same array. */
export function madeOnce<L extends object, M>(make: (list: L) => M): (list: L) => M {
  const made = new WeakMap<L, M>();
  return (list) => {
    const known = made.get(list);
    if (known !== undefined) return known;
    const result = make(list);
    made.set(list, result);
    return result;
  };
}

/** A request of an operator that cannot be fulfilled. The message states the reason in one line. */
export class AdministrationRefused extends Error {}
