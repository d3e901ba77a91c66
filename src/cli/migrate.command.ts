import type { Command } from 'commander';
import type { Context, OutputOptions } from './context.js';

/** `marquee migrate`: migrates the database of DATABASE_URL, or the embedded store. */
export function addMigrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .summary('run pending migrations')
    .description(
      'Runs pending migrations and prints their names. The store is the server of DATABASE_URL or the embedded store in ' +
        'DATA_DIR. Concurrent runs are safe: each migration runs once.',
    )
    .option('--json', 'print the names as a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee migrate')
    .action((options: OutputOptions) =>
      context.migrate(options, (names) => ({
        json: names,
        text: names.length > 0 ? names.join('\n') : 'The schema is up to date.',
      })),
    );
}
