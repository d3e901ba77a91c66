import type { Command } from 'commander';
import type { AccessLevel, Application } from '../auth/credentials/application.entity.js';
import type { User } from '../auth/credentials/user.entity.js';
import type { Row } from '../common/db/query/rows.js';
import type { KnownToken } from '../auth/credentials/access-token.queries.js';
import { wireTime } from '../common/db/postgres/stored-times.js';
import type { Grant } from '../auth/grants/grant.entity.js';
import type { Scope } from '../auth/credentials/scopes.js';
import { scopeOption, SHOWN_ONCE } from './app.commands.js';
import type { Context, OutputOptions } from './context.js';
import { asListing, listOutput, type ListingOptions, partOf } from './listing.js';
import { findApplication, findToken, findUser } from './lookups.js';
import { choice } from './parsing.js';
import { CommandRefusal, Misuse } from './refusal.js';
import type { Services } from './services.js';
import { fields } from './table.js';
import { ACCESS_LEVEL_CHOICES } from './choices.js';

interface IssueToken extends OutputOptions {
  user: string;
  app: string;
  access?: AccessLevel;
  scope?: Scope[];
}

/** `marquee token ...` */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program
    .command('token')
    .summary('access tokens of applications for users: issue, list, show, revoke')
    .description('Access tokens, with which applications act for users.');
  addIssue(token, context);
  addList(token, context);
  addShow(token, context);
}

/** `token issue`: an access token that authorization flows never return. */
function addIssue(token: Command, context: Context): void {
  token
    .command('issue')
    .summary('issue an access token')
    .description(
      'Issues an access token with which an application acts for a user, without asking the user, and prints it and its ' +
        'secret. The secret is shown only once. With --scope, the tokens are those of OAuth 2.0, as if the user had ' +
        'approved these scopes: they end the earlier ones of the application for the user.',
    )
    .requiredOption('--user <username>', 'the user for whom the application acts')
    .requiredOption('--app <app>', "the application's id, consumer key or name")
    .option(
      '--access <level>',
      'the access level: read or write (default: that of the application)',
      choice(ACCESS_LEVEL_CHOICES),
    )
    .option('--scope <scope>', 'issue tokens of OAuth 2.0 with this scope; may be repeated', scopeOption)
    .option('--json', 'print it as JSON, fit for `request --credentials`')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee app create --name Tool --owner alice --json > app.json\n' +
        '  $ marquee token issue --user alice --app Tool --json > token.json\n' +
        '  $ marquee request GET /12/accounts --credentials app.json --credentials token.json\n' +
        '  $ marquee token issue --user alice --app Tool --scope ads.read --scope offline.access --json',
    )
    .action((options: IssueToken) => {
      if (options.scope && options.access) throw new Misuse('--scope and --access cannot be combined');
      return context.perform(options, async (services) => {
        const user = await findUser(services, options.user);
        const application = await findApplication(services, options.app);
        if (user.suspendedAt)
          throw new CommandRefusal(`the user ${user.username} is suspended; no token works for them`);
        if (options.scope) return issueOAuth2(services, application, user, options.scope);
        const access = options.access ?? application.accessLevel;
        if (access === 'write' && application.accessLevel === 'read')
          throw new CommandRefusal(`the application ${application.name} has read access only; use --access read`);
        const pair = await services.tokens.issue(user.id, application.id, access);
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
      });
    });
}

/** Issues tokens of OAuth 2.0, which the user did not approve on a page. */
async function issueOAuth2(services: Services, application: Application, user: Row<User>, scopes: Scope[]) {
  const { id, name, clientId } = application;
  if (clientId === null)
    throw new CommandRefusal(
      `the application ${name} is not a client of OAuth 2.0; \`marquee app update ${id} --client public\` makes it one`,
    );
  const tokens = await services.operatorTokens.issue({ ...application, clientId }, user.id, scopes);
  const json = { user_id: user.id, username: user.username, application_id: id, client_id: clientId, ...tokens };
  return { json, text: `${fields(json)}\n\nThe tokens are not shown again. Store them now.` };
}

interface ListTokens extends ListingOptions {
  user?: string;
  app?: string;
  revoked?: boolean;
  oauth2?: boolean;
}

/** `token list`: valid access tokens, without secrets. */
function addList(token: Command, context: Context): void {
  asListing(token.command('list'))
    .summary('list access tokens')
    .description(
      'Lists valid access tokens without their secrets, the newest first. With --oauth2, lists the grants of OAuth 2.0 instead: what ' +
        'users allow applications, however many tokens it has.',
    )
    .option('--user <username>', 'only those of this user')
    .option('--app <app>', 'only those of this application: its id, consumer key or name')
    .option('--revoked', 'include revoked ones')
    .option('--oauth2', 'list the grants of OAuth 2.0')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee token list --user alice --app Tool\n  $ marquee token list --oauth2 --user alice',
    )
    .action((options: ListTokens) =>
      context.perform(options, async (services) => {
        const { user, app, revoked, oauth2 } = options;
        const queries = oauth2 ? services.grantQueries : services.tokenQueries;
        const tokens: (KnownToken | Grant)[] = await queries.newest({
          ...partOf(options),
          userId: user === undefined ? undefined : (await findUser(services, user)).id,
          applicationId: app === undefined ? undefined : (await findApplication(services, app)).id,
          withRevoked: revoked,
        });
        const json = await described(services, tokens);
        return listOutput(
          json,
          'token_id',
          options,
          oauth2
            ? 'There are no matching grants of OAuth 2.0.'
            : 'There are no matching access tokens; `marquee token issue` issues one.',
        );
      }),
    );
}

/** `token show`: one access token, valid or revoked. */
function addShow(token: Command, context: Context): void {
  token
    .command('show')
    .summary('show an access token')
    .description(
      'Shows the user, the application, the access level and the state of an access token; of one of OAuth 2.0 the scopes and the ' +
        'state of its grant. Secrets are not shown again.',
    )
    .argument('<token>', 'the access token, or its id')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee token show 2k0hx5m1q9zta')
    .action((given: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const found = await findToken(services, given);
        const [shown] = await described(services, [found]);
        const json = 'key' in found ? { ...shown, access_token: found.key } : shown;
        return { json, text: fields(json) };
      }),
    );
}

/** Tokens, or grants, with the names of their users and applications. */
async function described(services: Services, tokens: (KnownToken | Grant)[]) {
  const [users, applications] = await Promise.all([
    services.users.findByIds([...new Set(tokens.map(({ userId }) => userId))]),
    services.applicationQueries.findByIds([...new Set(tokens.map(({ applicationId }) => applicationId))]),
  ]);
  const usernames = new Map(users.map(({ id, username }) => [id, username]));
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  return tokens.map((each) => ({
    token_id: each.id,
    username: usernames.get(each.userId) ?? null,
    application: names.get(each.applicationId) ?? null,
    ...('scopes' in each
      ? { scopes: each.scopes.join(' '), approved_at: wireTime(each.approvedAt) }
      : { access_level: each.accessLevel, source: each.source, created_at: wireTime(each.createdAt) }),
    revoked_at: wireTime(each.revokedAt),
  }));
}
