import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** Which master keys have sealed something in this store: by id, never the key. */
@Entity('vault_keys')
export class VaultKey {
  @PrimaryColumn({ type: 'varchar' }) id: string;
  @TimestampColumn() createdAt: Date;
}
