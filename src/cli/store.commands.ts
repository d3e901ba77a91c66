import type { Command } from 'commander';
import { type Context, type OutputOptions, print } from './context.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CREDENTIALS_FILE } from '../demo/credentials-file.js';
import { CommandRefusal } from './refusal.js';
import { readConfig } from '../config/config.js';
import type { Terminal } from './terminal.js';
import { addAccountAppCommands } from './account-app.commands.js';
import { addAccountCommands } from './account.commands.js';
import { addAppCommands } from './app.commands.js';
import { addCredentialsCommands } from './credentials.commands.js';
import { addCuratedCategoryCommands } from './curated-category.commands.js';
import { addDirectoryCommands } from './directory.commands.js';
import { addFundingCommands } from './funding.commands.js';
import { addPixelCommands } from './pixel.commands.js';
import { addPublisherCommands } from './publisher.commands.js';
import { addReferenceCommands } from './reference.commands.js';
import { addRemovalCommands } from './removal.commands.js';
import { addStatsCommand } from './stats/stats.command.js';
import { addTokenCommands } from './token.commands.js';
import { addUserCommands } from './user.commands.js';
import { webhookGroup, addWebhookCommands, addWebhookTrigger } from './webhook.commands.js';

/** The commands that need the store; a running service runs them for other processes. */
export function addStoreCommands(program: Command, context: Context): void {
  program.commandsGroup('Store:');
  addMigrateCommand(program, context);
  addDemoCommand(program, context);
  addBlobsCommands(program, context);
  program.commandsGroup('Administration:');
  addUserCommands(program, context);
  addAppCommands(program, context);
  addTokenCommands(program, context);
  addCredentialsCommands(program, context);
  addAccountCommands(program, context);
  addRemovalCommands(program, context);
  addAccountAppCommands(program, context);
  addPixelCommands(program, context);
  addFundingCommands(program, context);
  addStatsCommand(program, context);
  addDirectoryCommands(program, context);
  addReferenceCommands(program, context);
  addPublisherCommands(program, context);
  addCuratedCategoryCommands(program, context);
  const webhook = webhookGroup(program);
  addWebhookCommands(webhook, context);
  addWebhookTrigger(webhook, context);
}

/** `marquee migrate`: migrates the database of DATABASE_URL, or the embedded store. */
function addMigrateCommand(program: Command, context: Context): void {
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

/** `marquee demo`: creates the demo data in an empty store. */
function addDemoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .summary('fill an empty store with the demo data')
    .description(
      'Fills an empty store with the demo data and prints the path of its keys and secrets. A store that is in use does ' +
        'not change. Not available in production mode, because the file contains secrets.',
    )
    .option('--json', 'print {"credentials": <path>}')
    .addHelpText('after', '\nExample:\n  $ marquee demo')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ app, config }) => {
        if (config.production)
          throw new CommandRefusal('the demo stores secrets in a file, and is not available in production mode');
        const { seedDemo } = await import('../demo/demo.js');
        const path = join(config.dataDir, CREDENTIALS_FILE);
        if (!(await seedDemo(app, config))) {
          const hint = existsSync(path) ? `; the credentials of its demo are in ${path}` : '';
          throw new CommandRefusal(`the store is not empty, and the demo requires an empty one${hint}`);
        }
        return { json: { credentials: path }, text: `The demo data is ready. Its credentials are in ${path}` };
      }),
    );
}

/** `marquee blobs ...` */
function addBlobsCommands(program: Command, context: Context): void {
  const blobs = program
    .command('blobs')
    .summary('the files of media: adopt')
    .description('The files of media, which all replicas share.');
  blobs
    .command('adopt')
    .summary('declare the folder in DATA_DIR the shared one')
    .description(
      'Declares the folder in DATA_DIR the one that all replicas must share when they start. Needed only after the files were ' +
        'moved without the hidden file .marker, or were lost. Files that are not in the folder stay lost.',
    )
    .option('--json', 'print the folder as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee blobs adopt')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ app }) => {
        const [{ DataSource }, { adoptFolder }, { BlobStore }, { DiskBlobStore }] = await Promise.all([
          import('typeorm'),
          import('../common/blobs/blob-folder.js'),
          import('../common/blobs/blob-store.js'),
          import('../common/blobs/disk-blob-store.js'),
        ]);
        const store = app.get(BlobStore);
        if (!(store instanceof DiskBlobStore))
          throw new CommandRefusal('BLOB_STORE is s3: all replicas share its bucket.');
        await store.prepare();
        await adoptFolder(app.get(DataSource), store);
        return {
          json: { folder: store.folder },
          text: `All replicas must have access to the files in ${store.folder}.`,
        };
      }),
    );
}

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
      if (!databaseUrl) throw new CommandRefusal('DATABASE_URL is not set; the embedded store needs no settings');
      const { roleSettings } = await import('../common/db/role-settings.js');
      const statements = await roleSettings(databaseUrl, { apply });
      print(terminal, options, { json: statements, text: [...statements, ...(apply ? [NEXT] : [])].join('\n') });
    });
}
