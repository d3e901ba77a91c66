import type { Type } from '@nestjs/common';
import { Column } from 'typeorm';
import type { ColumnOf } from '../../common/db/query/rows.js';
import type { Kind } from '../../common/http/params/fields.js';

/** The column that every row of reference data has: its position in the list, from 0. */
export abstract class ReferenceRow {
  @Column({ type: 'integer' }) position: number;
}

/** The kinds of reference data that are stored in tables and can be replaced, by endpoint name. */
export type ReferenceName =
  'advertiser_business_categories' | 'bidding_rules' | 'content_categories' | 'iab_categories';

/** A column of a reference data file and of its table. */
interface ReferenceColumn<Property extends string = string> {
  /** The name in the heading of the file, as in the API. */
  name: string;
  property: Property;
  /** The type of the values. Commas separate the items of a list. */
  kind: Kind;
  /** Whether it may be empty. */
  nullable?: boolean;
}

/** Any kind of reference data: its table and its file. */
export interface AnyReferenceKind {
  name: ReferenceName;
  entity: Type<ReferenceRow>;
  /** The file that ships with the service, below `assets`. */
  file: string;
  /** The first one is the key. */
  columns: readonly ReferenceColumn[];
}

export interface ReferenceKind<T extends ReferenceRow> extends AnyReferenceKind {
  entity: Type<T>;
  columns: readonly ReferenceColumn<ColumnOf<T>>[];
}

export const defineReference = <T extends ReferenceRow>(kind: ReferenceKind<T>): ReferenceKind<T> => kind;

/** A row of a file: its columns by property, and its position in the list. */
export type ReferenceValues = Record<string, unknown> & { position: number };
