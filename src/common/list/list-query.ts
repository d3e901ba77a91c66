import type { Type } from '@nestjs/common';
import type { DataSource, ObjectLiteral } from 'typeorm';
import { closedSet } from '../values/closed-set.js';
import type { ColumnOf } from '../db/query/rows.js';
import { exclusive } from '../errors/catalogue.js';
import { Rule } from '../http/params/dto-metadata.js';
import { Bool, EnumList, Int, Text } from '../http/params/fields.js';
import { MAX_CURSOR_LENGTH } from './cursor.js';
import { sortKeysOf } from './sort.js';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/**
 * Attributes to sort an entity by: its columns in the specification's names, the time of creation, and whether it is
 * deleted.
 */
export type SortAttribute<T> = SnakeCase<ColumnOf<T>> | 'created_at' | 'deleted';

export interface ListRules<T> {
  /** The default page size and the maximum. */
  count?: number;
  max?: number;
  /** Attributes that `sort_by` allows, in the specification's names. */
  sortable?: readonly SortAttribute<T>[];
}

const LISTED = Symbol('listed');

/** The parameters that `page()` needs. The query of one entity's list does not fit another entity. */
export interface PageQuery<T = unknown> {
  count: number;
  cursor?: string;
  sort_by?: string[];
  with_deleted?: boolean;
  with_total_count?: boolean;
  /** Never set; exists for the type only. */
  readonly [LISTED]?: (entity: T) => T;
}

/** A total is available on the first page only. */
export const countOrContinue = ({ cursor, with_total_count }: Pick<PageQuery, 'cursor' | 'with_total_count'>) =>
  cursor !== undefined && with_total_count ? exclusive('cursor', 'with_total_count') : undefined;

const SORTABLE = ['created_at', 'updated_at', 'deleted', 'name'] as const;

/** Every declared list; startup checks them against their entities. */
const declared: { entity: Type; sortable: readonly string[] }[] = [];

/** The parameters of every list, with the bounds of this one. */
export function ListQuery<T extends ObjectLiteral>(
  entity: Type<T>,
  {
    count: otherwise = 200,
    max = 1000,
    sortable = SORTABLE as readonly string[] as SortAttribute<T>[],
  }: ListRules<T> = {},
) {
  declared.push({ entity, sortable });
  const orders = closedSet(
    `${entity.name}SortKey`,
    sortable.flatMap((attribute) => [`${attribute}-asc`, `${attribute}-desc`]),
  );

  @Rule(['cursor', 'with_total_count'], countOrContinue)
  class ListParameters implements PageQuery<T> {
    declare readonly [LISTED]?: (entity: T) => T;

    /** Maximum number of items in a page. */
    @Int({ optional: true, min: 1, max, default: otherwise })
    count: number = otherwise;

    /** The `next_cursor` of the previous page. All other parameters must stay the same. */
    @Text({ absentIfEmpty: true, max: MAX_CURSOR_LENGTH })
    cursor?: string;

    /**
     * Sort order. Each further attribute decides between items that are equal in the previous ones. Newest first by
     * default; by name with `q`.
     */
    @EnumList(orders, { optional: true, max: 200 })
    sort_by?: string[];

    /** Whether deleted items are included. */
    @Bool({ optional: true, default: false })
    with_deleted?: boolean;

    /** Whether the response has a `total_count`. Not allowed with `cursor`. Limit: 200 such requests per 15 minutes. */
    @Bool({ optional: true, default: false })
    with_total_count?: boolean;
  }
  return ListParameters;
}

/** Throws at startup when a list allows sorting by an attribute that its entity does not have. */
export function checkSortable(db: DataSource): void {
  const mistakes = declared.flatMap(({ entity, sortable }) =>
    sortable.flatMap((attribute) => {
      try {
        sortKeysOf(db.getMetadata(entity), [`${attribute}-asc`]);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    }),
  );
  if (mistakes.length > 0) throw new Error(`Lists with invalid sort attributes: ${mistakes.join('; ')}`);
}

/** The parameters of every read of a single item. */
export class OneQuery {
  /** Whether to return the item even if it is deleted. */
  @Bool({ optional: true, default: false })
  with_deleted?: boolean;
}
