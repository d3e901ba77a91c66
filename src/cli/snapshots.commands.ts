import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import type { NamedCredentials } from './credentials/credentials.js';
import { collect } from './parsing.js';
import { Refusal } from './refusal.js';
import { pretty } from './request/answer.js';
import { table } from './table.js';
import type { ProcessTerminal } from './terminal.js';
import { askWorkbench, withCredentials } from './workbench-request.js';

interface SnapshotOptions extends NamedCredentials {
  json?: boolean;
  account?: string[];
  name?: string;
}

interface ResetOptions extends SnapshotOptions {
  to?: string;
}

/** A snapshot as the service shows it. */
interface Shown {
  name: string;
  account_ids: string[];
  rows: number;
  bytes: number;
  updated_at: string;
}

/** Maximum number of snapshots of an application. */
const MAX_SNAPSHOTS = 20;

/** `marquee snapshot save|list|restore|delete|export|import`, and `marquee reset`: known states of the sandbox. */
export function addSnapshotsCommands(program: Command, terminal: ProcessTerminal): void {
  const snapshots = program
    .command('snapshot')
    .summary('saved states of sandbox accounts: save, list, restore, delete, export, import')
    .description(
      'Saves and restores everything that accounts of the sandbox have: campaigns, creatives, audiences and so on. ' +
        'The owner of the application signs, and administers the accounts. The service must have its workbench.',
    );
  addSave(snapshots, terminal);
  addList(snapshots, terminal);
  addRestore(snapshots, terminal);
  addDelete(snapshots, terminal);
  addExport(snapshots, terminal);
  addImport(snapshots, terminal);
  addReset(program, terminal);
}

const withAccounts = (command: Command): Command =>
  command.option(
    '--account <account>',
    'an account of the sandbox; may be repeated (default: all that you administer)',
    collect,
  );

function addSave(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    withAccounts(
      snapshots
        .command('save')
        .summary('save a snapshot')
        .description('Saves what accounts have under a name. It replaces an earlier snapshot with this name.')
        .argument('<name>', 'letters, digits, dots, hyphens and underscores'),
    ),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee snapshot save autumn\n  $ marquee snapshot save autumn --account 18ce54d4x5t',
    )
    .action(async (name: string, options: SnapshotOptions) => {
      const saved = await one(options, pathOf(name), { method: 'PUT', params: accountsOf(options) });
      terminal.out(options.json ? shownAsJson(saved) : `Saved ${rowsOf(saved)} of ${saved.account_ids.join(', ')}.\n`);
    });
}

function addList(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    snapshots
      .command('list')
      .summary('list snapshots')
      .description('Lists the snapshots of the application, newest first.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee snapshot list')
    .action(async (options: SnapshotOptions) => {
      const { data } = (await askWorkbench(options, 'snapshots', {
        params: { max_results: `${MAX_SNAPSHOTS}` },
      })) as { data: Shown[] };
      if (options.json) return terminal.out(shownAsJson(data));
      const lines = data.map(({ name, account_ids, rows, bytes, updated_at: saved }) => ({
        name,
        accounts: account_ids.join(', '),
        rows,
        bytes,
        saved,
      }));
      terminal.out(`${table(lines, 'There are no snapshots.')(terminal.width ?? Infinity)}\n`);
    });
}

function addRestore(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    snapshots
      .command('restore')
      .summary('restore a snapshot')
      .description('Gives the accounts of a snapshot what they had when it was saved, and removes everything else.')
      .argument('<name>', 'its name'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee snapshot restore autumn')
    .action(async (name: string, options: SnapshotOptions) => {
      const restored = await one(options, `${pathOf(name)}/restore`, { method: 'POST' });
      const text = `Restored ${rowsOf(restored)} of ${restored.account_ids.join(', ')}.\n`;
      terminal.out(options.json ? shownAsJson(restored) : text);
    });
}

function addDelete(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    snapshots
      .command('delete')
      .summary('delete snapshots')
      .description('Deletes snapshots. The accounts stay as they are.')
      .argument('<names...>', 'their names'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee snapshot delete autumn')
    .action(async (names: string[], options: SnapshotOptions) => {
      for (const name of names) await askWorkbench(options, pathOf(name), { method: 'DELETE' });
      const counted = names.length === 1 ? '1 snapshot' : `${names.length} snapshots`;
      terminal.out(options.json ? shownAsJson({ deleted: names }) : `Deleted ${counted}.\n`);
    });
}

function addExport(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    snapshots
      .command('export')
      .summary('write a snapshot into a file')
      .description('Writes a snapshot into a JSON file, which contains no secrets.')
      .argument('<file>', 'the file; - writes to standard output'),
  )
    .option('--name <name>', 'the name of the snapshot (default: that of the file, without .json)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee snapshot export autumn.json\n  $ marquee snapshot export - --name autumn',
    )
    .action(async (file: string, options: SnapshotOptions) => {
      const content = await askWorkbench(options, `${pathOf(nameFor(file, options))}/content`);
      const text = `${JSON.stringify(content, null, 1)}\n`;
      if (file === '-') return terminal.out(text);
      writeFileSync(file, text);
      terminal.out(`Wrote ${file}.\n`);
    });
}

function addImport(snapshots: Command, terminal: ProcessTerminal): void {
  withCredentials(
    snapshots
      .command('import')
      .summary('store a file as a snapshot')
      .description(
        'Stores a file of `export` as a snapshot, which `restore` then restores. With --account the snapshot becomes one of ' +
          'these accounts, in the order of the file, and what it creates there has new ids.',
      )
      .argument('<file>', 'the file; - reads standard input'),
  )
    .option('--name <name>', 'the name of the snapshot (default: that of the file, without .json)')
    .option('--account <account>', 'an account of the sandbox; may be repeated (default: those of the file)', collect)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee snapshot import autumn.json\n  $ marquee snapshot import autumn.json --account 18ce54d4x5t',
    )
    .action(async (file: string, options: SnapshotOptions) => {
      const path = `${pathOf(nameFor(file, options))}/content`;
      const json = compactJson(file);
      const stored = await one(options, path, { method: 'PUT', params: accountsOf(options), json });
      const text = `Stored ${rowsOf(stored)} of ${stored.account_ids.join(', ')} as ${stored.name}.\n`;
      terminal.out(options.json ? shownAsJson(stored) : text);
    });
}

function addReset(program: Command, terminal: ProcessTerminal): void {
  withCredentials(
    withAccounts(
      program
        .command('reset')
        .summary('give sandbox accounts a known state')
        .description('Removes everything that accounts of the sandbox have, and creates a small world there.'),
    ),
  )
    .addOption(
      new Option('--to <state>', 'what the accounts have afterwards').choices(['DEMO', 'EMPTY']).default('DEMO'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee reset\n  $ marquee reset --to EMPTY --account 18ce54d4x5t')
    .action(async (options: ResetOptions) => {
      const params = { ...accountsOf(options), to: options.to! };
      const { data } = (await askWorkbench(options, 'reset', { method: 'POST', params })) as {
        data: { account_ids: string[] };
      };
      terminal.out(options.json ? shownAsJson(data) : `Reset ${data.account_ids.join(', ')}.\n`);
    });
}

async function one(options: SnapshotOptions, path: string, asked: Parameters<typeof askWorkbench>[2]): Promise<Shown> {
  return ((await askWorkbench(options, path, asked)) as { data: Shown }).data;
}

const pathOf = (name: string): string => `snapshots/${encodeURIComponent(name)}`;

const accountsOf = ({ account }: SnapshotOptions): Record<string, string> =>
  account ? { account_ids: account.join(',') } : {};

const rowsOf = ({ rows }: Shown): string => (rows === 1 ? '1 row' : `${rows} rows`);

const shownAsJson = (value: unknown): string => pretty(JSON.stringify(value));

/** The name of the snapshot that a file contains. */
function nameFor(file: string, { name }: SnapshotOptions): string {
  if (name !== undefined) return name;
  if (file === '-') throw new Refusal('--name is required, because - has no name');
  return basename(file, '.json');
}

/** The text of a JSON file without its spaces, which count in the size of the request. */
function compactJson(file: string): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw new Refusal(`${file} is not JSON`);
  }
}
