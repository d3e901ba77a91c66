import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { LRUCache } from 'lru-cache';
import type { JournaledRequestView } from '../../workbench/journal/journaled-request.presenter.js';
import { pretty } from '../request/answer.js';
import type { ProcessTerminal, Terminal } from '../terminal.js';
import {
  operationCommand,
  withCredentials,
  type WorkbenchOptions,
  callOperation,
  descriptionOf,
  operationParametersOf,
  requestOperation,
} from './operations.js';
import { baseUrlsOf, findCredentials, type NamedCredentials } from '../credentials/credentials.js';
import type { RecordedRequest } from '../fixtures/recorded-request.js';
import { wholeNumber } from '../parsing.js';
import { CommandRefusal } from '../refusal.js';

const POLL_MS = 1_000;
/** Requests can appear in the journal in another order than they arrived, and the clocks of replicas differ. */
const OVERLAP_MS = 10_000;
/** Number of printed requests that are remembered. */
const MAX_KNOWN = 20_000;

/** `marquee logs tail|show|export`: the journal of an application's requests. */
export function addLogsCommands(program: Command, terminal: ProcessTerminal): void {
  const logs = program
    .command('logs')
    .summary('the requests of an application: tail, show, export')
    .description('The journal of an application: its requests of the last day and their responses.');
  addTail(logs, terminal);
  addShow(logs, terminal);
  addExport(logs, terminal);
}

function addTail(logs: Command, terminal: ProcessTerminal): void {
  const command = logs
    .command('tail')
    .summary('print requests as they arrive')
    .description(
      'Prints each request of the application once it is answered, until it is interrupted: the time, the status, the method, the ' +
        'path, the duration and the x-request-id. The owner of the application signs it. The service must have its workbench.',
    );
  withFilters(command, [
    '--filter-path <path>',
    '--filter-method <methods>',
    '--filter-status <statuses>',
    '--filter-account <account>',
  ]);
  withCredentials(command)
    .option('--json', 'print JSON, one request per line')
    .addHelpText(
      'after',
      "\nExamples:\n  $ marquee logs tail --filter-status 4xx,5xx\n  $ marquee logs tail --filter-method POST --filter-path '/12/accounts/*' --json",
    )
    .action((options: WorkbenchOptions) => tail(options, terminal));
}

function addShow(logs: Command, terminal: ProcessTerminal): void {
  operationCommand(logs, 'getRequest', {
    name: 'show',
    summary: 'show a request with its response',
    args: { '<request>': 'request_id' },
    examples: ['logs show 2k0hx5m1q9zta'],
    hasJson: false,
  })
    .option('--json', 'print it as JSON in one line')
    .action(async (id: string, options: WorkbenchOptions) => {
      const text = JSON.stringify(await detailOf(options, id));
      terminal.out(options.json ? `${text}\n` : pretty(text));
    });
}

async function tail(options: WorkbenchOptions, terminal: ProcessTerminal): Promise<void> {
  const filters = filtersOf(options);
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  // what was answered before the command began is not printed
  let last = remember(known, await newest(options, filters, { pages: 1 }));
  terminal.err('Waiting for requests.\n');
  for (;;) {
    await pause(POLL_MS);
    const since = last && new Date(Date.parse(last.created_at) - OVERLAP_MS).toISOString();
    const query = { ...filters, ...(since && { start_time: since }) };
    const found = await newest(options, query, { pages: MAX_PAGES }).catch((error: Error) => error);
    if (found instanceof Error) {
      terminal.err(`${found.message}\n`);
      continue;
    }
    const fresh = found.filter(({ id }) => !known.has(id));
    for (const request of fresh.toReversed())
      terminal.out(`${options.json ? JSON.stringify(request) : lineOf(request)}\n`);
    last = remember(known, fresh) ?? last;
  }
}

/** Remembers requests; returns the newest. */
function remember(
  known: LRUCache<string, true>,
  requests: readonly JournaledRequestView[],
): JournaledRequestView | undefined {
  for (const { id } of requests) known.set(id, true);
  return requests.at(0);
}

const lineOf = ({ created_at, status, method, path, duration_ms, request_id }: JournaledRequestView): string =>
  `${created_at} ${status} ${method} ${path} (${duration_ms} ms) ${request_id}`;

/** Each request is read by itself, and the workbench has a rate limit. */
const MAX_EXPORTED = 1_000;
/** The number of requests that are read at a time: each read waits for other replicas. */
const AT_ONCE = 8;

interface ExportOptions extends NamedCredentials {
  limit: number;
}

/** `marquee logs export`: recorded requests as fixtures. */
export function addExport(logs: Command, terminal: Terminal): void {
  const command = logs
    .command('export')
    .summary('write the successful writes as fixtures')
    .description(
      'Prints the successful writes in the journal as a file for `marquee fixtures`. References replace the ids of what they created, ' +
        '${.env:MARQUEE_ACCOUNT_ID} replaces the account, and added requests look up the funding instruments of the account ' +
        'and the user who signs. The file creates the same resources in another account that has a funding instrument. Standard error names ' +
        'the requests that are left out, such as uploads of files, and why.',
    )
    .option('--limit <count>', 'only so many of the newest requests', wholeNumber(1, MAX_EXPORTED), MAX_EXPORTED);
  withFilters(command, ['--since <time>', '--filter-path <path>', '--filter-account <account>']);
  withCredentials(command)
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee logs export > fixtures.json\n  $ marquee logs export --since 2026-10-01T08:00:00Z --filter-account 2k0hx5m1q9zta > fixtures.json',
    )
    .action((options: ExportOptions) => exportJournal(options, terminal));
}

async function exportJournal(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { limit } = options;
  const query = { ...filtersOf(options), method: 'POST,PUT,PATCH,DELETE', status: '2xx' };
  const found = await newest(options, query, { pages: MAX_PAGES });
  if (found.length === 0) throw new CommandRefusal('the journal has no successful write that matches');
  const kept = found.slice(0, limit).toReversed();
  const requests: RecordedRequest[] = [];
  for (let from = 0; from < kept.length; from += AT_ONCE) {
    const some = kept.slice(from, from + AT_ONCE).map(({ id }) => detailOf(options, id));
    requests.push(...((await Promise.all(some)) as RecordedRequest[]));
  }
  const { exportedFixtures } = await import('../fixtures/export-fixtures.js');
  const { document, leftOut, notes } = exportedFixtures(requests, locateBelow(options));
  terminal.out(`${JSON.stringify(document, null, 2)}\n`);
  for (const note of notes) terminal.err(`${note}\n`);
  for (const { request, reason } of leftOut)
    terminal.err(`Left out ${request.method} ${request.path} (${request.id}): ${reason}.\n`);
  if (found.length > kept.length)
    terminal.err(
      `Only the newest ${kept.length} of ${found.length} requests are exported; --since and filters select others.\n`,
    );
}

/** Paths as the command line writes them: below `/sandbox` if the URL is one of the sandbox. */
function locateBelow(named: NamedCredentials): (request: RecordedRequest) => string {
  const bases = baseUrlsOf(findCredentials(named).credentials);
  const [sandbox, ...others] = [bases.sandbox(), bases.ads(), bases.auth()].map((base) => new URL(base));
  const below = (base: URL, { url }: RecordedRequest): string | undefined => {
    const prefix = base.pathname.replace(/\/$/, '');
    const { host, pathname } = new URL(url);
    const isBelow = pathname.startsWith(`${prefix}/`) && (prefix !== '' || host === base.host);
    return isBelow ? pathname.slice(prefix.length) : undefined;
  };
  return (request) => {
    const inSandbox = below(sandbox, request);
    if (inSandbox !== undefined) return `/sandbox${inSandbox}`;
    return others.flatMap((base) => below(base, request) ?? []).at(0) ?? request.path;
  };
}

/** Requests on a page; a read of the journal has at most as many pages. */
const PAGE = 1_000;
const MAX_PAGES = 10;

const FILTERS = {
  '--filter-path <path>': 'path',
  '--filter-method <methods>': 'method',
  '--filter-status <statuses>': 'status',
  '--filter-account <account>': 'account_id',
  '--since <time>': 'start_time',
};
type Filter = keyof typeof FILTERS;

/** Adds options that select requests of the journal. */
const withFilters = (command: Command, filters: readonly Filter[]): Command =>
  filters.reduce((each, flags) => each.option(flags, descriptionOf('listRequests', FILTERS[flags])), command);

/** The parameters of the workbench for these options. */
function filtersOf(options: object): Record<string, string> {
  const { method, ...filters } = operationParametersOf(options, FILTERS);
  return method === undefined ? filters : { ...filters, method: method.toUpperCase() };
}

/** The newest requests that match, newest first. */
async function newest(
  named: NamedCredentials,
  query: Record<string, string>,
  { pages }: { pages: number },
): Promise<JournaledRequestView[]> {
  const all: JournaledRequestView[] = [];
  let token: string | undefined;
  for (let read = 0; read < pages; read++) {
    const params = { ...query, max_results: `${PAGE}`, ...(token && { pagination_token: token }) };
    const answer = await requestOperation('listRequests', named, params);
    const { data, meta } = answer as { data: JournaledRequestView[]; meta: { next_token?: string } };
    all.push(...data);
    token = meta.next_token;
    if (token === undefined) break;
  }
  return all;
}

/** Everything that the journal knows of a request. */
const detailOf = (named: NamedCredentials, id: string): Promise<object> =>
  callOperation('getRequest', named, { request_id: id });
