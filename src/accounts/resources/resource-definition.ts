import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ColumnOf, Row } from '../../common/db/query/rows.js';
import type { Precondition, Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import type { ChangedEntity } from '../change-log/account-change.entity.js';

/** A row of a resource, with the columns that all resources have. */
export type ResourceRow<T extends Resource> = Row<T> & Row<Resource>;

/** Something of which there can only be so many. */
export interface Limit<T extends Resource> {
  /** Names the counter; with the owner it is unique. */
  kind: string;
  /** How many there can be, unless the counter was given a limit of its own (`limitCounter`). */
  limit: number;
  /** Whose counter a row counts in. */
  ownerOf: (row: ResourceRow<T>) => string;
  /** Whether a row counts, deleted ones included. */
  counts: (row: ResourceRow<T>) => boolean;
  /**
   * Has rows count no more that stopped to do so by the clock, and returns whether there were any; called where there is
   * no room.
   */
  release?: (db: EntityManager, ownerId: string, now: Date) => Promise<boolean>;
  /** What an item is told that would be one too many. */
  refusal: (limit: number) => ApiError;
}

/** What is unique among the rows of a resource, by the name of the index that sees to it. */
export interface Unique<T extends Resource> {
  index: string;
  /** The columns of the index that a request can set. */
  columns: ColumnOf<T>[];
  /** Over all accounts, and deleted rows too; those of the account that are not deleted unless set. */
  everywhere?: boolean;
  /** What the second one is told. Where nothing is said its work is done again, and finds the first. */
  refusal?: (row: ResourceRow<T>) => ApiError;
}

/** What is to be known of a kind of resource in order to store, find and record it: said once. */
export interface Definition<T extends Resource> {
  entity: Type<T>;
  /** Its name in the account history and in events. */
  name: ChangedEntity;
  /** How its 404 calls it, and by which parameter it is named. */
  label: string;
  parameter: string;
  /** What history and events keep of it: its presented form, or the part that the specification names. */
  snapshot: (row: ResourceRow<T>) => object;
  /** The column that says whose it is; `accountId` unless given. */
  accountColumn?: ColumnOf<T>;
  /** How its ids are made; `newId` unless given. */
  newId?: (at: Date) => string;
  /** That what a new row names is alive, the account excepted, which always has to be: checked by the storing statement. */
  parents?: (row: ResourceRow<T>) => Precondition[];
  limits?: Limit<T>[];
  uniques?: Unique<T>[];
  /** What goes with rows when they are deleted, in the same statement. What is not named here stays as it is. */
  deletedWith?: (ids: string[], at: string) => Write[];
}

/** A kind of resource, ready to be found, stored and recorded by `Resources`. */
export interface ResourceDefinition<T extends Resource> extends Definition<T> {
  accountColumn: ColumnOf<T>;
  newId: (at: Date) => string;
  /** The 404 of one that the account does not have, or has no more. */
  notFoundError: (account: { id: string }) => (id: string) => ApiError;
}

export const defineResource = <T extends Resource>(definition: Definition<T>): ResourceDefinition<T> => ({
  accountColumn: 'accountId' as ColumnOf<T>,
  newId,
  notFoundError: (account) => (id) => notFound(definition.label, definition.parameter, id, account.id),
  ...definition,
});
