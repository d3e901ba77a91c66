import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { replaceSealed, rowsSealedOtherwise, type SealedRow } from './key-rotation.statements.js';
import { sealedEntities, type SealedColumns } from './sealed-columns.js';
import { Vault } from './vault.js';

const BATCH = 200;
/** The time in which processes that still seal with an old key put it back. */
const PATIENCE_MS = 1_500;

/** The result of a rotation. */
export interface RotationResult {
  /** The number of rows that were sealed again, by table. */
  rows: Record<string, number>;
  /** Keys that no stored secret needs. */
  retired: string[];
  /** Keys with which other processes still seal. These processes need the new key first. */
  inUse: string[];
}

/**
 * Seals and hashes all secrets again with the current master key while the service runs. Each row is found by its old hash
 * until it has its new one.
 */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
  ) {}

  async rotate(): Promise<RotationResult> {
    const rows: Record<string, number> = {};
    for (const [entity, columns] of sealedEntities()) {
      const table = this.db.getMetadata(entity).tableName;
      rows[table] = 0;
      for (;;) {
        const written = await this.batch(entity, columns);
        if (written === 0) break;
        rows[table] += written;
      }
    }
    return { rows, ...(await this.retire()) };
  }

  /** Seals one batch of rows again. Rows that were changed meanwhile are left for the next batch. */
  private async batch(entity: Type, columns: SealedColumns): Promise<number> {
    const { sealed, lookups } = columns;
    const batch = { keyId: this.vault.keyId, limit: BATCH };
    const old = await rowsSealedOtherwise(this.db.manager, entity, sealed, batch);
    if (old.length === 0) return 0;
    const resealed = old.map((row) => {
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
    await replaceSealed(this.db.manager, entity, columns, old, resealed);
    return old.length;
  }

  /** Removes unused keys from the table of keys that a start requires. */
  private async retire(): Promise<Pick<RotationResult, 'retired' | 'inUse'>> {
    const others = await this.vault.otherKeys();
    if (others.length === 0) return { retired: [], inUse: [] };
    await this.vault.retire(others);
    await pause(PATIENCE_MS);
    const back = await this.vault.otherKeys();
    return { retired: others.filter((id) => !back.includes(id)), inUse: back };
  }
}
