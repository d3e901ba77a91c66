import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { VERSION } from '../../operations/version.js';
import { profileName } from '../login/profiles.js';
import { oneOf } from '../parsing.js';
import { Exit, Misuse, Refusal } from '../refusal.js';
import type { ProcessTerminal } from '../terminal.js';
import { printAnswer } from './answer.js';
import { baseUrlsOf, consumerOf, type FoundCredentials, findCredentials, tokenOf } from './credentials.js';
import { schemeProblemOf, send } from './send.js';
import { isSuspicious, whoAnswers } from './who-answers.js';
import {
  type Draft,
  draft,
  freshly,
  headerOf,
  METHODS,
  type Method,
  pairOf,
  type Signer,
  signed,
  wireText,
} from './draft.js';

interface RequestOptions {
  credentials?: string[];
  profile?: string;
  sandbox?: boolean;
  json?: string;
  header?: string[];
  include?: boolean;
  dryRun?: boolean;
  token?: string | false;
}

const collect = (given: string, before: string[] = []) => [...before, given];

/** `marquee request`: one request, signed as any client would sign it. */
export function addRequestCommand(program: Command, terminal: ProcessTerminal): void {
  program
    .command('request')
    .summary('send a signed request')
    .description(
      'Signs a request with OAuth 1.0a, sends it, and prints the body to standard output; status, place and rate limits to standard ' +
        'error. The exit code is 0 for a 2xx.\n\n' +
        'Credentials are a JSON file with consumer_key, consumer_secret, access_token and access_token_secret. They come from ' +
        '--credentials and --profile, else from MARQUEE_CONSUMER_KEY, MARQUEE_CONSUMER_SECRET, MARQUEE_ACCESS_TOKEN and ' +
        'MARQUEE_ACCESS_TOKEN_SECRET, else from the profile that MARQUEE_PROFILE names, else from demo-credentials.json in ' +
        'DATA_DIR, else from the current profile (`marquee login`). What else they hold fills placeholders: ' +
        ':account_id or {account_id} (MARQUEE_ACCOUNT_ID), and says where to send (base_url, ads_base_url, ' +
        'ads_sandbox_base_url; BASE_URL and its like where they do not).',
    )
    .argument('<method>', METHODS.join(', '), oneOf(METHODS))
    .argument('<path>', 'a path such as /12/accounts, below /sandbox for the sandbox, or a whole URL')
    .argument(
      '[name=value...]',
      'parameters: in the query, for POST, PUT and PATCH in a form body; {name} is filled in',
    )
    .option('-c, --credentials <file>', 'sign with these; may be repeated, later files add to earlier ones', collect)
    .option('-p, --profile <name>', 'sign with this login', profileName)
    .option('-s, --sandbox', 'send it to the sandbox')
    .option(
      '-j, --json <text>',
      'a JSON body: its text, @file, or - for standard input (parameters then go to the query)',
    )
    .option('-H, --header <header>', '"Name: value"; with an Authorization header nothing is signed', collect)
    .option(
      '--token <file>',
      'sign with the token in this file: JSON, or what oauth/request_token and oauth/access_token answer',
    )
    .option('--no-token', 'sign without the access token, as for oauth/request_token')
    .option('-i, --include', 'show all headers of the answer')
    .option('-n, --dry-run', 'print the signed request in place of sending it')
    .addHelpText('after', EXAMPLES)
    .action(async (method: Method, path: string, params: string[], options: RequestOptions) => {
      const { request, from } = await prepare(terminal, { method, path, params, options });
      if (options.dryRun) return terminal.out(wireText(request));
      const answer = await send(request);
      await printAnswer(answer, terminal, { include: options.include, sent: request });
      if (isSuspicious(answer))
        terminal.err(`${(await schemeProblemOf(request.url, answer)) ?? (await whoAnswers(request.url, from))}\n`);
      if (!answer.ok) throw new Exit(1);
    });
}

const EXAMPLES = `
Examples:
  $ marquee request GET /12/accounts
  $ marquee request GET /12/accounts/:account_id/campaigns count=10 sort_by=name-asc
  $ marquee request POST /12/accounts/:account_id/campaigns name=Autumn funding_instrument_id={funding_instrument_id}
  $ marquee request POST /12/batch/accounts/:account_id/campaigns --json @operations.json
  $ marquee request POST /sandbox/12/accounts
  $ marquee request POST /oauth/request_token oauth_callback=oob --no-token`;

interface RequestArguments {
  method: Method;
  path: string;
  params: string[];
  options: RequestOptions;
}

/** The request, and where its credentials were found. */
async function prepare(
  terminal: ProcessTerminal,
  { method, path, params, options }: RequestArguments,
): Promise<{ request: Draft; from: string }> {
  const headers = (options.header ?? []).map(headerOf);
  const spec = { method, path, params: params.map(pairOf), headers, sandbox: options.sandbox ?? false };
  const json = options.json === undefined ? undefined : await jsonText(options.json, terminal);
  const isAuthorized = headers.some(([name]) => name === 'authorization');
  const found = findCredentials(options, { optional: isAuthorized });
  const request = draft({ ...spec, json }, found.credentials, baseUrlsOf(found.credentials));
  request.headers.push(['user-agent', `marquee/${VERSION}`]);
  const { from } = found;
  if (isAuthorized) return { request, from };
  return { request: signed(request, signerOf(found, options.token)), from };
}

const signerOf = (found: FoundCredentials, token?: string | false): Signer => ({
  consumer: consumerOf(found),
  token: tokenOf(found, token),
  ...freshly(),
});

async function jsonText(given: string, terminal: ProcessTerminal): Promise<string> {
  const text = given === '-' ? await terminal.input() : given.startsWith('@') ? readBody(given.slice(1)) : given;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Misuse(`--json is not JSON: ${(error as Error).message}`);
  }
  return text;
}

function readBody(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Refusal(`${path} cannot be read`);
  }
}
