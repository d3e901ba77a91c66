import { Column, Entity, Index } from 'typeorm';
import { IdColumn, MicroColumn, TimestampColumn } from '../../common/entity/columns.js';

/** The products of a user. Their number and bytes change with them, under the lock of this row. */
@Entity('product_catalogs')
@Index('product_catalogs_user', ['userId'], { unique: true })
export class ProductCatalog {
  @IdColumn({ primary: true }) id: string;
  @IdColumn() userId: string;
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'integer' }) productCount: number;
  @MicroColumn() productBytes: number;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
}
