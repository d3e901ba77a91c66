import { Column, Entity, Index } from 'typeorm';
import { IdColumn, MicroColumn, TimestampColumn } from '../../common/entity/columns.js';

/** The attributes of a product, by X's names. Absent ones have no key. */
export type ProductAttributes = Record<string, string | number>;

/**
 * A product of a catalog. Its attributes are one value; those that filters of product sets compare are columns, too.
 * Rows of a deleted catalog stay until a job removes them, and nobody reaches them.
 */
@Entity('products')
@Index('products_merchant_id', ['catalogId', 'merchantId'], { unique: true })
@Index('products_group', ['catalogId', 'groupKey', 'productKey'])
export class Product {
  @IdColumn({ primary: true }) catalogId: string;
  @IdColumn({ primary: true }) productKey: string;
  /** The id that the user gave it. */
  @IdColumn() merchantId: string;
  /** `g:` and the key of its group, or `p:` and its own key: products of a group follow each other in the index. */
  @IdColumn() groupKey: string;
  @Column({ type: 'json' }) attributes: ProductAttributes;
  /** Bytes of the attributes. */
  @Column({ type: 'integer' }) bytes: number;
  @MicroColumn() priceMicro: number;
  @MicroColumn({ nullable: true }) salePriceMicro: number | null;
  @Column({ type: 'integer', nullable: true }) inventory: number | null;
  @Column({ type: 'varchar', nullable: true }) productType: string | null;
  @Column({ type: 'varchar', nullable: true }) googleProductCategory: string | null;
  @Column({ type: 'varchar', nullable: true }) customLabel0: string | null;
  @Column({ type: 'varchar', nullable: true }) customLabel1: string | null;
  @Column({ type: 'varchar', nullable: true }) customLabel2: string | null;
  @Column({ type: 'varchar', nullable: true }) customLabel3: string | null;
  @Column({ type: 'varchar', nullable: true }) customLabel4: string | null;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
}
