import { DeleteDateColumn, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from './columns.js';

/** The columns of every stored resource. Soft deletion sets `deletedAt`; Rows omits such rows by default. */
export abstract class Resource {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
  @DeleteDateColumn({ type: 'timestamptz', precision: 3, nullable: true }) deletedAt: Date | null;
}
