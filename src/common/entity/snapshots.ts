import { Column, type ColumnOptions } from 'typeorm';

/** Options of a table in snapshots. */
export interface SnapshotOptions {
  /** The column with the owner: the account itself, or one of its audiences and do-not-reach lists. */
  owner: 'accountId' | 'audienceId';
  /**
   * Columns that a restore sets to null, or to the number that follows the saved one: a request that read a revision before
   * the restore must not find it.
   */
  restored: Readonly<Record<string, 'next' | null>>;
  /**
   * Columns that no file has, because they say who is in the directory or how many users were estimated there, and the
   * value that each has after an import, for a row of the file: everybody is matched, counted and estimated again.
   */
  withheld: Readonly<Record<string, (row: Record<string, unknown>) => unknown>>;
  /**
   * Whether the rows are sums of others, by days of the time zone of the account. An import that gives rows new ids leaves
   * them out: a job sums the others again.
   */
  derived: boolean;
}

/** For withheld columns. Before all times: due by every clock, and older than every estimate. */
export const LONG_AGO = new Date(0).toISOString();

const [OPTIONS, REASON, REFERENCE, TEXT] = ['options', 'reason', 'reference', 'text'].map(Symbol);

/** Snapshots have the rows of this table, and a reset deletes them. */
export const InSnapshots = (options: Partial<SnapshotOptions> = {}) =>
  Reflect.metadata(OPTIONS, { owner: 'accountId', restored: {}, withheld: {}, derived: false, ...options });

/** Rows of this table belong to accounts, but snapshots do not have them, for this reason. */
export const NotInSnapshots = (reason: string) => Reflect.metadata(REASON, reason);

export const snapshotOptionsOf = (entity: object) =>
  Reflect.getMetadata(OPTIONS, entity) as SnapshotOptions | undefined;
export const reasonNotInSnapshots = (entity: object) => Reflect.getMetadata(REASON, entity) as string | undefined;

/** A reference to a row of the same account. */
export interface RowReference {
  /** The tables that may have the row. */
  tables: readonly string[];
  /** The table that has it, for a row that refers to it. */
  tableFor?: (row: Record<string, unknown>) => string;
  /** True if the column may have an empty text instead of an id. */
  optional?: boolean;
}

/** References to something else. */
export type ColumnReferenceKind = 'actor' | 'media' | 'post' | 'promoted user' | 'special';
/** The target of the ids or keys of a column. An import replaces them, or requires that the account may use them. */
type Reference = RowReference | ColumnReferenceKind;

const refersTo = (reference: Reference) => Reflect.metadata(REFERENCE, reference);

/** Beside a column: the row with this id is in the same account. */
export const RefersTo = (tables: string | readonly string[], options: Omit<RowReference, 'tables'> = {}) =>
  refersTo({ tables: [tables].flat(), ...options });

/** Beside a column: keys of media in the library of the same account. */
export const MediaKeys = () => refersTo('media');
/** Beside a column: the post with this id. */
export const PostId = () => refersTo('post');
/** Beside a column: the user who did something. The user who imports a file does it now. */
export const ActorId = () => refersTo('actor');
/** Beside a column: the user whom the account promotes or for whom it posts. */
export const PromotedUserId = () => refersTo('promoted user');
/** Beside a column: something else, or a text that only looks like an id. The reason says what an import does with it. */
export const SpecialReference = (_reason: string) => refersTo('special');

/** The target of the ids of a column; undefined if it has none. */
export const referenceOf = (entity: { prototype: object }, property: string) =>
  Reflect.getMetadata(REFERENCE, entity.prototype, property) as Reference | undefined;

/** A text that people write, with any characters. All other texts are ids and words, which responses do not escape. */
export const TextColumn = (options: ColumnOptions = {}) => declareText('any', options);
/** The URL of a web page. */
export const UrlColumn = (options: ColumnOptions = {}) => declareText('url', options);

/** Any characters, or a URL, which responses declare as one. */
export type TextKind = 'any' | 'url';

const declareText =
  (kind: TextKind, options: ColumnOptions): PropertyDecorator =>
  (prototype, property) => {
    Reflect.defineMetadata(TEXT, kind, prototype, property);
    Column({ type: 'varchar', ...options })(prototype, property);
  };

/** The kind of a text that people write; undefined for other columns. */
export const textKindOf = (entity: { prototype: object }, property: string) =>
  Reflect.getMetadata(TEXT, entity.prototype, property) as TextKind | undefined;

/** A value in a column of a row that the API would not have stored there. */
export interface ContentProblem {
  column: string;
  /** The expected value and the value of the column. */
  message: string;
  value?: unknown;
}
