import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { LRUCache } from 'lru-cache';
import type { JournaledRequestView } from '../../workbench/journal/journaled-request.presenter.js';
import { pretty } from '../request/answer.js';
import type { ProcessTerminal } from '../terminal.js';
import { detailOf, filtersOf, MAX_PAGES, newest, withFilters } from './journal-client.js';
import { addExport } from './logs-export.command.js';
import { operationCommand, withCredentials, type WorkbenchOptions } from './operations.js';

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
