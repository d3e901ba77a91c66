import type { Command } from 'commander';
import type { FaultView } from '../../workbench/faults/fault.presenter.js';
import { print } from '../context.js';
import type { ProcessTerminal } from '../terminal.js';
import {
  callOperation,
  deleteAll,
  deleteCommand,
  listAll,
  listCommand,
  operationCommand,
  operationParametersOf,
  withCredentials,
  type WorkbenchOptions,
} from './operations.js';

/** The options of `add`, each with the parameter that it sets. */
const OPTIONS = {
  '--operation <operation>': 'operation',
  '--account <account>': 'account_id',
  '--probability <share>': 'probability',
  '--times <n>': 'times',
  '--latency <ms>': 'latency_ms',
  '--error <status>': 'error_status',
  '--code <code>': 'error_code',
  '--fault <kind>': 'fault',
  '--applied <phase>': 'applied',
  '--remaining <n>': 'rate_limit_remaining',
  '--reset-in <seconds>': 'rate_limit_reset_in',
  '--webhook-fault <kind>': 'webhook_fault',
  '--webhook <id>': 'webhook_id',
  '--event <kind>': 'event',
  '--ttl <seconds>': 'ttl',
};

const DELETION = { operation: 'deleteFault', noun: 'fault', argument: '<faults...>', example: '2k0hx5m1q9zta' };

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
  operationCommand(faults, 'createFault', {
    name: 'add',
    summary: 'create a fault and print its id',
    options: OPTIONS,
    examples: [
      'faults add --operation createCampaign --error 503 --times 2',
      "faults add --operation 'POST /12/accounts/*/campaigns' --fault CONNECTION_RESET_BY_PEER --applied AFTER_COMMIT",
      'faults add --latency 100..2000 --probability 0.2',
      'faults add --webhook-fault DROP --event campaign.update --times 2',
    ],
  }).action(async (options: WorkbenchOptions) => {
    const fault = await callOperation<FaultView>('createFault', options, operationParametersOf(options, OPTIONS));
    print(terminal, options, { json: fault, text: fault.id });
  });
  listCommand(faults, terminal, { operation: 'listFaults', noun: 'fault', row: rowOf });
  deleteCommand(faults, terminal, DELETION);
  addClear(faults, terminal);
}

function addClear(faults: Command, terminal: ProcessTerminal): void {
  withCredentials(
    faults.command('clear').summary('delete all faults').description('Deletes all faults of the application.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee faults clear')
    .action(async (options: WorkbenchOptions) => {
      const found = await listAll<FaultView>('listFaults', options);
      const ids = found.map(({ id }) => id);
      await deleteAll(DELETION, ids, options, terminal);
    });
}

const rowOf = (fault: FaultView) => ({
  id: fault.id,
  concerns: fault.webhook_fault === null ? (fault.operation ?? 'all') : deliveriesOf(fault),
  account: fault.account_id,
  effect: effectOf(fault),
  probability: fault.probability,
  applied: fault.times === null ? `${fault.applied_count}` : `${fault.applied_count} of ${fault.times}`,
  active: fault.active,
  expires: fault.expires_at,
});

const deliveriesOf = ({ event, webhook_id }: FaultView): string =>
  `${event ?? 'events'}${webhook_id === null ? '' : ` to ${webhook_id}`}`;

function effectOf({
  webhook_fault,
  latency_ms,
  error_status,
  error_code,
  fault,
  applied,
  rate_limit_remaining,
}: FaultView): string {
  return [
    ...(webhook_fault === null ? [] : [webhook_fault]),
    ...(latency_ms === null ? [] : [`${latency_ms} ms`]),
    ...(error_status === null ? [] : [`${error_status}${error_code === null ? '' : ` ${error_code}`}`]),
    ...(fault === null ? [] : [fault]),
    ...(rate_limit_remaining === null ? [] : [`${rate_limit_remaining} requests left`]),
    ...(applied === 'AFTER_COMMIT' ? ['after the commit'] : []),
  ].join(', ');
}
