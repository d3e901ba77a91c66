import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import type { ResetView, SnapshotView } from '../../workbench/snapshots/snapshot.presenter.js';
import { countOf } from '../../common/text/nouns.js';
import { print } from '../context.js';
import { collectValues } from '../parsing.js';
import { CommandRefusal } from '../refusal.js';
import type { ProcessTerminal } from '../terminal.js';
import {
  callOperation,
  deleteCommand,
  descriptionOf,
  listCommand,
  operationCommand,
  operationParametersOf,
  requestOperation,
  type WorkbenchOptions,
} from './operations.js';

interface SnapshotOptions extends WorkbenchOptions {
  account?: string[];
  name?: string;
}

const NAME = { '<name>': 'snapshot_name' };
const ACCOUNTS = { '--account <account>': 'account_ids' };

/** `marquee snapshot save|list|restore|delete|export|import`, and `marquee reset`: known states of the sandbox. */
export function addSnapshotsCommands(program: Command, terminal: ProcessTerminal): void {
  const snapshots = program
    .command('snapshot')
    .summary('saved states of sandbox accounts: save, list, restore, delete, export, import')
    .description(
      'Saves and restores everything that accounts of the sandbox have: campaigns, creatives, audiences and so on. ' +
        'The owner of the application signs, and administers the accounts. The service must have its workbench.',
    );
  const save = operationCommand(snapshots, 'saveSnapshot', {
    name: 'save',
    summary: 'save a snapshot',
    args: NAME,
    examples: ['snapshot save autumn', 'snapshot save autumn --account 18ce54d4x5t'],
  });
  withAccounts(save, 'saveSnapshot').action(async (name: string, options: SnapshotOptions) => {
    const params = { snapshot_name: name, ...operationParametersOf(options, ACCOUNTS) };
    const saved = await callOperation<SnapshotView>('saveSnapshot', options, params);
    print(terminal, options, { json: saved, text: `Saved ${contentOf(saved)}.` });
  });
  listCommand(snapshots, terminal, { operation: 'listSnapshots', noun: 'snapshot', row: rowOf });
  operationCommand(snapshots, 'restoreSnapshot', {
    name: 'restore',
    summary: 'restore a snapshot',
    args: NAME,
    examples: ['snapshot restore autumn'],
  }).action(async (name: string, options: SnapshotOptions) => {
    const restored = await callOperation<SnapshotView>('restoreSnapshot', options, { snapshot_name: name });
    print(terminal, options, { json: restored, text: `Restored ${contentOf(restored)}.` });
  });
  deleteCommand(snapshots, terminal, {
    operation: 'deleteSnapshot',
    noun: 'snapshot',
    argument: '<names...>',
    example: 'autumn',
  });
  addExport(snapshots, terminal);
  addImport(snapshots, terminal);
  addReset(program, terminal);
}

const withAccounts = (command: Command, operation: string): Command =>
  command.option('--account <account>', descriptionOf(operation, 'account_ids'), collectValues);

const withName = (command: Command): Command =>
  command.option('--name <name>', 'the name of the snapshot (default: that of the file, without .json)');

function addExport(snapshots: Command, terminal: ProcessTerminal): void {
  const command = operationCommand(snapshots, 'exportSnapshotFile', {
    name: 'export',
    summary: 'write a snapshot into a file',
    examples: ['snapshot export autumn.json', 'snapshot export - --name autumn'],
    hasJson: false,
  });
  withName(command)
    .argument('<file>', 'the file; - writes to standard output')
    .action(async (file: string, options: SnapshotOptions) => {
      const params = { snapshot_name: nameFor(file, options) };
      const content = await requestOperation('exportSnapshotFile', options, params);
      const text = `${JSON.stringify(content, null, 1)}\n`;
      if (file === '-') return terminal.out(text);
      writeFileSync(file, text);
      terminal.out(`Wrote ${file}.\n`);
    });
}

function addImport(snapshots: Command, terminal: ProcessTerminal): void {
  const command = operationCommand(snapshots, 'importSnapshotFile', {
    name: 'import',
    summary: 'store a file as a snapshot',
    examples: ['snapshot import autumn.json', 'snapshot import autumn.json --account 18ce54d4x5t'],
  });
  withAccounts(withName(command), 'importSnapshotFile')
    .argument('<file>', 'the file; - reads standard input')
    .action(async (file: string, options: SnapshotOptions) => {
      const params = { snapshot_name: nameFor(file, options), ...operationParametersOf(options, ACCOUNTS) };
      const stored = await callOperation<SnapshotView>('importSnapshotFile', options, params, compactJson(file));
      print(terminal, options, { json: stored, text: `Stored ${contentOf(stored)} as ${stored.name}.` });
    });
}

function addReset(program: Command, terminal: ProcessTerminal): void {
  const command = operationCommand(program, 'resetAccountState', {
    name: 'reset',
    summary: 'give sandbox accounts a known state',
    examples: ['reset', 'reset --to EMPTY --account 18ce54d4x5t'],
  });
  const to = new Option('--to <state>', descriptionOf('resetAccountState', 'to')).choices(['DEMO', 'EMPTY']);
  withAccounts(command, 'resetAccountState')
    .addOption(to.default('DEMO'))
    .action(async (options: SnapshotOptions & { to: string }) => {
      const params = { ...operationParametersOf(options, ACCOUNTS), to: options.to };
      const reset = await callOperation<ResetView>('resetAccountState', options, params);
      print(terminal, options, { json: reset, text: `Reset ${reset.account_ids.join(', ')}.` });
    });
}

const contentOf = ({ rows, account_ids }: SnapshotView): string =>
  `${countOf(rows, 'row')} of ${account_ids.join(', ')}`;

const rowOf = ({ name, account_ids, rows, bytes, updated_at: saved }: SnapshotView) => ({
  name,
  accounts: account_ids.join(', '),
  rows,
  bytes,
  saved,
});

/** The name of the snapshot that a file contains. */
function nameFor(file: string, { name }: SnapshotOptions): string {
  if (name !== undefined) return name;
  if (file === '-') throw new CommandRefusal('--name is required, because - has no name');
  return basename(file, '.json');
}

/** The text of a JSON file without its spaces, which count in the size of the request. */
function compactJson(file: string): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandRefusal(`${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw new CommandRefusal(`${file} is not JSON`);
  }
}
