import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ColumnOf, Row } from '../common/db/query/rows.js';
import type { Precondition, Write } from '../common/db/query/write.js';
import { newId } from '../common/entity/ids.js';
import type { Resource } from '../common/entity/resource.entity.js';
import type { ApiError } from '../common/errors/api-error.js';
import { notFound } from '../common/errors/catalogue.js';
import type { JsonSchema } from '../common/http/answers/responses.js';

/** A row of a resource, with the columns that all resources have. */
export type ResourceRow<T extends Resource> = Row<T> & Row<Resource>;

/** A limit on the number of rows. */
interface Limit<T extends Resource> {
  /** Names the counter; unique together with the owner. */
  kind: string;
  /** The maximum, unless the counter has a limit of its own (`limitCounter`). */
  limit: number;
  /** The owner whose counter counts a row. */
  ownerOf: (row: ResourceRow<T>) => string;
  /** Whether a row counts, deleted rows included. */
  counts: (row: ResourceRow<T>) => boolean;
  /** Whether the owner is the account and each row that is not deleted counts (`limitOfAccount`). */
  countsAllOfAccount?: true;
  /**
   * Stops counting rows that have expired by the clock, and returns whether there were any. Called if the limit is
   * reached.
   */
  release?: (db: EntityManager, ownerId: string, now: Date) => Promise<boolean>;
  /** The error for an item that exceeds the limit. */
  refusal: (limit: number) => ApiError;
}

/** A limit of the rows of an account that are not deleted. */
export const limitOfAccount = <T extends Resource & { accountId: string }>(
  kind: string,
  limit: number,
  refusal: Limit<T>['refusal'],
): Limit<T> => ({
  kind,
  limit,
  refusal,
  countsAllOfAccount: true,
  // the compiler does not see through the type of rows
  ownerOf: (row) => (row as unknown as { accountId: string }).accountId,
  counts: ({ deletedAt }) => deletedAt === null,
});

/** A unique constraint of a resource, by the name of its index. */
export interface Unique<T extends Resource> {
  index: string;
  /** The columns of the index that a request can set. */
  columns: ColumnOf<T>[];
  /** Whether it covers all accounts and deleted rows. By default it covers the account's rows that are not deleted. */
  everywhere?: boolean;
  /** The error for a duplicate. Without it the write is retried and finds the existing row. */
  refusal?: (row: ResourceRow<T>) => ApiError;
}

/** The changed fields of an update, each with its new value. */
type ChangedFields = Partial<Record<string, { new: unknown }>>;

/** An event type of updates that change certain fields. */
interface UpdateEvent {
  /** The report of the event, in the document. */
  about: string;
  reports: (changes: ChangedFields) => boolean;
}

/** The events about a resource, beside `create`, `update` and `delete`. */
interface ResourceEvents {
  /** Types of updates, in the order in which they are tried; `update` is all others. */
  updates?: Readonly<Record<string, UpdateEvent>>;
  /** Each type of events has a list of its own, such as `post_create_events`. */
  listPerType?: boolean;
}

/** The rules by which a kind of resource is stored, found and recorded. */
interface Definition<T extends Resource> {
  entity: Type<T>;
  /** Its name in the account history and in events, such as `LINE_ITEM`. */
  name: string;
  /** Its label in 404 errors, and the parameter that identifies it. */
  label: string;
  parameter: string;
  /** The column with the owner's id; by default `accountId`. */
  accountColumn?: ColumnOf<T>;
  /** Generates ids; by default `newId`. */
  newId?: (at: Date) => string;
  /**
   * Requires that the rows a new row refers to are alive; the storing statement checks it. The account is always
   * required.
   */
  parents?: (row: ResourceRow<T>) => Precondition[];
  limits?: Limit<T>[];
  uniques?: Unique<T>[];
  /** False if no event reports its changes. */
  events?: ResourceEvents | false;
  /** The 404 error for a row that the account does not have or has deleted; by default NOT_FOUND. */
  notFound?: typeof notFound;
}

/** A part of a view, and other fields. */
interface ViewPart {
  view: Type;
  /** Only these fields of the view. */
  fields?: readonly string[];
  /** All but these fields of the view. */
  without?: readonly string[];
  /** Fields of the view that only events of exhausted budgets have. */
  ofExhaustedBudgets?: readonly string[];
  /** Fields that the view does not have, as schemas of the document. */
  also?: Readonly<Record<string, JsonSchema>>;
  /** Fields that depend on the row, in words. */
  others?: string;
}

/** Fields as schemas of the document, those of each event type. */
interface FieldsOfEvents {
  ofTypes: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  /** Fields that an event may lack. */
  optional?: readonly string[];
}

/** The content of history and events, for the document: a view, a part of one, or fields of its own. */
export type RecordedContent = Type | ViewPart | FieldsOfEvents;

/** A kind of resource that `Resources` can find, store and record. */
export interface ResourceDefinition<T extends Resource> extends Definition<T> {
  accountColumn: ColumnOf<T>;
  newId: (at: Date) => string;
  notFoundError: (account: { id: string }) => (id: string) => ApiError;
  /** The content of history and events. Its presenter declares both (`recordAs`). */
  snapshot: (row: ResourceRow<T>) => object;
  content?: RecordedContent;
  /** Further writes of the statement that deletes rows (`alsoDelete`). */
  deletions: Deletion[];
}

/** Writes for the rows with these ids, which are deleted at this time (ISO 8601). */
type Deletion = (ids: string[], at: string) => Write[];

/** Declares the content of history and events: the presented row, or the part that the specification names. */
export function recordAs<T extends Resource>(
  definition: ResourceDefinition<T>,
  content: RecordedContent,
  snapshot: (row: ResourceRow<T>) => object,
): void {
  Object.assign(definition, { content, snapshot });
}

/** Declares what is deleted together with rows of a resource. All other data stays unchanged. */
export function alsoDelete<T extends Resource>(definition: ResourceDefinition<T>, deletion: Deletion): void {
  definition.deletions.push(deletion);
}

/** The 404 error of a resource that a request refers to, if it was not found. None without a readable id. */
export const unknownReference = <T extends Resource>(
  { notFoundError }: ResourceDefinition<T>,
  account: { id: string },
  id: string | undefined,
  found: object | undefined,
): ApiError[] => (id === undefined || found ? [] : [notFoundError(account)(id)]);

const byName = new Map<string, ResourceDefinition<Resource>>();
const idsOf = new Map<Type, (at: Date) => string>();

/** All resources, by their names. */
export const resourcesByName = (): ReadonlyMap<string, ResourceDefinition<Resource>> => byName;

/** Generates ids for rows of an entity, also of one that is no resource. */
export const newIdOf = (entity: Type, at: Date): string => (idsOf.get(entity) ?? newId)(at);

/** Declares a resource, beside its entity. */
export function defineResource<T extends Resource>({
  notFound: notFoundOf = notFound,
  ...definition
}: Definition<T>): ResourceDefinition<T> {
  if (definition.newId) idsOf.set(definition.entity, definition.newId);
  const defined: ResourceDefinition<T> = {
    accountColumn: 'accountId' as ColumnOf<T>,
    newId,
    notFoundError: (account) => (id) => notFoundOf(definition.label, definition.parameter, id, account.id),
    snapshot: () => {
      throw new Error(`no presenter declares what the history of ${definition.name} keeps`);
    },
    deletions: [],
    ...definition,
  };
  byName.set(definition.name, defined as unknown as ResourceDefinition<Resource>);
  return defined;
}
