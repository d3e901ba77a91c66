import pg from 'pg';
import type { World } from '../../../bench/world.js';
import type { Entry } from './load/log.js';
import type { LoadRequest } from './load/task.js';
import { atMost, type Figure, noted } from './table.js';

/** Creates in all accounts that are written to, each under a name of its own. */
export function creates({ written }: Pick<World, 'written'>, name: string): LoadRequest[] {
  return written.map(({ id, fundingId }) => ({
    method: 'POST',
    target: `/12/accounts/${id}/campaigns?funding_instrument_id=${fundingId}&name=${encodeURIComponent(name)}%20{n}&entity_status=PAUSED&daily_budget_amount_local_micro=5500000`,
    keepsId: true,
  }));
}

/** Asks a store, whichever it is. */
export type Query = (text: string, values: unknown[]) => Promise<unknown[]>;

/** Asks a PostgreSQL. */
export const onPostgres = <T>(connectionString: string, work: (query: Query) => Promise<T>): Promise<T> =>
  connected(connectionString, (client) =>
    work(async (text, values) => (await client.query(text, values)).rows as unknown[]),
  );

/** Works on one connection to a PostgreSQL. */
export async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Stored {
  name: string;
  id: string;
  records: number;
  events: number;
}

/** Whether what was acknowledged is stored, and nothing twice or by halves. */
export async function stored(query: Query, name: string, entries: Entry[]): Promise<Figure[]> {
  const rows = (await query(
    `SELECT c.name, c.id, count(DISTINCT h.id)::int AS records, count(h."transactionId")::int AS events
      FROM campaigns c LEFT JOIN account_changes h ON h."entityId" = c.id AND h."changeType" = 'CREATE'
      WHERE c.name LIKE $1 GROUP BY c.name, c.id`,
    [`${name} %`],
  )) as Stored[];
  const ids = new Map(rows.map(({ name: campaign, id }) => [campaign, id]));
  const acknowledged = entries.filter(({ status, id }) => status === 201 && id !== '');
  const lost = acknowledged.filter(({ n, id }) => ids.get(`${name} ${n}`) !== id).length;
  const halves = rows.filter(({ records, events }) => records !== 1 || events !== 1).length;
  return [
    noted('creates acknowledged, stored', `${acknowledged.length}, ${rows.length}`),
    atMost('acknowledged and lost', lost, 0),
    atMost('stored twice', rows.length - ids.size, 0),
    atMost('stored without exactly one record and one event', halves, 0),
  ];
}
