import type { Command } from 'commander';
import type { NamedCredentials } from './credentials/credentials.js';
import { pretty } from './request/answer.js';
import { table } from './table.js';
import type { ProcessTerminal } from './terminal.js';
import { askWorkbench, withCredentials } from './workbench-request.js';

interface FaultsOptions extends NamedCredentials {
  json?: boolean;
}

/** The options of `add`, each with the parameter that it sets. */
const PARAMETERS = {
  operation: 'operation',
  account: 'account_id',
  probability: 'probability',
  times: 'times',
  latency: 'latency_ms',
  error: 'error_status',
  code: 'error_code',
  fault: 'fault',
  applied: 'applied',
  remaining: 'rate_limit_remaining',
  resetIn: 'rate_limit_reset_in',
  webhookFault: 'webhook_fault',
  webhook: 'webhook_id',
  event: 'event',
  ttl: 'ttl',
} as const;

type AddOptions = FaultsOptions & Partial<Record<keyof typeof PARAMETERS, string>>;

/** A fault as the service shows it. */
interface Shown {
  id: string;
  active: boolean;
  operation: string | null;
  account_id: string | null;
  probability: number;
  times: number | null;
  applied_count: number;
  latency_ms: string | null;
  error_status: number | null;
  error_code: string | null;
  fault: string | null;
  applied: string;
  rate_limit_remaining: number | null;
  webhook_fault: string | null;
  webhook_id: string | null;
  event: string | null;
  expires_at: string;
}

/** Maximum number of faults of an application. */
const MAX_FAULTS = 100;

/** `marquee faults add|list|delete|clear`: the faults that the requests of an application meet, and its webhooks. */
export function addFaultsCommands(program: Command, terminal: ProcessTerminal): void {
  const faults = program
    .command('faults')
    .summary('faults in responses and webhook deliveries: add, list, delete, clear')
    .description(
      'Faults that the requests of an application meet, to test how a client copes: latency, errors, broken connections, rate limits, ' +
        'and late, lost, repeated or forged events for its webhooks. ' +
        'The owner of the application signs. The service must have its workbench.',
    );
  addAdd(faults, terminal);
  addList(faults, terminal);
  addDelete(faults, terminal);
  addClear(faults, terminal);
}

function addAdd(faults: Command, terminal: ProcessTerminal): void {
  withCredentials(
    faults
      .command('add')
      .summary('create a fault')
      .description('Creates a fault and prints its id. Requests or deliveries that match it meet it from then on.')
      .option('--operation <operation>', 'an operation id, or a method and a path in which * stands for one segment')
      .option('--account <account>', 'only requests to this account, or its events')
      .option('--probability <share>', 'the share of requests or deliveries, from 0 to 1 (default: 1)')
      .option('--times <n>', 'how often it applies (default: until it expires)')
      .option('--latency <ms>', 'latency in milliseconds, or a range such as 100..500')
      .option('--error <status>', 'the status of an error that replaces the response')
      .option('--code <code>', 'the code of the error (default: that of the status)')
      .option(
        '--fault <kind>',
        'EMPTY_RESPONSE, MALFORMED_RESPONSE_CHUNK, RANDOM_DATA_THEN_CLOSE or CONNECTION_RESET_BY_PEER',
      )
      .option('--applied <phase>', 'BEFORE_COMMIT (default), or AFTER_COMMIT: the request is carried out before')
      .option('--remaining <n>', 'the remaining requests of the rate limit headers; 0 answers 429')
      .option('--reset-in <seconds>', 'time until the rate limit window ends')
      .option(
        '--webhook-fault <kind>',
        'a fault in deliveries to webhooks: DELAY (with --latency), DROP, DUPLICATE, REORDER or INVALID_SIGNATURE',
      )
      .option('--webhook <id>', 'only deliveries to this webhook')
      .option('--event <kind>', 'only events of this kind, such as campaign.update or campaign.*')
      .option('--ttl <seconds>', 'time until the fault expires (default: a day)'),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  $ marquee faults add --operation createCampaign --error 503 --times 2\n  $ marquee faults add --operation 'POST /12/accounts/*/campaigns' --fault CONNECTION_RESET_BY_PEER --applied AFTER_COMMIT\n  $ marquee faults add --latency 100..2000 --probability 0.2\n  $ marquee faults add --webhook-fault DROP --event campaign.update --times 2",
    )
    .action(async (options: AddOptions) => {
      const given = Object.entries(PARAMETERS).flatMap(([option, name]) => {
        const value = options[option as keyof typeof PARAMETERS];
        return value === undefined ? [] : [[name, value]];
      });
      const params = Object.fromEntries(given) as Record<string, string>;
      const { data } = (await askWorkbench(options, 'faults', { method: 'POST', params })) as { data: Shown };
      terminal.out(options.json ? pretty(JSON.stringify(data)) : `${data.id}\n`);
    });
}

function addList(faults: Command, terminal: ProcessTerminal): void {
  withCredentials(
    faults
      .command('list')
      .summary('list faults')
      .description('Lists the faults of the application, newest first, and how often each was applied.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee faults list')
    .action(async (options: FaultsOptions) => {
      const found = await all(options);
      if (options.json) return terminal.out(pretty(JSON.stringify(found)));
      terminal.out(`${table(found.map(rowOf), 'There are no faults.')(terminal.width ?? Infinity)}\n`);
    });
}

function addDelete(faults: Command, terminal: ProcessTerminal): void {
  withCredentials(
    faults
      .command('delete')
      .summary('delete faults')
      .description('Deletes faults.')
      .argument('<faults...>', 'their ids'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee faults delete 2k0hx5m1q9zta')
    .action(async (ids: string[], options: FaultsOptions) => remove(ids, options, terminal));
}

function addClear(faults: Command, terminal: ProcessTerminal): void {
  withCredentials(
    faults.command('clear').summary('delete all faults').description('Deletes all faults of the application.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee faults clear')
    .action(async (options: FaultsOptions) => {
      const ids = (await all(options)).map(({ id }) => id);
      await remove(ids, options, terminal);
    });
}

async function remove(ids: readonly string[], options: FaultsOptions, terminal: ProcessTerminal): Promise<void> {
  for (const id of ids) await askWorkbench(options, `faults/${encodeURIComponent(id)}`, { method: 'DELETE' });
  const counted = ids.length === 1 ? '1 fault' : `${ids.length} faults`;
  terminal.out(options.json ? pretty(JSON.stringify({ deleted: ids })) : `Deleted ${counted}.\n`);
}

async function all(options: FaultsOptions): Promise<Shown[]> {
  const { data } = (await askWorkbench(options, 'faults', { params: { max_results: `${MAX_FAULTS}` } })) as {
    data: Shown[];
  };
  return data;
}

const rowOf = (fault: Shown) => ({
  id: fault.id,
  concerns: fault.webhook_fault === null ? (fault.operation ?? 'all') : deliveriesOf(fault),
  account: fault.account_id,
  effect: effectOf(fault),
  probability: fault.probability,
  applied: fault.times === null ? `${fault.applied_count}` : `${fault.applied_count} of ${fault.times}`,
  active: fault.active,
  expires: fault.expires_at,
});

const deliveriesOf = ({ event, webhook_id }: Shown): string =>
  `${event ?? 'events'}${webhook_id === null ? '' : ` to ${webhook_id}`}`;

function effectOf({
  webhook_fault,
  latency_ms,
  error_status,
  error_code,
  fault,
  applied,
  rate_limit_remaining,
}: Shown): string {
  return [
    ...(webhook_fault === null ? [] : [webhook_fault]),
    ...(latency_ms === null ? [] : [`${latency_ms} ms`]),
    ...(error_status === null ? [] : [`${error_status}${error_code === null ? '' : ` ${error_code}`}`]),
    ...(fault === null ? [] : [fault]),
    ...(rate_limit_remaining === null ? [] : [`${rate_limit_remaining} requests left`]),
    ...(applied === 'AFTER_COMMIT' ? ['after the commit'] : []),
  ].join(', ');
}
