import type { Bind } from './statement.js';
import type { TableMetadata } from './table-metadata.js';

/** The key of a row: the account that owns it, if one does, and its id. */
export type RowKey<T> = T extends { accountId: string } ? { accountId: string; id: string } : { id: string };

/**
 * Marks a statement that reads rows of an account without naming the account, because the rows of a user, an import or a
 * due time can be anybody's. On a distributed database it asks all servers.
 */
export const OF_ALL_ACCOUNTS = '/* of all accounts */';

/**
 * The condition that rows `r` belong to the accounts of `keys`, followed by AND; empty for tables whose rows no account
 * owns. Each statement about rows of an account has it: the keys of their tables begin with the account, and a row of
 * another account can never match.
 */
export function ofAccounts({ primary }: TableMetadata, keys: readonly object[], bind: Bind): string {
  if (!primary.includes('"accountId"')) return '';
  const accounts = [...new Set((keys as { accountId: string }[]).map(({ accountId }) => accountId))];
  return `r."accountId" = ${accounts.length === 1 ? bind(accounts[0]) : `ANY(${bind(accounts)})`} AND `;
}
