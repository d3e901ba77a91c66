import { DeleteDateColumn, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from './columns.js';

/** What every stored thing has. Soft deletion sets `deletedAt`; Rows leaves such rows out unless asked. */
export abstract class Resource {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
  @DeleteDateColumn({ type: 'timestamptz', precision: 3, nullable: true }) deletedAt: Date | null;
}
