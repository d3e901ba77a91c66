import { Column, Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { closedSet } from '../../common/values/closed-set.js';

export const SET_TYPES = closedSet('ProductSetType', ['MANUAL', 'FILTERED']);
export type SetType = (typeof SET_TYPES)[number];

export const FILTER_ATTRIBUTES = closedSet('ProductFilterAttribute', [
  ...(['price', 'product_type', 'google_product_category', 'sale_price', 'inventory', 'custom_label_0'] as const),
  ...(['custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4'] as const),
]);
export type FilterAttribute = (typeof FILTER_ATTRIBUTES)[number];

export const FILTER_OPERATORS = closedSet('ProductFilterOperator', [
  ...(['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN', 'MATCH', 'CONTAINS', 'NOT_CONTAINS'] as const),
]);
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** A condition on the products of a set. */
export interface ProductFilter {
  attribute: FilterAttribute;
  operator: FilterOperator;
  value: string;
}

/** Products of a catalog: those that the user names, or those that match all filters when the set is read. */
@Entity('product_sets')
@Index('product_sets_catalog', ['catalogId', 'id'])
export class ProductSet {
  @IdColumn({ primary: true }) id: string;
  @IdColumn() catalogId: string;
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar', nullable: true }) description: string | null;
  @WordColumn(SET_TYPES) type: SetType;
  /** Of a MANUAL set. Products that are deleted stay here, and are left out of answers. */
  @Column({ type: 'varchar', array: true }) productKeys: string[];
  /** Of a FILTERED set. */
  @Column({ type: 'json' }) filters: ProductFilter[];
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
}
