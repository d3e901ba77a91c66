import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Pair } from '../../auth/signature/signature.js';
import { VERSION } from '../../operations/version.js';
import { profileName } from '../credentials/profiles.js';
import { collectValues, choice } from '../parsing.js';
import { Exit, Misuse, CommandRefusal } from '../refusal.js';
import type { ProcessTerminal } from '../terminal.js';
import { printAnswer } from './answer.js';
import { type Authorize, authorizerOf } from './authorize.js';
import { baseUrlsOf, findCredentials } from '../credentials/credentials.js';
import { schemeProblemOf, send } from './send.js';
import {
  initFields,
  isFailed,
  multipart,
  uploadInSegments,
  type UploadResult,
  type UploadSteps,
  uploadWhole,
} from './upload.js';
import { inspectFile, isUploadedInSegments, type NamedFile, splitFile } from './upload-file.js';
import { isSuspicious, whoAnswers } from './who-answers.js';
import { type Draft, draft, headerOf, REQUEST_METHODS, type Method, pairOf, wireText } from './draft.js';

interface RequestOptions {
  credentials?: string[];
  profile?: string;
  sandbox?: boolean;
  json?: string;
  header?: string[];
  literal?: boolean;
  idempotencyKey?: string;
  include?: boolean;
  dryRun?: boolean;
  token?: string | false;
}

/** `marquee request`: sends one signed request. */
export function addRequestCommand(program: Command, terminal: ProcessTerminal): void {
  program
    .command('request')
    .summary('send a signed request')
    .description(
      'Signs a request with OAuth 1.0a, sends it, and prints the body to standard output, and status, URL and rate limits to standard ' +
        'error. The exit code is 0 for a 2xx.\n\n' +
        'Credentials are a JSON file with consumer_key, consumer_secret, access_token and access_token_secret. They come from ' +
        '--credentials and --profile, else from MARQUEE_CONSUMER_KEY, MARQUEE_CONSUMER_SECRET, MARQUEE_ACCESS_TOKEN and ' +
        'MARQUEE_ACCESS_TOKEN_SECRET, else from the profile that MARQUEE_PROFILE names, else from demo-credentials.json in ' +
        'DATA_DIR, else from the current profile (`marquee login`). Their other values fill placeholders: ' +
        ':account_id or {account_id} (MARQUEE_ACCOUNT_ID), and select the service (base_url, ads_base_url, ' +
        'ads_sandbox_base_url; by default BASE_URL, ADS_BASE_URL and ADS_SANDBOX_BASE_URL).',
    )
    .argument('<method>', REQUEST_METHODS.join(', '), choice(REQUEST_METHODS))
    .argument('<path>', 'a path such as /12/accounts (with the prefix /sandbox for the sandbox) or a URL')
    .argument(
      '[name=value...]',
      'parameters: in the query, for POST, PUT and PATCH in a form body; {name} is filled in; media=@file uploads a file',
    )
    .option(
      '-c, --credentials <file>',
      'sign with these credentials; may be repeated, later files override earlier ones',
      collectValues,
    )
    .option('-p, --profile <name>', 'sign with this login', profileName)
    .option('-s, --sandbox', 'send it to the sandbox')
    .option(
      '-j, --json <text>',
      'a JSON body: its text, @file, or - for standard input (parameters then go to the query)',
    )
    .option(
      '-H, --header <header>',
      '"Name: value"; a request with an Authorization header is not signed',
      collectValues,
    )
    .option('-l, --literal', 'take path, parameters and --json as they are: no {name}, :name, @file or - is filled in')
    .option('--idempotency-key <key>', 'of a POST or DELETE: send it again with the same key, and it acts only once')
    .option(
      '--token <file>',
      'sign with the token in this file: JSON, or a response of oauth/request_token or oauth/access_token',
    )
    .option('--no-token', 'sign without an access token, as for oauth/request_token')
    .option('-i, --include', 'show all headers of the response')
    .option('-n, --dry-run', 'print the signed request instead of sending it')
    .addHelpText('after', EXAMPLES)
    .action(async (method: Method, path: string, params: string[], options: RequestOptions) => {
      const json = options.json === undefined ? undefined : await jsonText(options.json, terminal, options.literal);
      const pairs = params.map(pairOf);
      const { file, rest } = options.literal ? { rest: pairs } : splitFile({ method, path, json }, pairs);
      const prepared = prepare({ method, path, params: rest, json, options });
      if (file) return upload(terminal, prepared, file, options);
      const request = await prepared.authorize(prepared.request);
      if (options.dryRun) return terminal.out(wireText(request));
      await conclude(terminal, { answer: await send(request), sent: request }, prepared.from, options);
    });
}

/** Prints an answer and, for errors, the service that gave it. The command fails where the request was refused. */
async function conclude(
  terminal: ProcessTerminal,
  { answer, sent }: UploadResult,
  from: string,
  { include }: RequestOptions,
): Promise<void> {
  await printAnswer(answer, terminal, { include, sent });
  if (isSuspicious(answer))
    terminal.err(`${(await schemeProblemOf(sent.url, answer)) ?? (await whoAnswers(sent.url, from))}\n`);
  if (!answer.ok) throw new Exit(1);
}

/** Sends a request with a file: in one request, or in segments unless the parameters have a command of their own. */
async function upload(
  terminal: ProcessTerminal,
  { request, authorize, from, isAuthorized }: PreparedRequest,
  named: NamedFile,
  options: RequestOptions,
): Promise<void> {
  const url = new URL(request.url);
  const valueOf = (name: string) =>
    request.form.find(([each]) => each === name)?.[1] ?? url.searchParams.get(name) ?? undefined;
  const category = valueOf('media_category');
  const file = await inspectFile(named, category);
  const isSegment = new URL(request.url).pathname.endsWith('/append');
  const isInSegments = !isSegment && valueOf('command') === undefined && isUploadedInSegments(file, category);
  if (isInSegments && isAuthorized)
    throw new Misuse(
      `${file.name}: ${file.path} needs several requests, but an Authorization header is valid for one; leave it out`,
    );
  const { form: fields, headers } = request;
  const bare = {
    url: request.url,
    form: [],
    headers: headers.filter(([name]) => name !== 'content-type'),
  };
  if (options.dryRun) {
    const first = { ...bare, method: 'POST' as const };
    const shown = multipart(first, isInSegments ? initFields(fields, file) : fields);
    const { method, url: shownUrl, headers: shownHeaders } = await authorize({ ...shown, body: undefined });
    const body = Buffer.from(shown.body).toString('utf8').replaceAll('\r\n', '\n').trimEnd();
    terminal.out(wireText({ method, url: shownUrl, headers: shownHeaders, form: [], body }));
    terminal.err(
      isInSegments
        ? `${file.path} (${file.size} bytes) follows in segments.\n`
        : `${file.name} is the last part of the body: ${file.path} (${file.size} bytes).\n`,
    );
    return;
  }
  const steps: UploadSteps = {
    request: (method, query) => {
      const target = new URL(request.url);
      if (method === 'GET') target.search = new URLSearchParams(query).toString();
      return { ...bare, method, url: target.href };
    },
    send: async (each) => send({ ...(await authorize({ ...each, body: undefined })), body: each.body }),
    progress: (text) => (terminal.isWatched ? terminal.progress(text) : undefined),
  };
  const result = await (isInSegments ? uploadInSegments : uploadWhole)(steps, fields, file);
  const isRefusedFile = await isFailed(result);
  await conclude(terminal, result, from, options);
  if (isRefusedFile) throw new Exit(1);
}

const EXAMPLES = `
Examples:
  $ marquee request GET /12/accounts
  $ marquee request GET /12/accounts/:account_id/campaigns count=10 sort_by=name-asc
  $ marquee request POST /12/accounts/:account_id/campaigns name=Autumn funding_instrument_id={funding_instrument_id}
  $ marquee request POST /12/batch/accounts/:account_id/campaigns --json @operations.json
  $ marquee request POST /sandbox/12/accounts
  $ marquee request POST /1.1/media/upload.json media=@picture.png media_category=post_image
  $ marquee request POST /oauth/request_token oauth_callback=oob --no-token

Files:
  media=@path of POST /1.1/media/upload.json (or /1.1/media/upload) sends the file. A video, or a file above 5 MiB, is sent in
  segments; the command waits until it is processed, and prints the last response. With command=, it sends one request.
  Every other value that begins with @ is text: text="@friend hi" is sent unchanged. For a file whose name begins with @, write
  media=@./@name.`;

interface RequestArguments {
  method: Method;
  path: string;
  params: Pair[];
  json?: string;
  options: RequestOptions;
}

/** An unsigned request. */
interface PreparedRequest {
  request: Draft;
  /** Authorizes a request, unless the given headers do. */
  authorize: Authorize;
  isAuthorized: boolean;
  /** The source of its credentials. */
  from: string;
}

function prepare({ method, path, params, json, options }: RequestArguments): PreparedRequest {
  const headers = (options.header ?? []).map(headerOf);
  if (options.idempotencyKey !== undefined) headers.push(['idempotency-key', options.idempotencyKey]);
  const isAuthorized = headers.some(([name]) => name === 'authorization');
  const found = findCredentials(options, { optional: isAuthorized });
  const spec = { method, path, params, headers, sandbox: options.sandbox ?? false, json, literal: options.literal };
  const request = draft(spec, found.credentials, baseUrlsOf(found.credentials));
  request.headers.push(['user-agent', `marquee/${VERSION}`]);
  const authorize: Authorize = isAuthorized ? async (each) => each : authorizerOf(found, options.token);
  return { request, authorize, isAuthorized, from: found.from };
}

async function jsonText(given: string, terminal: ProcessTerminal, literal: boolean | undefined): Promise<string> {
  const text = literal ? given : await bodyNamedBy(given, terminal);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Misuse(`--json is not JSON: ${(error as Error).message}`);
  }
  return text;
}

async function bodyNamedBy(given: string, terminal: ProcessTerminal): Promise<string> {
  if (given === '-') return terminal.input();
  return given.startsWith('@') ? readBody(given.slice(1)) : given;
}

function readBody(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CommandRefusal(`${path} cannot be read`);
  }
}
