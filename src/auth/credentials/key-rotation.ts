import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { pageOfSealed, replaceSealed, type SealedRow } from './key-rotation.statements.js';
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
      // rows that were changed or added meanwhile are left for the next pass
      for (let written = Infinity; written > 0;) {
        written = await this.pass(entity, columns);
        rows[table] += written;
      }
    }
    return { rows, ...(await this.retire()) };
  }

  /** Seals the rows of a table again, in the order of their ids. Returns how many there were to seal. */
  private async pass(entity: Type, columns: SealedColumns): Promise<number> {
    let [written, after] = [0, ''];
    for (;;) {
      const page = { keyId: this.vault.keyId, after, limit: BATCH };
      const { last, old } = await pageOfSealed(this.db.manager, entity, columns.sealed, page);
      if (last === undefined) return written;
      if (old.length > 0) await this.reseal(entity, columns, old);
      written += old.length;
      after = last;
    }
  }

  private async reseal(entity: Type, columns: SealedColumns, old: SealedRow[]): Promise<void> {
    const { sealed, lookups } = columns;
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
