import type { Command } from 'commander';
import type { AccessLevel } from '../../auth/credentials/application.entity.js';
import { trimTrailing } from '../../common/text/patterns.js';
import { ACCESS_LEVEL_CHOICES } from '../choices.js';
import { type OutputOptions, print } from '../context.js';
import { readCredentialsEnv } from '../environment.js';
import { collectValues, choice } from '../parsing.js';
import { Misuse, CommandRefusal } from '../refusal.js';
import {
  baseUrlsOf,
  consumerOf,
  findCredentials,
  type FoundCredentials,
  requiredCredential,
  tokenOf,
} from '../credentials/credentials.js';
import { openInBrowser } from '../open-in-browser.js';
import type { ProcessTerminal, Terminal } from '../terminal.js';
import { accessToken, authorizePage, type Client, type LoggedIn, requestToken, WrongPin, invalidate } from './flow.js';
import { revokeTokens } from '../credentials/oauth2-tokens.js';
import { signInByBrowser } from './oauth2-flow.js';
import { type Credentials, profileName, Profiles } from '../credentials/profiles.js';
import { table } from '../table.js';

interface LoginOptions extends OutputOptions {
  profile?: string;
  credentials?: string[];
  url?: string;
  access?: AccessLevel;
  oauth2?: boolean;
  scope?: string;
  open?: boolean;
}

/** The default name of a profile. */
const FIRST = 'default';
/** The most wrong PINs: fewer than the five after which the service voids a request token. It expires after 15 minutes. */
const MAX_PINS = 4;
const ALL_SCOPES = 'ads.read ads.write media.write offline.access';
const PATIENCE_MS = 15 * 60_000;

/** `marquee login`: the three-legged flow in the terminal. */
export function addLoginCommand(program: Command, terminal: ProcessTerminal): void {
  program
    .command('login')
    .summary('log in as a user, who approves it in a browser')
    .description(
      'Prints the URL on which a user approves the application, reads the PIN that the page shows, and stores the access token as ' +
        'a profile in XDG_CONFIG_HOME/marquee (~/.config/marquee), readable only by its owner. The profile becomes the current ' +
        'one, which `request` and `sign` use when no other credentials are given.\n\n' +
        'The application is that of --credentials, else of MARQUEE_CONSUMER_KEY and MARQUEE_CONSUMER_SECRET, else that of the ' +
        'existing profile, else that of the demo in DATA_DIR.',
    )
    .option('-p, --profile <name>', `the name of the login (default: ${FIRST}, or MARQUEE_PROFILE)`, profileName)
    .option('-c, --credentials <file>', 'consumer_key and consumer_secret; may be repeated', collectValues)
    .option('--url <url>', 'the base URL of the service (default: that of the credentials, else BASE_URL)')
    .option('--access <level>', 'the access level of the token: read or write', choice(ACCESS_LEVEL_CHOICES))
    .option(
      '--oauth2',
      'sign in by OAuth 2.0 with the client_id of the credentials, in a browser of this machine; no PIN',
    )
    .option('--scope <scopes>', 'the scopes of --oauth2, separated by spaces', ALL_SCOPES)
    .option('--open', 'also open the page in the browser of this machine')
    .option('--json', 'print the profile, its path, user_id and username as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee login\n  $ marquee login --profile staging --url https://api.staging.example -c app.json --open\n' +
        '  $ marquee request GET /12/accounts --profile staging',
    )
    .action(async (options: LoginOptions) => {
      const profiles = new Profiles();
      const { name, found } = applicationFor(options, profiles);
      if (options.oauth2) return loginByOAuth2(options, { name, found, profiles, terminal });
      const client = await clientOf(found, options.url);
      const token = await requestToken(client, options.access);
      const page = authorizePage(client, token);
      terminal.err(`Open this page, sign in and approve the application. The page then shows a PIN:\n\n  ${page}\n\n`);
      if (options.open) await openInBrowser(page, terminal);
      const login = await withPin(client, token, terminal);
      profiles.keep(name, await profileOf(found.credentials, client, login));
      const path = profiles.pathOf(name);
      const json = { profile: name, path, user_id: login.userId, username: login.username, base_url: client.baseUrl };
      const usedNow = findCredentials({}).from;
      const use =
        usedNow === `the profile ${name}`
          ? 'Requests now use this profile.'
          : `Requests use this profile with --profile ${name}; otherwise they use ${usedNow}.`;
      print(terminal, options, {
        json,
        text: `You are @${login.username} at ${client.baseUrl}. ${use} It is stored in ${path}`,
      });
    });
}

/** Signs in by OAuth 2.0 and keeps the tokens in a profile, whose requests have them instead of a signature. */
async function loginByOAuth2(
  options: LoginOptions,
  at: { name: string; found: FoundCredentials; profiles: Profiles; terminal: ProcessTerminal },
): Promise<void> {
  const { name, found, profiles, terminal } = at;
  if (options.access !== undefined) throw new Misuse('--access and --oauth2 cannot be combined; use --scope');
  const baseUrl = trimTrailing(options.url ?? baseUrlsOf(found.credentials).auth(), '/');
  const { client_secret: clientSecret } = found.credentials;
  const client = { baseUrl, clientId: requiredCredential(found, 'client_id'), clientSecret };
  const settings = { scope: options.scope ?? ALL_SCOPES, patienceMs: PATIENCE_MS };
  const tokens = await signInByBrowser(client, settings, async (page) => {
    terminal.err(`Open this page in a browser of this machine, sign in and approve the application:\n\n  ${page}\n\n`);
    if (options.open) await openInBrowser(page, terminal);
  });
  const headers = { authorization: `Bearer ${tokens.oauth2_access_token}` };
  const answer = await fetch(`${baseUrl}/2/users/me`, { headers, signal: AbortSignal.timeout(10_000) });
  const { data } = (await answer.json()) as { data?: { id: string; username: string } };
  if (!data) throw new CommandRefusal(`${answer.status}: the service does not tell the user of the token`);
  profiles.keep(name, {
    ...(await urlsAt(baseUrl)),
    client_id: client.clientId,
    ...(clientSecret && { client_secret: clientSecret }),
    ...tokens,
    user_id: data.id,
    username: data.username,
  });
  const path = profiles.pathOf(name);
  print(terminal, options, {
    json: { profile: name, path, user_id: data.id, username: data.username, base_url: baseUrl },
    text: `You are @${data.username} at ${baseUrl}. Requests use this login with --profile ${name}. It is stored in ${path}`,
  });
}

/** The profile and the application of the login. An existing profile keeps its application. */
function applicationFor(options: LoginOptions, profiles: Profiles): { name: string; found: FoundCredentials } {
  const env = readCredentialsEnv();
  const name = profileName(options.profile ?? env.profile ?? FIRST);
  const known = profiles.find(name);
  if (known && options.credentials === undefined && env.consumer_key === undefined)
    return { name, found: { credentials: known, from: `the profile ${name}` } };
  const places = { env: { ...env, profile: '' } };
  return { name, found: findCredentials({ credentials: options.credentials }, places) };
}

async function clientOf(found: FoundCredentials, url?: string): Promise<Client> {
  const consumer = consumerOf(found);
  if (url !== undefined && !/^https?:\/\/[^?#]+$/i.test(url))
    throw new Misuse(`--url must begin with http:// or https://, not "${url}"`);
  return { consumer, baseUrl: trimTrailing(url ?? baseUrlsOf(found.credentials).auth(), '/'), from: found.from };
}

async function withPin(client: Client, token: { key: string; secret: string }, terminal: ProcessTerminal) {
  for (let attempts = MAX_PINS; ; attempts--) {
    const pin = await terminal.line('PIN: ', PATIENCE_MS);
    if (pin === undefined) throw new CommandRefusal('no PIN was entered; start again with `marquee login`');
    try {
      return await accessToken(client, token, pin.replace(/\s/g, ''));
    } catch (error) {
      if (!(error instanceof WrongPin)) throw error;
      if (attempts === 1) throw new CommandRefusal('too many wrong PINs; start again with `marquee login`');
      terminal.err('That is not the PIN of this login.\n');
    }
  }
}

/** The content of a profile: keys and secrets, and the URLs that the service reports. */
async function profileOf(credentials: Credentials, client: Client, login: LoggedIn): Promise<Credentials> {
  const { baseUrl, consumer } = client;
  const sameUser = credentials.user_id === login.userId;
  return {
    // ids for placeholders, if they belong to the same user
    ...(sameUser && Object.fromEntries(Object.entries(credentials).filter(([name]) => name.endsWith('_id')))),
    ...(await urlsAt(baseUrl)),
    consumer_key: consumer.key,
    consumer_secret: consumer.secret,
    access_token: login.key,
    access_token_secret: login.secret,
    user_id: login.userId,
    username: login.username,
  };
}

/** The base URLs that the service reports. */
async function urlsAt(baseUrl: string): Promise<Credentials> {
  const answer = await fetch(`${baseUrl}/version`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  const answered = ((await answer?.json().catch(() => undefined)) ?? {}) as Partial<Credentials>;
  const { ads_base_url = baseUrl, ads_sandbox_base_url = `${ads_base_url}/sandbox` } = answered;
  return { base_url: baseUrl, ads_base_url, ads_sandbox_base_url };
}

interface LogoutOptions extends OutputOptions {
  profile?: string;
  revoke?: boolean;
}

/** `marquee logout`: deletes a login. */
export function addLogoutCommand(program: Command, terminal: Terminal): void {
  program
    .command('logout')
    .summary('delete a login')
    .description(
      'Deletes the current or the named profile. Its access token stays valid unless --revoke is given, because other machines ' +
        'may use the same token.',
    )
    .option('-p, --profile <name>', 'the login to delete', profileName)
    .option('--revoke', 'revoke its access token first, also for other machines that use it')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee logout\n  $ marquee logout --profile staging --revoke')
    .action(async (options: LogoutOptions) => {
      const profiles = new Profiles();
      const name = options.profile ?? profiles.current();
      if (name === undefined) throw new CommandRefusal('nobody is logged in');
      const found = { credentials: profiles.get(name), from: `the profile ${name}` };
      const { oauth2_access_token: token, client_id: clientId, client_secret: clientSecret } = found.credentials;
      const ofOAuth2 = { baseUrl: requiredCredential(found, 'base_url'), clientId, clientSecret };
      if (token && options.revoke) await revokeTokens(ofOAuth2, found.credentials.oauth2_refresh_token ?? token);
      const revoked = token
        ? options.revoke === true
        : options.revoke === true &&
          (await invalidate(
            { consumer: consumerOf(found), baseUrl: requiredCredential(found, 'base_url'), from: found.from },
            tokenOf(found)!,
          ));
      profiles.remove(name);
      const ended = revoked ? ', and its access token is revoked' : '';
      print(terminal, options, { json: { profile: name, revoked }, text: `The profile ${name} is deleted${ended}.` });
    });
}

/** `marquee profile ...` */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  const profile = program
    .command('profile')
    .summary('logins of this machine: list, use')
    .description('Profiles: the logins that `marquee login` keeps for this user of the machine.');
  profile
    .command('list')
    .summary('list the logins')
    .description('Lists the profiles with their users and services. Secrets are not shown.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee profile list')
    .action((options: OutputOptions) => {
      const profiles = new Profiles();
      const current = profiles.current();
      const json = profiles.names().map((name) => {
        const { username = null, base_url = null } = profiles.find(name) ?? {};
        return { profile: name, current: name === current, username, base_url };
      });
      print(terminal, options, { json, text: table(json, 'There are no profiles; `marquee login` creates one.') });
    });
  profile
    .command('use')
    .summary('make a login the current one')
    .description('Makes a profile the current one, which is used when no other credentials are given.')
    .argument('<name>', 'the profile', profileName)
    .option('--json', 'print {"profile": <name>}')
    .addHelpText('after', '\nExample:\n  $ marquee profile use staging')
    .action((name: string, options: OutputOptions) => {
      const profiles = new Profiles();
      profiles.get(name);
      profiles.use(name);
      print(terminal, options, { json: { profile: name }, text: `The profile ${name} is now the current one.` });
    });
}
