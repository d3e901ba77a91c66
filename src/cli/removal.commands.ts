import type { Command } from 'commander';
import type { Application } from '../auth/credentials/application.entity.js';
import type { EndedAccess } from '../auth/user-removal/user-removal.service.js';
import type { Context, OutputOptions } from './context.js';
import { findAccount, findAdministrator, findApplication, findUser } from './lookups.js';
import { CommandRefusal } from './refusal.js';

interface ConfirmOptions extends OutputOptions {
  yes?: boolean;
  by?: string;
}

const YES = 'delete it; without this option, the command only says what it would delete';

/** `user suspend`, `user restore`, `user delete`, `app delete` and `account delete`, beside whatever their groups have already. */
export function addRemovalCommands(program: Command, context: Context): void {
  addSuspend(group(program, 'user'), context);
  addRestore(group(program, 'user'), context);
  addDeleteUser(group(program, 'user'), context);
  addDeleteApp(group(program, 'app'), context);
  addDeleteAccount(group(program, 'account'), context);
}

const group = (program: Command, name: string): Command =>
  program.commands.find((each) => each.name() === name) ?? program.command(name);

/** `user suspend`: nobody can act as the user until `user restore`. */
function addSuspend(user: Command, context: Context): void {
  user
    .command('suspend')
    .summary('refuse the sign-in and the requests of a user')
    .description(
      'Suspends a user: their sign-in and every request with one of their access tokens are refused at once, in every replica ' +
        '(401). Their sessions end. Nothing else is removed, and estimates and audiences do not count them. ' +
        '`user restore` ends the suspension; their tokens are valid again then.',
    )
    .argument('<username>', 'a username, or the id of a user')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee user suspend alice')
    .action((who: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { id, username } = await findUser(services, who);
        const ended = await services.removal.suspendUser(id);
        if (ended === undefined) throw new CommandRefusal(`the user ${username} is already suspended`);
        return {
          json: { user_id: id, username, suspended: true, ended_sessions: ended },
          text:
            `The user ${username} is suspended; ended sessions: ${ended}. Their tokens, posts and roles stay, but are refused or ` +
            `unused until then. \`marquee user restore ${username}\` ends the suspension.`,
        };
      }),
    );
}

/** `user restore`: ends a suspension. */
function addRestore(user: Command, context: Context): void {
  user
    .command('restore')
    .summary('end the suspension of a user')
    .description(
      'Ends the suspension of a user. Their password and access tokens are valid again at once; sessions are not.',
    )
    .argument('<username>', 'a username, or the id of a user')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee user restore alice')
    .action((who: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { id, username } = await findUser(services, who);
        if (!(await services.removal.restoreUser(id)))
          throw new CommandRefusal(`the user ${username} is not suspended`);
        return {
          json: { user_id: id, username, suspended: false },
          text: `The user ${username} is no longer suspended. Their password and access tokens are valid again.`,
        };
      }),
    );
}

/** `user delete`: a user ends, and all that is kept of them. */
function addDeleteUser(user: Command, context: Context): void {
  user
    .command('delete')
    .summary('delete a user and their data')
    .description(
      'Deletes a user for good. Ended at once, in every replica: sign-in, sessions and access tokens. Removed by a background ' +
        'job: the username and the name, posts, drafts and scheduled posts, roles on ad accounts, the entry in the directory, the ' +
        'people of audiences who are this user, and mentions of the username. Kept: the id of the user, because history, posts ' +
        'and promotions name it; ad accounts, applications and media in libraries, because others use them. The only ' +
        'administrator of an ad account cannot be deleted.',
    )
    .argument('<username>', 'a username, or the id of a user')
    .option('--yes', YES)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee user delete alice --yes')
    .action((who: string, { yes, ...options }: ConfirmOptions) =>
      context.perform(options, async (services) => {
        const { id, username } = await findUser(services, who);
        await services.userRemoval.check(id);
        if (!yes) throw notConfirmed(`the user ${username} (${id}) would be permanently deleted with all their data`);
        const ended = await services.userRemoval.delete(id);
        if (!ended) throw new CommandRefusal(`the user ${username} no longer exists`);
        const applications = await services.applicationQueries.listOwnedBy(id);
        const { sessions, accessTokens, grants } = ended;
        return {
          json: {
            user_id: id,
            deleted: true,
            ended_sessions: sessions,
            ended_access_tokens: accessTokens,
            ended_grants: grants,
            applications: applications.map((application) => application.id),
          },
          text: deletedUser(id, ended, applications),
        };
      }),
    );
}

/** The removed access, and the rest with the reason. It names the user by the id: terminals keep what they print. */
function deletedUser(id: string, { sessions, accessTokens, grants }: EndedAccess, applications: Application[]): string {
  const remaining = applications.map((application) => application.id).join(', ');
  return (
    `The user ${id} is deleted. Ended sessions: ${sessions}; access tokens: ${accessTokens}; grants: ${grants}.\n` +
    'A background job removes within minutes: the username and the name, posts, drafts and scheduled posts, roles on ad accounts, ' +
    'the entry in the directory, the people of audiences who are this user, and mentions of the username.\n' +
    'Kept: the id, because history, posts and promotions name it; ad accounts and media in their libraries, because they ' +
    'belong to the accounts; backups and logs, until they expire.' +
    (remaining && `\nTheir applications still work for other users: ${remaining}. \`marquee app delete\` deletes them.`)
  );
}

/** `app delete`: an application ends with its tokens and webhooks. */
function addDeleteApp(app: Command, context: Context): void {
  app
    .command('delete')
    .summary('delete an application with its tokens and webhooks')
    .description(
      'Deletes an application for good. Removed: its consumer key and secret, callbacks, access tokens, bearer token, sign-in flows, ' +
        'webhooks and subscriptions; all of them are refused at once, in every replica. Kept: its name and owner, marked deleted, ' +
        'and the record of its ended tokens and deliveries, because history and logs name its id. What it created in ad accounts ' +
        'belongs to these accounts and stays.',
    )
    .argument('<app>', 'its id, consumer key or name')
    .option('--yes', YES)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee app delete Tool --yes')
    .action((given: string, { yes, ...options }: ConfirmOptions) =>
      context.perform(options, async (services) => {
        const application = await findApplication(services, given);
        const { id, name } = application;
        if (!yes) {
          const { length } = await services.webhooks.list(id);
          throw notConfirmed(
            `the application ${name} (${id}) would be permanently deleted with its tokens and webhooks (${length})`,
          );
        }
        // first, so that the command can be repeated if the process ends in between; and again for what was registered meanwhile
        let webhooks = await services.webhookAdministration.deleteAll(id);
        const ended = await services.removal.deleteApplication(application);
        if (!ended) throw new CommandRefusal(`the application ${given} no longer exists`);
        webhooks += await services.webhookAdministration.deleteAll(id);
        const { accessTokens, bearerTokens, grants } = ended;
        return {
          json: {
            application_id: id,
            deleted: true,
            ended_access_tokens: accessTokens,
            ended_bearer_tokens: bearerTokens,
            ended_grants: grants,
            deleted_webhooks: webhooks,
          },
          text:
            `The application ${name} (${id}) is deleted. Ended access tokens: ${accessTokens}; bearer tokens: ${bearerTokens}; grants: ${grants}; ` +
            `deleted webhooks: ${webhooks}. Its name stays, marked deleted, because history names its id.`,
        };
      }),
    );
}

/** `account delete`: an ad account ends, as DELETE in the sandbox has it. */
function addDeleteAccount(account: Command, context: Context): void {
  account
    .command('delete')
    .summary('delete an ad account')
    .description(
      'Deletes an ad account for good, in either environment. Every change to it and every list of it is refused at once, in ' +
        'every replica. Removed by a background job: the people of its audiences and do-not-reach lists. Kept, marked deleted or ' +
        'out of reach: its campaigns, creatives, funding and history, because invoices and audits need them.',
    )
    .argument('<account>', 'the id of the ad account')
    .option(
      '--by <username>',
      'act as this user, who must have a role on the account (default: its first administrator)',
    )
    .option('--yes', YES)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee account delete 2k0hx5m1q9zta --yes')
    .action((id: string, { yes, by, ...options }: ConfirmOptions) =>
      context.perform(options, async (services) => {
        const { name } = await findAccount(services, id);
        if (!yes)
          throw notConfirmed(
            `the ad account ${name} (${id}) would be permanently deleted with the people of its audiences`,
          );
        await services.accounts.delete(await findAdministrator(services, id, by));
        return {
          json: { account_id: id, deleted: true },
          text:
            `The ad account ${name} (${id}) is deleted. The people of its audiences are removed within minutes, by a background ` +
            'job. Its campaigns, creatives, funding and history stay, out of reach, because invoices and audits need them.',
        };
      }),
    );
}

const notConfirmed = (what: string) => new CommandRefusal(`${what}; repeat the command with --yes`);
