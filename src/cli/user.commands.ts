import type { Command } from 'commander';
import { wireTime } from '../common/db/postgres/stored-times.js';
import type { Context, OutputOptions } from './context.js';
import { asListing, listOutput, type ListingOptions, partOf } from './listing.js';
import { findUser } from './lookups.js';
import { textArgument, username } from './parsing.js';
import { Misuse, CommandRefusal } from './refusal.js';
import { fields } from './table.js';

const MAX_PASSWORD_LENGTH = 1000;

interface CreateUser extends OutputOptions {
  name?: string;
  passwordStdin?: boolean;
  password: boolean;
}

/** `marquee user ...` */
export function addUserCommands(program: Command, context: Context): void {
  const user = program
    .command('user')
    .summary('users: create, list, show, export, password, suspend, restore, delete')
    .description('Users of the platform sign in, own applications, and act on ad accounts.');
  addCreate(user, context);
  addList(user, context);
  addShow(user, context);
  addExport(user, context);
}

/** `user create`: creates a user. */
function addCreate(user: Command, context: Context): void {
  user
    .command('create')
    .summary('create a user')
    .description(
      'Creates a user. On a terminal the command prompts for the password. Without a password the user cannot sign in, but ' +
        'tokens can be issued.',
    )
    .argument('<username>', '1 to 30 letters, digits and underscores; unique, case-insensitive', username)
    .option('--name <name>', 'the display name (default: the username)', textArgument(50))
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-password', 'do not ask for a password')
    .option('--json', 'print user_id, username and name as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee user create alice --name "Alice Example" --password-stdin < password.txt',
    )
    .action(async (username: string, options: CreateUser) => {
      if (options.passwordStdin && !options.password)
        throw new Misuse('--password-stdin and --no-password cannot be combined');
      const password = options.password ? await context.terminal.password(options.passwordStdin ?? false) : undefined;
      if (password !== undefined && (password === '' || password.length > MAX_PASSWORD_LENGTH))
        throw new CommandRefusal(`a password must have 1 to ${MAX_PASSWORD_LENGTH} characters`);
      await context.perform(options, async ({ users }) => {
        const { id, name } = await users.create(username, { name: options.name, password });
        const json = { user_id: id, username, name };
        return { json, text: fields({ ...json, 'sign-in': password === undefined ? 'no password' : 'with password' }) };
      });
    });
}

interface ListUsers extends ListingOptions {
  name?: string;
  withAccess?: boolean;
}

/** `user list`: all users. */
function addList(user: Command, context: Context): void {
  asListing(user.command('list'))
    .summary('list users')
    .description(
      'Lists users who can sign in, the newest first, then users who cannot, such as those of a directory import.',
    )
    .option('--name <beginning>', 'only those whose username or name has this prefix, case-insensitive', textArgument())
    .option('--with-access', 'only those with a role on an ad account')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee user list --count 20\n  $ marquee user list --name ali --with-access',
    )
    .action((options: ListUsers) =>
      context.perform(options, async ({ administration }) => {
        const { name, withAccess } = options;
        const users = await administration.newestUsers({ ...partOf(options), name, withAccess });
        if (!users) throw new CommandRefusal(`--before ${options.before}: there is no user with this id`);
        const { canSignIn } = await import('../accounts/administration.service.js');
        const isFiltered = name !== undefined || withAccess;
        const json = users.map((user) => ({
          user_id: user.id,
          username: user.username,
          name: user.name,
          can_sign_in: canSignIn(user),
          suspended: user.suspendedAt !== null,
          created_at: wireTime(user.createdAt),
        }));
        return listOutput(
          json,
          'user_id',
          options,
          isFiltered ? 'There are no matching users.' : 'There are no users; `marquee user create` creates one.',
        );
      }),
    );
}

/** `user show`: a user with their storage usage. */
function addShow(user: Command, context: Context): void {
  user
    .command('show')
    .summary('show a user')
    .description('Shows a user and the bytes of uploads and media that they store.')
    .argument('<username>', 'a username')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee user show alice')
    .action((who: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const found = await findUser(services, who);
        const usage = await services.quotas.usageOf(found.id, ['UNFINISHED_UPLOAD_BYTES', 'USER_MEDIA_BYTES']);
        const json = {
          user_id: found.id,
          username: found.username,
          name: found.name,
          suspended: found.suspendedAt !== null,
          created_at: wireTime(found.createdAt),
          unfinished_upload_bytes: usage.UNFINISHED_UPLOAD_BYTES.used,
          unfinished_upload_bytes_limit: usage.UNFINISHED_UPLOAD_BYTES.limit,
          media_bytes: usage.USER_MEDIA_BYTES.used,
          media_bytes_limit: usage.USER_MEDIA_BYTES.limit,
        };
        return { json, text: fields(json) };
      }),
    );
}

interface ExportUser extends OutputOptions {
  out?: string;
}

/** `user export`: all data about a user, for a request for access. */
function addExport(user: Command, context: Context): void {
  user
    .command('export')
    .summary('export all data about a user as JSON')
    .description(
      'Prints all data about a user as one JSON document: profile, applications, tokens, sign-in flows and sessions ' +
        'without secrets, the directory entry with traits, follows and hashed identifiers, roles, posts, drafts, scheduled posts, ' +
        'and media. The history of ad accounts, their audiences and the files of media are not part of it.',
    )
    .argument('<username>', 'a username, or the id of a user')
    .option(
      '--out <file>',
      'write it to a new file; a running service on the embedded store must be able to create it',
      textArgument(),
    )
    .option('--json', 'with --out: print the path and the size of the file as JSON; the document is always JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee user export alice\n  $ marquee user export alice --out alice.json')
    .action((who: string, { out, json }: ExportUser) =>
      // without --out the document itself is printed, with and without --json
      context.perform({ json: json && out !== undefined }, async (services) => {
        const found = await findUser(services, who);
        const { printedExport, writeExport } = await import('./user-export.js');
        if (out === undefined) return { json: null, text: await printedExport(services, found) };
        const file = context.terminal.path(out);
        const bytes = await writeExport(services, found, file);
        return {
          json: { user_id: found.id, username: found.username, file, bytes },
          text: `Everything kept about ${found.username} is in ${file} (${bytes} bytes). It is personal data: keep it safe.`,
        };
      }),
    );
}
