import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { replaceSealed, rowsSealedOtherwise, type SealedRow } from './key-rotation.statements.js';
import { sealedEntities, type SealedColumns } from './sealed-columns.js';
import { Vault } from './vault.js';

const BATCH = 200;
/** How long a process that still seals under an old key has to say so. */
const PATIENCE_MS = 1_500;

/** What a rotation did. */
export interface RotationResult {
  /** Rows written anew, by table. */
  rows: Record<string, number>;
  /** Keys that nothing in the store needs any more. */
  retired: string[];
  /** Keys under which other processes still seal: these have to be given the new key first. */
  inUse: string[];
}

/**
 * Seals everything anew under the present master key, and hashes it anew to be found, while the service runs: each row
 * is found under its old hash until the moment it is found under its new one.
 */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
  ) {}

  async rotate(progress: (table: string, rows: number) => void = () => undefined): Promise<RotationResult> {
    const rows: Record<string, number> = {};
    for (const [entity, columns] of sealedEntities()) {
      const table = this.db.getMetadata(entity).tableName;
      rows[table] = 0;
      for (;;) {
        const written = await this.batch(entity, columns);
        if (written === 0) break;
        rows[table] += written;
        progress(table, rows[table]);
      }
    }
    return { rows, ...(await this.retire()) };
  }

  /** Writes some rows anew; those that were changed meanwhile are left for the next batch. */
  private async batch(entity: Type, columns: SealedColumns): Promise<number> {
    const { sealed, lookups } = columns;
    const batch = { keyId: this.vault.keyId, limit: BATCH };
    const old = await rowsSealedOtherwise(this.db.manager, entity, sealed, batch);
    if (old.length === 0) return 0;
    const anew = old.map((row) => {
      const next: SealedRow = { id: row.id };
      for (const column of sealed) {
        const secret = row[column];
        next[column] = secret === null ? null : this.vault.seal(this.vault.open(secret));
      }
      for (const [column, of] of Object.entries(lookups)) {
        const secret = row[of];
        if (secret !== null) next[column] = this.vault.lookup(this.vault.open(secret));
      }
      return next;
    });
    await replaceSealed(this.db.manager, entity, columns, old, anew);
    return old.length;
  }

  /** Strikes keys that seal nothing any more off the list of those a start needs. */
  private async retire(): Promise<Pick<RotationResult, 'retired' | 'inUse'>> {
    const others = await this.vault.otherKeys();
    if (others.length === 0) return { retired: [], inUse: [] };
    await this.vault.retire(others);
    await pause(PATIENCE_MS);
    const back = await this.vault.otherKeys();
    return { retired: others.filter((id) => !back.includes(id)), inUse: back };
  }
}
