import type { Type } from '@nestjs/common';
import type { DataSource, ObjectLiteral } from 'typeorm';
import { closedSet } from '../closed-set.js';
import type { ColumnOf } from '../db/query/rows.js';
import { exclusive } from '../errors/catalogue.js';
import { Rule } from '../http/params/dto-metadata.js';
import { Bool, EnumList, Int, Text } from '../http/params/fields.js';
import { sortKeysOf } from './sort.js';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** What rows of an entity can be sorted by: its columns in the specification's names, when they were made, whether they are deleted. */
export type SortAttribute<T> = SnakeCase<ColumnOf<T>> | 'created_at' | 'deleted';

export interface ListRules<T> {
  /** Page size when none is asked, and the largest one. */
  count?: number;
  max?: number;
  /** Attributes that `sort_by` takes, in the specification's names. */
  sortable?: readonly SortAttribute<T>[];
}

const LISTED = Symbol('listed');

/** What `page()` needs to know of a request; a query of one entity's list does not page another's. */
export interface PageQuery<T = unknown> {
  count: number;
  cursor?: string;
  sort_by?: string[];
  with_deleted?: boolean;
  with_total_count?: boolean;
  /** Never there: it is the type that counts. */
  readonly [LISTED]?: (entity: T) => T;
}

/** A total belongs to a first page. */
export const countOrContinue = ({ cursor, with_total_count }: Pick<PageQuery, 'cursor' | 'with_total_count'>) =>
  cursor !== undefined && with_total_count ? exclusive('cursor', 'with_total_count') : undefined;

const SORTABLE = ['created_at', 'updated_at', 'deleted', 'name'] as const;

/** Every list that was declared, to be held against its entity when the application starts. */
const declared: { entity: Type; sortable: readonly string[] }[] = [];

/** The parameters that every list takes, with the bounds of this one. */
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

    /** How many items a page has at most. */
    @Int({ optional: true, min: 1, max, default: otherwise })
    count: number = otherwise;

    /** The `next_cursor` of the page before, with otherwise the same parameters. */
    @Text({ optional: true, max: 2000 })
    cursor?: string;

    /** The first attribute decides, the next where it is equal. Newest first unless given; with a `q`, by name. */
    @EnumList(orders, { optional: true, max: 200 })
    sort_by?: string[];

    /** Whether deleted items are included. */
    @Bool({ optional: true, default: false })
    with_deleted?: boolean;

    /** Whether the answer has a `total_count`. Not together with `cursor`; 200 such requests per 15 minutes. */
    @Bool({ optional: true, default: false })
    with_total_count?: boolean;
  }
  return ListParameters;
}

/** Throws where a list offers to sort by what its entity cannot be sorted by: a mistake of ours, told when we start. */
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
  if (mistakes.length > 0) throw new Error(`Lists that cannot be sorted as they say: ${mistakes.join('; ')}`);
}

/** The parameters that every single read takes. */
export class OneQuery {
  /** Whether a deleted item is answered, too. */
  @Bool({ optional: true, default: false })
  with_deleted?: boolean;
}
