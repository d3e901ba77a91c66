import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** A master key that has sealed secrets in this store. Only its id is stored, never the key. */
@Entity('vault_keys')
export class VaultKey {
  @PrimaryColumn({ type: 'varchar' }) id: string;
  @TimestampColumn() createdAt: Date;
}
