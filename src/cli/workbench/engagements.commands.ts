import type { Command } from 'commander';
import type { EngagementView } from '../../workbench/engagements/engagement.presenter.js';
import { print } from '../context.js';
import type { ProcessTerminal } from '../terminal.js';
import { fields, table } from '../table.js';
import { callOperation, operationCommand, operationParametersOf, type WorkbenchOptions } from './operations.js';

const CREATE_OPTIONS = {
  '--type <type>': 'type',
  '--at <time>': 'time',
  '--ip-address <address>': 'ip_address',
  '--user-agent <agent>': 'user_agent',
};
const LIST_OPTIONS = { '--count <number>': 'max_results' };

/** `marquee engagements create|list`: clicks and views of users of the directory, to which conversions are attributed. */
export function addEngagementsCommands(program: Command, terminal: ProcessTerminal): void {
  const engagements = program
    .command('engagements')
    .summary('clicks and views of users in sandbox accounts: create, list')
    .description(
      'Users of the directory click on what line items of sandbox accounts show, or view it. Conversions are attributed to ' +
        'these engagements. The owner of the application signs. The service must have its workbench.',
    );
  operationCommand(engagements, 'createEngagement', {
    name: 'create',
    summary: 'create a click with its twclid, or a view',
    args: { '<account>': 'account_id', '<line-item>': 'line_item_id', '<user>': 'user_id' },
    options: CREATE_OPTIONS,
    examples: [
      'engagements create 2k0hx5m1q9zta 2k0hx5m1q9ztb 1000000000000042',
      'engagements create 2k0hx5m1q9zta 2k0hx5m1q9ztb 1000000000000042 --type VIEW --at 2026-11-20T08:00:00Z',
    ],
  }).action(async (account_id: string, line_item_id: string, user_id: string, options: WorkbenchOptions) => {
    const params = { account_id, line_item_id, user_id, ...operationParametersOf(options, CREATE_OPTIONS) };
    const engagement = await callOperation<EngagementView>('createEngagement', options, params);
    print(terminal, options, { json: engagement, text: fields({ ...engagement }) });
  });
  operationCommand(engagements, 'listEngagements', {
    name: 'list',
    summary: 'list the engagements of an account that were stored last',
    args: { '<account>': 'account_id' },
    options: LIST_OPTIONS,
    examples: ['engagements list 2k0hx5m1q9zta --count 10'],
  }).action(async (account_id: string, options: WorkbenchOptions) => {
    const params = { account_id, ...operationParametersOf(options, LIST_OPTIONS) };
    const found = await callOperation<EngagementView[]>('listEngagements', options, params);
    print(terminal, options, {
      json: found,
      text: table(found.map(rowOf), `Account ${account_id} has no engagements.`),
    });
  });
}

const rowOf = ({ id, time, type, user_id, line_item_id, twclid }: EngagementView) => ({
  id,
  time,
  type,
  user_id,
  line_item_id,
  twclid,
});
