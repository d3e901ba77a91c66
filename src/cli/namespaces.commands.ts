import { chmodSync, closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { NamedCredentials } from './credentials/credentials.js';
import { Refusal } from './refusal.js';
import { pretty } from './request/answer.js';
import { table } from './table.js';
import type { ProcessTerminal } from './terminal.js';
import { askWorkbench, withCredentials } from './workbench-request.js';

interface NamespacesOptions extends NamedCredentials {
  json?: boolean;
}

interface CreateOptions extends NamespacesOptions {
  name?: string;
  ttl?: string;
  output?: string;
}

/** A namespace as the service shows it. */
interface Shown {
  id: string;
  name: string;
  username: string;
  account_id: string;
  sandbox_account_id: string;
  expires_at: string;
}

/** Maximum number of namespaces of an application. */
const MAX_NAMESPACES = 200;

/** `marquee namespaces create|list|delete`: an application, a user and accounts for one run of tests. */
export function addNamespacesCommands(program: Command, terminal: ProcessTerminal): void {
  const namespaces = program
    .command('namespaces')
    .summary('an application, a user and accounts for a run of tests: create, list, delete')
    .description(
      'Namespaces for runs of tests: each has an application, a user, a token, and an account with funding in production and in the ' +
        'sandbox. All of it is deleted when the namespace expires. The owner of an application signs. The service must have its ' +
        'workbench.',
    );
  addCreate(namespaces, terminal);
  addList(namespaces, terminal);
  addDelete(namespaces, terminal);
}

function addCreate(namespaces: Command, terminal: ProcessTerminal): void {
  withCredentials(
    namespaces
      .command('create')
      .summary('create a namespace')
      .description(
        'Creates a namespace and prints its credentials, or writes them to a file that only its owner can read. Other commands take ' +
          'that file as --credentials. Nothing shows the secrets again.',
      )
      .option('--ttl <seconds>', 'time until the namespace is deleted (default: an hour)')
      .option('--name <name>', 'the name of the namespace')
      .option('-o, --output <file>', 'a new file for the credentials; prints only the id and the expiry'),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee namespaces create --ttl 1800 --output namespace.json\n  $ marquee request GET /12/accounts --credentials namespace.json',
    )
    .action(async (options: CreateOptions) => create(options, terminal));
}

async function create({ name, ttl, output, ...options }: CreateOptions, terminal: ProcessTerminal): Promise<void> {
  // first, because nothing shows the secrets again
  const file = output === undefined ? undefined : reserve(output);
  const params = { ...(name !== undefined && { name }), ...(ttl !== undefined && { ttl }) };
  let created: Shown;
  try {
    const answer = (await askWorkbench(options, 'namespaces', { method: 'POST', params })) as { data: Shown };
    created = answer.data;
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
    throw new Refusal(
      code === 'EEXIST' ? `${path} exists; delete it, or name another file` : `${path} cannot be written: ${message}`,
    );
  }
}

function addList(namespaces: Command, terminal: ProcessTerminal): void {
  withCredentials(
    namespaces
      .command('list')
      .summary('list namespaces')
      .description('Lists the namespaces of the application, newest first, without their secrets.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee namespaces list')
    .action(async (options: NamespacesOptions) => {
      const params = { max_results: `${MAX_NAMESPACES}` };
      const { data } = (await askWorkbench(options, 'namespaces', { params })) as { data: Shown[] };
      if (options.json) return terminal.out(pretty(JSON.stringify(data)));
      terminal.out(`${table(data.map(rowOf), 'There are no namespaces.')(terminal.width ?? Infinity)}\n`);
    });
}

const rowOf = ({ id, name, username, account_id, sandbox_account_id, expires_at }: Shown) => ({
  id,
  name,
  username,
  account: account_id,
  'sandbox account': sandbox_account_id,
  expires: expires_at,
});

function addDelete(namespaces: Command, terminal: ProcessTerminal): void {
  withCredentials(
    namespaces
      .command('delete')
      .summary('delete namespaces')
      .description('Deletes namespaces with all that is in them. Their credentials end at once.')
      .argument('<namespaces...>', 'their ids'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee namespaces delete 2k0hx5m1q9zta')
    .action(async (ids: string[], options: NamespacesOptions) => {
      for (const id of ids) await askWorkbench(options, `namespaces/${encodeURIComponent(id)}`, { method: 'DELETE' });
      const counted = ids.length === 1 ? '1 namespace' : `${ids.length} namespaces`;
      terminal.out(options.json ? pretty(JSON.stringify({ deleted: ids })) : `Deleted ${counted}.\n`);
    });
}
