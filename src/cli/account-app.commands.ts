import type { Command } from 'commander';
import type { AccountAppView } from '../accounts/account-apps/account-app.presenter.js';
import { OS_TYPE_CHOICES } from './choices.js';
import type { Context, OutputOptions } from './context.js';
import { findAccount, findAdministrator } from './lookups.js';
import { choice } from './parsing.js';
import { fields, table } from './table.js';

const ACCOUNT_HELP = 'the id of the ad account';
const BY_HELP = 'act as this user, who must have a role on the account (default: its first administrator)';

/** `marquee account-app ...` */
export function addAccountAppCommands(program: Command, context: Context): void {
  const app = program
    .command('account-app')
    .summary('apps that ad accounts advertise: create, list, delete')
    .description(
      'Account apps: the apps that an ad account advertises. The API is read-only; these commands create and delete them. ' +
        'Changes are recorded in the history of the account and sent to webhooks.',
    );
  addCreate(app, context);
  addList(app, context);
  addDelete(app, context);
}

interface CreateAccountApp extends OutputOptions {
  osType: string;
  appStoreIdentifier: string;
  deepLinkPattern?: string;
  conversionTracking?: boolean;
  by?: string;
}

/** `account-app create`: store identifiers are unique within an account. */
function addCreate(app: Command, context: Context): void {
  app
    .command('create')
    .summary('add an app to an account')
    .description('Adds an app to an ad account. Store identifiers are unique within an account.')
    .argument('<account>', ACCOUNT_HELP)
    .requiredOption('--os-type <type>', OS_TYPE_CHOICES.join(' or '), choice(OS_TYPE_CHOICES))
    .requiredOption(
      '--app-store-identifier <identifier>',
      'the package name on Android, the number in the App Store on iOS',
    )
    .option('--deep-link-pattern <link>', 'the prefix of deep links into the app, such as coffee://')
    .option('--conversion-tracking', 'count installs and later events')
    .option('--by <username>', BY_HELP)
    .option('--json', 'print it as JSON, as the API shows it')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee account-app create 2k0hx5m1q9zta --os-type Android --app-store-identifier com.example.coffee\n' +
        '  $ marquee account-app create 2k0hx5m1q9zta --os-type iOS --app-store-identifier 333903271 --deep-link-pattern coffee://',
    )
    .action((id: string, options: CreateAccountApp) =>
      context.perform(options, async (services) => {
        const [{ NewAccountApp }, { presentAccountApp }] = await Promise.all([
          import('../accounts/account-apps/account-apps.dto.js'),
          import('../accounts/account-apps/account-app.presenter.js'),
        ]);
        const account = await findAdministrator(services, id, options.by);
        const params = services.read(NewAccountApp, {
          os_type: options.osType,
          app_store_identifier: options.appStoreIdentifier,
          deep_link_pattern: options.deepLinkPattern,
          conversion_tracking_enabled: options.conversionTracking,
        });
        const json = presentAccountApp(await services.accountApps.create(account, params));
        return { json, text: fields(shortened(json)) };
      }),
    );
}

interface ListApps extends OutputOptions {
  withDeleted?: boolean;
}

/** `account-app list`: the apps of an account. */
function addList(app: Command, context: Context): void {
  app
    .command('list')
    .summary('list the apps of an account')
    .description('Lists the newest 1,000 apps of an ad account.')
    .argument('<account>', ACCOUNT_HELP)
    .option('--with-deleted', 'include deleted ones')
    .option('--json', 'print a JSON array, as the API shows them')
    .addHelpText('after', '\nExample:\n  $ marquee account-app list 2k0hx5m1q9zta --with-deleted')
    .action((id: string, { withDeleted, ...options }: ListApps) =>
      context.perform(options, async (services) => {
        const [{ ListAccountApps }, { presentAccountApp }] = await Promise.all([
          import('../accounts/account-apps/account-apps.dto.js'),
          import('../accounts/account-apps/account-app.presenter.js'),
        ]);
        await findAccount(services, id);
        const query = services.read(ListAccountApps, { count: '1000', with_deleted: String(!!withDeleted) });
        const { items } = await services.accountApps.list({ id, db: services.dataSource.manager }, query);
        const json = items.map(presentAccountApp);
        const nothing = `Account ${id} has no apps; \`marquee account-app create\` adds one.`;
        return { json, text: table(json.map(shortened), nothing) };
      }),
    );
}

interface DeleteApp extends OutputOptions {
  by?: string;
}

/** `account-app delete`: line items that advertise the app do not change. */
function addDelete(app: Command, context: Context): void {
  app
    .command('delete')
    .summary('remove an app from an account')
    .description('Removes an app from an ad account. Line items that advertise it do not change.')
    .argument('<account>', ACCOUNT_HELP)
    .argument('<account-app>', 'the id of the account app')
    .option('--by <username>', BY_HELP)
    .option('--json', 'print it as JSON, as the API shows it')
    .addHelpText('after', '\nExample:\n  $ marquee account-app delete 2k0hx5m1q9zta 2k0hx5m1q9ztb')
    .action((id: string, appId: string, { by, ...options }: DeleteApp) =>
      context.perform(options, async (services) => {
        const { presentAccountApp } = await import('../accounts/account-apps/account-app.presenter.js');
        const account = await findAdministrator(services, id, by);
        const json = presentAccountApp(await services.accountApps.delete(account, appId));
        return { json, text: `The app ${json.app_store_identifier} is removed from account ${id}.` };
      }),
    );
}

/** The columns of the table. */
const shortened = (view: AccountAppView) => ({
  account_app_id: view.id,
  os_type: view.os_type,
  app_store_identifier: view.app_store_identifier,
  deep_link_pattern: view.deep_link_pattern,
  conversion_tracking: view.conversion_tracking_enabled,
  deleted: view.deleted,
});
