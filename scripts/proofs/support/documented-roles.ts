import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connected } from './creates.js';
import { ROOT } from './paths.js';
import type { Postgres } from './postgres.js';

/** Creates the two roles and a database; then what gives the service its privileges. Both are those of the page. */
const [CREATE_ROLES, GRANT] = documentedStatements();

function documentedStatements(): string[] {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = page.split('### Roles and privileges\n')[1]?.split('\n### ')[0] ?? '';
  const statements = [...section.matchAll(/```sql\n([^`]+)```/g)].map(([, text]) => text);
  if (statements.length !== 2)
    throw new Error('docs/operations.md has no two blocks of SQL under "Roles and privileges"');
  return statements;
}

/** The URL of a database of the server, for a role. */
export function databaseUrlAs(postgres: Postgres, role: string, database: string): string {
  const url = new URL(postgres.url);
  url.username = role;
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates the documented roles, and a database of `marquee_owner` with this name. */
export async function createRoles(postgres: Postgres, database: string): Promise<void> {
  const statements = CREATE_ROLES.replace('CREATE DATABASE marquee ', `CREATE DATABASE ${database} `);
  // one by one: CREATE DATABASE refuses to run beside others
  await connected(postgres.url, async (client) => {
    for (const statement of statements.split(';').filter((each) => each.trim() !== '')) await client.query(statement);
  });
}

/** Runs the documented GRANT statements as whoever the URL names. */
export async function grantPrivileges(databaseUrl: string): Promise<void> {
  await connected(databaseUrl, (client) => client.query(GRANT));
}

/** Runs `marquee migrate`. */
export function runMigrations(databaseUrl: string): void {
  execFileSync(process.execPath, [join(ROOT, 'bin/marquee.mjs'), 'migrate'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The tables and sequences that a connection may not use as the service does, and the rights that it has too many. */
export function wrongPrivileges(databaseUrl: string): Promise<string[]> {
  return connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('public', 'pgboss') AND (NOT has_schema_privilege(n.oid, 'USAGE') OR has_schema_privilege(n.oid, 'CREATE')
          OR c.relkind IN ('r', 'p') AND (has_table_privilege(c.oid, 'TRUNCATE')
            OR NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
              AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')))
          OR c.relkind = 'S' AND NOT (has_sequence_privilege(c.oid, 'SELECT') AND has_sequence_privilege(c.oid, 'USAGE')))`,
    );
    return rows.map(({ name }) => name);
  });
}
