/** What the reference server stores with rows that are made: the history and the events, as the service has them. */

export const recordset = (table: string, parameter: string): string =>
  `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ${parameter})`;

/** A statement that stores rows with their history and events, whose parameters follow on the `last` of the rows. */
export const recorded = (inserts: string[], last: number): string => {
  const all = [...inserts, recordset('account_changes', `$${last + 1}`)];
  return `WITH ${all.map((each, i) => `i${i} AS (${each})`).join(', ')} ${recordset('outgoing_events', `$${last + 2}`)}`;
};

let made = 0;
/** An id in the order of creation. */
export const newId = (): string => Date.now().toString(36) + (made++ % 36 ** 5).toString(36).padStart(5, '0');

/** The two parameters of what was made, with what the history keeps of each. */
export function records(
  account: string,
  entityType: string,
  of: readonly { id: string; entityData: object }[],
  now: string,
): [string, string] {
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
  }));
  const events = history.map(({ id }) => ({ id: newId(), accountId: account, changeId: id, createdAt: now }));
  return [JSON.stringify(history), JSON.stringify(events)];
}
