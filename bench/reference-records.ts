/** What the reference server stores with rows that are made: the history, which is their webhook events too. */

export const recordset = (table: string, parameter: string): string =>
  `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ${parameter})`;

/** A statement that stores rows with their history, whose parameter follows on the `last` of the rows. */
export const recorded = (inserts: string[], last: number): string =>
  `WITH ${inserts.map((each, i) => `i${i} AS (${each})`).join(', ')} ${recordset('account_changes', `$${last + 1}`)}`;

let made = 0;
/** An id in the order of creation. */
export const newId = (): string => Date.now().toString(36) + (made++ % 36 ** 5).toString(36).padStart(5, '0');

/** The parameter of what was made, with what the history keeps of each. */
export function records(
  account: string,
  entityType: string,
  of: readonly { id: string; entityData: object }[],
  now: string,
): string {
  const history = of.map(({ id, entityData }) => ({
    id: newId(),
    accountId: account,
    entityType,
    entityId: id,
    changeType: 'CREATE',
    changeTime: now,
    userId: '1',
    platform: 'API_OTHER',
    changes: {},
    entityData,
    // takes its place in the index; nobody waits for it
    transactionId: 0,
  }));
  return JSON.stringify(history);
}
