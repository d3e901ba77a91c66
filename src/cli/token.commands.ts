import type { Command } from 'commander';
import type { AccessLevel } from '../auth/credentials/application.entity.js';
import { SHOWN_ONCE } from './app.commands.js';
import type { Context, OutputOptions } from './context.js';
import { findApplication, findUser } from './lookups.js';
import { oneOf } from './parsing.js';
import { Refusal } from './refusal.js';
import { fields } from './table.js';
import { ACCESS_LEVELS } from './choices.js';

interface IssueToken extends OutputOptions {
  user: string;
  app: string;
  access?: AccessLevel;
}

/** `marquee token ...` */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program
    .command('token')
    .summary('access tokens, with which applications act for users: issue')
    .description('Access tokens: what applications act for users with.');

  /** `token issue`: a pair that no sign-in flow gives out or ends. */
  token
    .command('issue')
    .summary('issue an access token')
    .description(
      'Issues an access token with which an application acts for a user, without asking the user, and prints it and its ' +
        'secret, this once.',
    )
    .requiredOption('--user <username>', 'for whom it acts')
    .requiredOption('--app <app>', "the application's id, consumer key or name")
    .option(
      '--access <level>',
      'what it may do: read or write (default: what the application may)',
      oneOf(ACCESS_LEVELS),
    )
    .option('--json', 'print it as JSON, fit for `request --credentials`')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee app create --name Tool --owner alice --json > app.json\n' +
        '  $ marquee token issue --user alice --app Tool --json > token.json ' +
        '  $ marquee request GET /12/accounts --credentials app.json --credentials token.json',
    )
    .action((options: IssueToken) =>
      context.perform(options, async (services) => {
        const user = await findUser(services, options.user);
        const application = await findApplication(services, options.app);
        const access = options.access ?? application.accessLevel;
        if (user.suspendedAt) throw new Refusal(`the user ${user.username} is suspended; no token works for them`);
        if (access === 'write' && application.accessLevel === 'read')
          throw new Refusal(`the application ${application.name} may only read; --access read is allowed`);
        const pair = await services.credentials.issueToken(user.id, application.id, access);
        const json = {
          user_id: user.id,
          username: user.username,
          application_id: application.id,
          consumer_key: application.consumerKey,
          access_level: access,
          access_token: pair.key,
          access_token_secret: pair.secret,
        };
        return { json, text: `${fields(json)}\n\n${SHOWN_ONCE}` };
      }),
    );
}
