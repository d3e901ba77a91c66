import type { Command } from 'commander';
import type { AccessLevel, Application, ClientType } from '../auth/credentials/application.entity.js';
import type { Context, OutputOptions } from './context.js';
import { findApplication, findUser } from './lookups.js';
import { callback, choice, textArgument } from './parsing.js';
import { Misuse, CommandRefusal } from './refusal.js';
import { fields, table } from './table.js';
import { ACCESS_LEVEL_CHOICES, ADS_ACCESS_CHOICES, CLIENT_TYPE_CHOICES, SCOPE_CHOICES } from './choices.js';
import type { OAuth2Identity } from '../auth/credentials/applications.service.js';
import type { Scope } from '../auth/credentials/scopes.js';

interface CreateApp extends OutputOptions {
  name: string;
  owner: string;
  callback?: string[];
  access: AccessLevel;
  signIn?: boolean;
  desktop?: boolean;
  client?: ClientType;
  scope?: Scope[];
}

export const SHOWN_ONCE = 'The secret is not shown again. Store it now.';

/** Adds the options of an application's identity in OAuth 2.0. */
export const withClientOptions = (command: Command): Command =>
  command
    .option(
      '--client <type>',
      'a client of OAuth 2.0: public without a secret, for programs on devices and in browsers, or confidential',
      choice(CLIENT_TYPE_CHOICES),
    )
    .option('--scope <scope>', 'a scope that the client may ask for; may be repeated (default: all)', scopeOption);

const oneScope = choice(SCOPE_CHOICES);
/** Parses a scope; the option may be repeated. */
export const scopeOption = (given: string, before: Scope[] = []): Scope[] => [...before, oneScope(given)];

/** What an application is in OAuth 2.0, as commands print it. A new secret is among it once. */
export const oauth2FieldsOf = (
  { clientId, clientType, clientScopes }: Application,
  { clientSecret }: Partial<OAuth2Identity> = {},
) =>
  clientId === null
    ? {}
    : {
        client_id: clientId,
        client_type: clientType,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        client_scopes: clientScopes,
      };

/** `marquee app ...` */
export function addAppCommands(program: Command, context: Context): void {
  const app = program
    .command('app')
    .summary('applications, which sign requests: create, list, rotate, access, partner, update, delete')
    .description('Applications: the programs that sign requests, each with a consumer key and secret.');
  addCreate(app, context);
  addList(app, context);
  addRotate(app, context);
  addAccess(app, context);
  addPartner(app, context);
}

/** `app create`: registers an application and shows its key and secret. */
function addCreate(app: Command, context: Context): void {
  withClientOptions(app.command('create'))
    .summary('register an application')
    .description('Registers an application and prints its consumer key and secret. The secret is shown only once.')
    .requiredOption('--name <name>', 'the name that users see when they are asked to approve it', textArgument())
    .requiredOption('--owner <username>', 'the owner')
    .option('--callback <url>', 'a callback URL; may be repeated, up to ten', callback)
    .option(
      '--access <level>',
      'the highest access level of its tokens: read or write',
      choice(ACCESS_LEVEL_CHOICES),
      'write',
    )
    .option('--sign-in', 'oauth/authenticate does not ask users who approved it before')
    .option('--desktop', 'it has no server of its own: PIN flow only')
    .option('--json', 'print it as JSON, fit for `request --credentials`')
    .addHelpText(
      'after',
      '\nExample:\n  $ marquee app create --name "My tool" --owner alice --callback https://tool.example/back --sign-in',
    )
    .action((options: CreateApp) => {
      if (options.scope && !options.client) throw new Misuse('--scope needs --client');
      if (options.desktop && options.callback) throw new Misuse('--desktop and --callback cannot be combined');
      return context.perform(options, async (services) => {
        const owner = await findUser(services, options.owner);
        const { application, consumer } = await services.applications.create({
          name: options.name,
          ownerId: owner.id,
          accessLevel: options.access,
          callbacks: options.callback,
          signIn: options.signIn,
          desktop: options.desktop,
        });
        const { id } = application;
        const identity = options.client
          ? await services.applications.setClient(id, options.client, options.scope ?? SCOPE_CHOICES)
          : undefined;
        const stored = (identity && (await services.applicationQueries.findById(id))) ?? application;
        const json = {
          application_id: application.id,
          name: application.name,
          owner: owner.username,
          access_level: application.accessLevel,
          callbacks: application.callbacks,
          sign_in: application.signIn,
          desktop: application.desktop,
          consumer_key: consumer.key,
          consumer_secret: consumer.secret,
          ...oauth2FieldsOf(stored, identity),
        };
        return { json, text: `${fields(json)}\n\n${SHOWN_ONCE}` };
      });
    });
}

/** `app list`: all applications, without secrets. */
function addList(app: Command, context: Context): void {
  app
    .command('list')
    .summary('list applications')
    .description('Lists the first 1,000 applications without their secrets.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee app list')
    .action((options: OutputOptions) =>
      context.perform(options, async (services) => {
        const applications = await services.applicationQueries.list();
        const owners = await services.users.findByIds(applications.map(({ ownerId }) => ownerId));
        const names = new Map(owners.map(({ id, username }) => [id, username]));
        const json = applications.map((each) => ({
          application_id: each.id,
          name: each.name,
          owner: names.get(each.ownerId) ?? null,
          access_level: each.accessLevel,
          ads_access: adsAccessOf(each),
          consumer_key: each.consumerKey,
          sign_in: each.signIn,
          desktop: each.desktop,
          callbacks: each.callbacks,
          client_id: each.clientId,
          client_type: each.clientType,
          client_scopes: each.clientScopes,
        }));
        return { json, text: table(json, 'There are no applications; `marquee app create` creates one.') };
      }),
    );
}

/** `app rotate`: replaces the consumer key and secret. */
function addRotate(app: Command, context: Context): void {
  app
    .command('rotate')
    .summary("replace an application's key and secret")
    .description(
      'Gives an application a new consumer key and secret. Requests signed with the old ones are refused at once. ' +
        'Its access tokens stay valid.',
    )
    .argument('<app>', 'its id, consumer key or name')
    .option('--client-secret', 'replace the client secret of OAuth 2.0 instead')
    .option('--json', 'print it as JSON, fit for `request --credentials`')
    .addHelpText('after', '\nExample:\n  $ marquee app rotate Tool --json > app.json')
    .action((given: string, options: OutputOptions & { clientSecret?: boolean }) =>
      context.perform(options, async (services) => {
        const application = await findApplication(services, given);
        if (options.clientSecret) {
          const identity = await services.applications.rotateClientSecret(application.id);
          if (!identity) throw new CommandRefusal(`the application ${given} is not a confidential client of OAuth 2.0`);
          const json = {
            application_id: application.id,
            name: application.name,
            ...oauth2FieldsOf(application, identity),
          };
          return { json, text: `${fields(json)}\n\n${SHOWN_ONCE}` };
        }
        const consumer = await services.applications.rotateKeys(application.id);
        if (!consumer) throw new CommandRefusal(`the application ${given} no longer exists`);
        const json = {
          application_id: application.id,
          name: application.name,
          consumer_key: consumer.key,
          consumer_secret: consumer.secret,
        };
        return { json, text: `${fields(json)}\n\n${SHOWN_ONCE}` };
      }),
    );
}

type AdsAccess = (typeof ADS_ACCESS_CHOICES)[number];

const adsAccessOf = ({ adsAccess, conversionsOnly }: Application): AdsAccess =>
  adsAccess ? (conversionsOnly ? 'conversions' : 'standard') : 'none';

/** `app access`: what an application may use of the advertising endpoints. */
function addAccess(app: Command, context: Context): void {
  app
    .command('access')
    .summary('set what an application may use of the advertising endpoints')
    .description(
      'The level standard is everything, and what a new application has. The level conversions is what measures conversions: those of pixels and apps, ' +
        'their tags and lists. The level none is nothing. Other advertising requests of the application get UNAUTHORIZED_CLIENT_APPLICATION, and what changes ' +
        'anything in the workbench gets 403. Uploads are not limited.',
    )
    .argument('<app>', 'its id, consumer key or name')
    .argument('<level>', ADS_ACCESS_CHOICES.join(', '), choice(ADS_ACCESS_CHOICES))
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee app access Tool conversions')
    .action((given: string, level: AdsAccess, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const application = await findApplication(services, given);
        const access = { adsAccess: level !== 'none', conversionsOnly: level === 'conversions' };
        const changed = await services.applications.update(application.id, access);
        if (!changed) throw new CommandRefusal(`the application ${given} no longer exists`);
        const json = { application_id: changed.id, name: changed.name, ads_access: adsAccessOf(changed) };
        return { json, text: `The application ${changed.name} has the access ${json.ads_access}.` };
      }),
    );
}

/** `app partner`: whether an application is a measurement partner. */
function addPartner(app: Command, context: Context): void {
  app
    .command('partner')
    .summary('make an application a measurement partner')
    .description(
      'A measurement partner reports events in apps of all accounts (POST /12/conversion_event) and asks for their ' +
        'attribution. Other applications get NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION.',
    )
    .argument('<app>', 'its id, consumer key or name')
    .option('--off', 'it is no measurement partner any more')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee app partner Counter\n  $ marquee app partner Counter --off')
    .action((given: string, { off = false, ...options }: OutputOptions & { off?: boolean }) =>
      context.perform(options, async (services) => {
        const application = await findApplication(services, given);
        const changed = await services.applications.update(application.id, { measurementPartner: !off });
        if (!changed) throw new CommandRefusal(`the application ${given} no longer exists`);
        const json = {
          application_id: changed.id,
          name: changed.name,
          measurement_partner: changed.measurementPartner,
        };
        const text = `The application ${changed.name} is ${off ? 'no measurement partner any more' : 'a measurement partner'}.`;
        return { json, text };
      }),
    );
}
