import { invalid } from '../../common/errors/catalogue.js';
import { isObject } from '../../common/is-object.js';
import type { SavedAccount, SavedRow } from './snapshot-file.rules.js';

/** The account that a saved account becomes. */
export interface ImportTarget {
  accountId: string;
  /** The user who imports. */
  userId: string;
  /** The users whose posts the account may promote, the FULL one first. */
  promotableUserIds: readonly string[];
  /** A new id for a row of a table. */
  newIdIn: (table: string) => string;
}

/** The columns that refer to rows of the same account, and the tables of these rows. */
const REFERENCES: Record<string, readonly string[]> = {
  campaignId: ['campaigns'],
  lineItemId: ['line_items'],
  fundingInstrumentId: ['funding_instruments'],
  promotedId: ['promoted_posts', 'promoted_accounts', 'media_creatives'],
  customAudienceId: ['custom_audiences'],
  accountMediaId: ['account_media'],
  cardId: ['cards'],
  scheduledPostId: ['scheduled_posts'],
  audienceId: ['custom_audiences', 'do_not_reach_lists'],
  madeOf: ['custom_audiences'],
};

/** Columns with the user who did something: the user who imports does it now. */
const ACTORS: Record<string, readonly string[]> = {
  scheduled_posts: ['callerId'],
  scheduled_promoted_posts: ['callerId'],
  audience_sizings: ['userId'],
};

/** Columns with somebody whom the account promotes or for whom it posts. */
const PROMOTED: Record<string, readonly string[]> = {
  line_items: ['advertiserUserId'],
  promoted_accounts: ['userId'],
  draft_posts: ['userId'],
  scheduled_posts: ['userId'],
};

/** Columns about the directory of the service that saved the row. */
const OF_DIRECTORY: Record<string, readonly string[]> = {
  audience_sizings: ['matchedTo', 'countedUntil'],
  audience_identifiers: ['users'],
};

type Ids = ReadonlyMap<string, string>;

/**
 * A saved account as another account has it: with new ids, because the ids of most rows are unique in all accounts.
 * Nothing in it refers to rows of others. Throws the 400 of a reference to a row that the file does not have.
 */
export function withNewIds(saved: SavedAccount, place: string, target: ImportTarget): SavedAccount {
  const ids = newIdsOf(saved, target);
  const tables = Object.entries(saved.tables).map(([name, rows]) => {
    const renew = (row: SavedRow, i: number) =>
      renewed(row, { name, at: `${place}.tables.${name}[${i}]`, ids, target });
    return [name, rows.map(renew)] as const;
  });
  return { account_id: target.accountId, tables: Object.fromEntries(tables) };
}

/** The new id of each row, by table. The new ids have the order of the old ones, which is that of lists. */
function newIdsOf({ tables }: SavedAccount, { newIdIn }: ImportTarget): ReadonlyMap<string, Ids> {
  return new Map(
    Object.entries(tables).map(([name, rows]) => {
      const ids = rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).sort();
      return [name, new Map(ids.map((id) => [id, newIdIn(name)]))];
    }),
  );
}

interface Renewal {
  name: string;
  at: string;
  ids: ReadonlyMap<string, Ids>;
  target: ImportTarget;
}

function renewed(row: SavedRow, renewal: Renewal): SavedRow {
  const { name, ids, target } = renewal;
  const result: SavedRow = { ...row };
  if (typeof row.id === 'string') result.id = ids.get(name)!.get(row.id);
  if ('accountId' in row) result.accountId = target.accountId;
  for (const column of Object.keys(REFERENCES)) if (column in row) result[column] = referred(row, column, renewal);
  for (const column of ACTORS[name] ?? []) result[column] = target.userId;
  for (const column of OF_DIRECTORY[name] ?? []) result[column] = null;
  for (const column of PROMOTED[name] ?? []) if (row[column] != null) result[column] = promoted(row[column], target);
  const audiences = ids.get('custom_audiences');
  if (name === 'targeting_criteria' && audiences?.has(row.targetingValue as string))
    result.targetingValue = audiences.get(row.targetingValue as string);
  if (name === 'custom_audiences' && audiences) result.segments = replacedIn(row.segments, audiences);
  if (name === 'library_media')
    result.terms = (row.terms as string[]).map((term) => withPrefix(term, target.accountId));
  return result;
}

/** The new id that a column refers to, or those of a list. */
function referred(row: SavedRow, column: string, { at, ids }: Renewal): unknown {
  const find = (old: unknown): string => {
    const found = REFERENCES[column].map((table) => ids.get(table)?.get(old as string)).find((id) => id !== undefined);
    if (found !== undefined) return found;
    const tables = REFERENCES[column].join(' or ');
    throw invalid(`${at}.${column}`, `Expected the id of a row of ${tables} in the file for ${at}.${column}`, {
      value: old,
    });
  };
  const value = row[column];
  if (value === null) return null;
  return Array.isArray(value) ? value.map(find) : find(value);
}

const promoted = (userId: unknown, { promotableUserIds, userId: importer }: ImportTarget): string =>
  promotableUserIds.includes(userId as string) ? (userId as string) : (promotableUserIds.at(0) ?? importer);

/** Terms of the library begin with the account and a space. */
const withPrefix = (term: string, accountId: string): string =>
  `${accountId}${term.slice(Math.max(0, term.indexOf(' ')))}`;

function replacedIn(value: unknown, ids: Ids): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => replacedIn(each, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replacedIn(each, ids)]));
}
