import type { Command } from 'commander';
import type { AccessLevel, ClientType } from '../auth/credentials/application.entity.js';
import type { Scope } from '../auth/credentials/scopes.js';
import { oauth2FieldsOf, SHOWN_ONCE, withClientOptions } from './app.commands.js';
import type { Context, OutputOptions } from './context.js';
import { findApplication, findToken, findUser } from './lookups.js';
import { callback, choice, textArgument } from './parsing.js';
import { Misuse, CommandRefusal } from './refusal.js';
import { fields } from './table.js';
import { ACCESS_LEVEL_CHOICES, SCOPE_CHOICES } from './choices.js';

const MAX_PASSWORD_LENGTH = 1000;

/** Adds `keys rotate`, `app update`, `token revoke` and `user password` to the program. */
export function addCredentialsCommands(program: Command, context: Context): void {
  addAppUpdate(group(program, 'app'), context);
  addTokenRevoke(group(program, 'token'), context);
  addUserPassword(group(program, 'user'), context);
  const keys = program
    .command('keys')
    .summary('the master key: rotate')
    .description('The master key under which secrets are stored.');
  addKeysRotate(keys, context);
}

const group = (program: Command, name: string): Command =>
  program.commands.find((each) => each.name() === name) ?? program.command(name);

/** `keys rotate`: seals all secrets again with the current key. */
function addKeysRotate(keys: Command, context: Context): void {
  keys
    .command('rotate')
    .summary('seal all stored secrets under the current MASTER_KEY')
    .description(
      'Seals and indexes every stored secret again with the current MASTER_KEY while the service runs. All tokens keep working. ' +
        'First every process must know both keys: add the new one to PREVIOUS_MASTER_KEYS, restart all processes in turn, then ' +
        'make it MASTER_KEY with the old one in PREVIOUS_MASTER_KEYS and restart again. Remove the old key after the rotation.',
    )
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee keys rotate')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ keyRotation }) => {
        const { rows, retired, inUse } = await keyRotation.rotate();
        if (inUse.length > 0) {
          throw new CommandRefusal(
            `all secrets are sealed again, but a running process still seals under key ${inUse.join(', ')}: ` +
              'give it the new MASTER_KEY, then rotate again',
          );
        }
        const sealed = Object.entries(rows).map(([table, count]) => `${table}: ${count} rows sealed again`);
        const done = retired.length > 0 ? `Key ${retired.join(', ')} is no longer needed.` : 'No other key was in use.';
        return { json: { rows, retired }, text: [...sealed, done].join('\n') };
      }),
    );
}

interface UpdateApp extends OutputOptions {
  name?: string;
  callback?: string[];
  callbacks: boolean;
  access?: AccessLevel;
  signIn?: boolean;
  desktop?: boolean;
  client?: ClientType;
  scope?: Scope[];
}

/** `app update`: changes the settings of an application. */
function addAppUpdate(app: Command, context: Context): void {
  withClientOptions(app.command('update'))
    .summary("change an application's callbacks, access and switches")
    .description('Changes the given settings of an application. Changes apply at once, in every replica.')
    .argument('<app>', 'its id, consumer key or name')
    .option('--name <name>', 'the name that users see when they are asked to approve it', textArgument())
    .option('--callback <url>', 'a callback URL, replacing all existing ones; may be repeated, up to ten', callback)
    .option('--no-callbacks', 'remove all callback URLs')
    .option('--access <level>', 'the highest access level of its tokens: read or write', choice(ACCESS_LEVEL_CHOICES))
    .option('--sign-in', 'oauth/authenticate does not ask users who approved it before')
    .option('--no-sign-in', 'oauth/authenticate always asks')
    .option('--desktop', 'it has no server of its own: PIN flow only')
    .option('--no-desktop', 'it has callback URLs')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee app update Tool --callback https://tool.example/back --sign-in\n  $ marquee app update Tool --access read --no-callbacks',
    )
    .action((given: string, options: UpdateApp) => {
      if (options.callback && !options.callbacks) throw new Misuse('--callback and --no-callbacks cannot be combined');
      return context.perform(options, async (services) => {
        const { id, clientType, clientScopes } = await findApplication(services, given);
        const type = options.client ?? clientType;
        if (options.scope && !type) throw new Misuse('--scope needs --client');
        const scopes = options.scope ?? (clientType ? (clientScopes as Scope[]) : SCOPE_CHOICES);
        const identity =
          type && (options.client ?? options.scope)
            ? await services.applications.setClient(id, type, scopes)
            : undefined;
        const after = await services.applications.update(id, {
          name: options.name,
          accessLevel: options.access,
          callbacks: options.callbacks ? options.callback : [],
          signIn: options.signIn,
          desktop: options.desktop,
        });
        if (!after) throw new CommandRefusal(`the application ${given} no longer exists`);
        const json = {
          application_id: after.id,
          name: after.name,
          access_level: after.accessLevel,
          callbacks: after.callbacks,
          sign_in: after.signIn,
          desktop: after.desktop,
          ...oauth2FieldsOf(after, identity),
        };
        return { json, text: identity?.clientSecret ? `${fields(json)}\n\n${SHOWN_ONCE}` : fields(json) };
      });
    });
}

/** `token revoke`: revokes an access token. */
function addTokenRevoke(token: Command, context: Context): void {
  token
    .command('revoke')
    .summary('revoke an access token')
    .description(
      'Revokes an access token. Requests with it are refused at once, in every replica. With a token of OAuth 2.0, or the id of its ' +
        'grant, all tokens of that grant end.',
    )
    .argument('<token>', 'the access token, or its id')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee token revoke 2k0hx5m1q9zta')
    .action((given: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const found = await findToken(services, given);
        const isGrant = 'scopes' in found;
        const isRevoked = await (isGrant ? services.grants.revokeOne(found.id) : services.tokens.revoke(found.key));
        if (!isRevoked) throw new CommandRefusal('this access token is already revoked');
        const json = isGrant ? { token_id: found.id, revoked: true } : { access_token: found.key, revoked: true };
        return { json, text: isGrant ? 'The tokens of the grant are revoked.' : 'The access token is revoked.' };
      }),
    );
}

interface SetPassword extends OutputOptions {
  passwordStdin?: boolean;
}

/** `user password`: sets a password and ends all sessions of the user. */
function addUserPassword(user: Command, context: Context): void {
  user
    .command('password')
    .summary('set the password of a user')
    .description(
      'Sets the password of a user and signs them out everywhere. On a terminal the command prompts for it. Access tokens ' +
        'stay valid.',
    )
    .argument('<username>', 'a username')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print user_id and username as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee user password alice\n  $ marquee user password alice --password-stdin < password.txt',
    )
    .action(async (given: string, options: SetPassword) => {
      const password = (await context.terminal.password(options.passwordStdin ?? false)) ?? '';
      if (password === '' || password.length > MAX_PASSWORD_LENGTH)
        throw new CommandRefusal(`a password must have 1 to ${MAX_PASSWORD_LENGTH} characters`);
      await context.perform(options, async (services) => {
        const { id, username } = await findUser(services, given);
        await services.signIn.changePassword(id, password);
        return { json: { user_id: id, username }, text: `The password of ${username} is set.` };
      });
    });
}
