import type { Command } from 'commander';
import { readConfig } from '../config/config.js';
import { type OutputOptions, print } from './context.js';
import { Refusal } from './refusal.js';
import type { Terminal } from './terminal.js';

interface DatabaseSettings extends OutputOptions {
  apply?: boolean;
}

const NEXT =
  '-- Connections that the pooler opened before keep their settings: run RECONNECT in the console of PgBouncer.';

/** `marquee database ...`: what the server of DATABASE_URL needs. */
export function addDatabaseCommands(program: Command, terminal: Terminal): void {
  const database = program
    .command('database')
    .summary('the PostgreSQL server: settings')
    .description('The PostgreSQL server of DATABASE_URL.');

  /** `database settings`: the session settings as settings of the role. */
  database
    .command('settings')
    .summary('print or apply the settings of the role, for a pooler in transaction mode')
    .description(
      'Prints the ALTER ROLE statements that give the role of DATABASE_URL the session settings of the service, in its ' +
        'database. A pooler in transaction mode needs them. With --apply it also runs them, as that role.',
    )
    .option('--apply', 'run the statements')
    .option('--json', 'print the statements as a JSON array')
    .addHelpText('after', '\nExamples:\n  $ marquee database settings\n  $ marquee database settings --apply')
    .action(async ({ apply, ...options }: DatabaseSettings) => {
      const { databaseUrl } = readConfig();
      if (!databaseUrl) throw new Refusal('DATABASE_URL is not set; the embedded store needs no settings');
      const { roleSettings } = await import('../common/db/role-settings.js');
      const statements = await roleSettings(databaseUrl, { apply });
      print(terminal, options, { json: statements, text: [...statements, ...(apply ? [NEXT] : [])].join('\n') });
    });
}
