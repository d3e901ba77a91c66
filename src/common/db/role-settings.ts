import pg from 'pg';
import { BoundedClient } from './postgres/bounded-client.js';
import { sessionSettings } from './postgres/session-settings.js';
import { pooledSettings } from './database.js';
import { reachServer } from './reach-server.js';

/**
 * The statements that give the role of a URL what sessions of the service need in its database, for a pooler in
 * transaction mode, to which the service sends no settings. `apply` runs them. An unreachable server is a StartFailure.
 */
export async function roleSettings(databaseUrl: string, { apply = false } = {}): Promise<string[]> {
  await reachServer(databaseUrl, { isPooled: true });
  const settings = pooledSettings(databaseUrl);
  const client = new BoundedClient(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ role: string; database: string }>(
      'SELECT session_user AS role, current_database() AS database',
    );
    const [{ role, database }] = rows;
    const subject = `ALTER ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)}`;
    const statements = [...sessionSettings(settings)].map(
      ([name, value]) => `${subject} SET ${name} = ${pg.escapeLiteral(value)};`,
    );
    if (apply) await client.query(statements.join(' '));
    return statements;
  } finally {
    await client.end().catch(() => undefined);
  }
}
