import { chmodSync, closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { CreatedNamespaceView, NamespaceView } from '../../workbench/namespaces/namespace.presenter.js';
import { print } from '../context.js';
import { CommandRefusal } from '../refusal.js';
import { pretty } from '../request/answer.js';
import type { ProcessTerminal } from '../terminal.js';
import {
  callOperation,
  deleteCommand,
  descriptionOf,
  listCommand,
  operationCommand,
  operationParametersOf,
  type WorkbenchOptions,
} from './operations.js';

interface CreateOptions extends WorkbenchOptions {
  output?: string;
}

const CREATE_OPTIONS = { '--ttl <seconds>': 'ttl', '--name <name>': 'name' };

/** `marquee namespaces create|list|extend|delete`: an application, a user and accounts for one run of tests. */
export function addNamespacesCommands(program: Command, terminal: ProcessTerminal): void {
  const namespaces = program
    .command('namespaces')
    .summary('an application, a user and accounts for a run of tests: create, list, extend, delete')
    .description(
      'Namespaces for runs of tests: each has an application, a user, a token, and an account with funding in production and in the ' +
        'sandbox. All of it is deleted when the namespace expires. The owner of an application signs. The service must have its ' +
        'workbench.',
    );
  operationCommand(namespaces, 'createNamespace', {
    name: 'create',
    summary: 'create a namespace and print its credentials',
    options: CREATE_OPTIONS,
    examples: [
      'namespaces create --ttl 1800 --output namespace.json',
      'request GET /12/accounts --credentials namespace.json',
    ],
  })
    .option('-o, --output <file>', 'a new file for the credentials; prints only the id and the expiry')
    .action(async (options: CreateOptions) => create(options, terminal));
  listCommand(namespaces, terminal, { operation: 'listNamespaces', noun: 'namespace', row: rowOf });
  operationCommand(namespaces, 'updateNamespace', {
    name: 'extend',
    summary: 'give a namespace another expiry',
    args: { '<namespace>': 'namespace_id' },
    examples: ['namespaces extend 2k0hx5m1q9zta --ttl 86400'],
  })
    .requiredOption('--ttl <seconds>', descriptionOf('updateNamespace', 'ttl'))
    .action(async (id: string, options: WorkbenchOptions & { ttl: string }) => {
      const changed = await callOperation<NamespaceView>('updateNamespace', options, {
        namespace_id: id,
        ttl: options.ttl,
      });
      print(terminal, options, { json: changed, text: `Namespace ${id} expires at ${changed.expires_at}.` });
    });
  deleteCommand(namespaces, terminal, {
    operation: 'deleteNamespace',
    noun: 'namespace',
    argument: '<namespaces...>',
    example: '2k0hx5m1q9zta',
  });
}

async function create(options: CreateOptions, terminal: ProcessTerminal): Promise<void> {
  // first, because nothing shows the secrets again
  const file = options.output === undefined ? undefined : reserve(options.output);
  let created: CreatedNamespaceView;
  try {
    created = await callOperation('createNamespace', options, operationParametersOf(options, CREATE_OPTIONS));
  } catch (error) {
    if (file !== undefined) rmSync(file, { force: true });
    throw error;
  }
  const text = pretty(JSON.stringify(created));
  if (file === undefined) return terminal.out(text);
  writeFileSync(file, text);
  const { id, expires_at } = created;
  if (options.json) return terminal.out(pretty(JSON.stringify({ id, expires_at, credentials: file })));
  terminal.out(`Namespace ${id} expires at ${expires_at}. Its credentials are in ${file}.\n`);
}

/** Creates the file, which only its owner can read; a Refusal if it exists or cannot be written. */
function reserve(path: string): string {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    // whatever the umask is
    chmodSync(path, 0o600);
    return path;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandRefusal(
      code === 'EEXIST' ? `${path} exists; delete it, or name another file` : `${path} cannot be written: ${message}`,
    );
  }
}

const rowOf = ({ id, name, username, account_id, sandbox_account_id, expires_at }: NamespaceView) => ({
  id,
  name,
  username,
  account: account_id,
  'sandbox account': sandbox_account_id,
  expires: expires_at,
});
