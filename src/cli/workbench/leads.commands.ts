import type { Command } from 'commander';
import type { LeadView } from '../../workbench/leads/lead.presenter.js';
import { print } from '../context.js';
import type { ProcessTerminal } from '../terminal.js';
import { fields, table } from '../table.js';
import { callOperation, operationCommand, operationParametersOf, type WorkbenchOptions } from './operations.js';

const SUBMIT_OPTIONS = { '--values <json>': 'field_values', '--line-item <id>': 'line_item_id', '--at <time>': 'time' };
const LIST_OPTIONS = { '--form <id>': 'lead_form_id', '--count <number>': 'max_results' };
const FORM = '019a1b2c-3d4e-7f50-8a61-b2c3d4e5f607';

/** `marquee leads submit|list`: submissions of lead forms, which exports of leads contain. */
export function addLeadsCommands(program: Command, terminal: ProcessTerminal): void {
  const leads = program
    .command('leads')
    .summary('submissions of lead forms in sandbox accounts: submit, list')
    .description(
      'People submit lead forms of sandbox accounts. Exports of leads have what they filled in. The owner of the application ' +
        'signs. The service must have its workbench.',
    );
  operationCommand(leads, 'submitLead', {
    name: 'submit',
    summary: 'submit a lead form in the name of a person',
    args: { '<account>': 'account_id', '<form>': 'lead_form_id' },
    options: SUBMIT_OPTIONS,
    examples: [
      `leads submit 2k0hx5m1q9zta ${FORM}`,
      `leads submit 2k0hx5m1q9zta ${FORM} --values '{"EMAIL":"ann@example.com"}' --line-item 2k0hx5m1q9ztb`,
    ],
  }).action(async (account_id: string, lead_form_id: string, options: WorkbenchOptions) => {
    const params = { account_id, lead_form_id, ...operationParametersOf(options, SUBMIT_OPTIONS) };
    const lead = await callOperation<LeadView>('submitLead', options, params);
    print(terminal, options, { json: lead, text: fields(rowOf(lead)) });
  });
  operationCommand(leads, 'listLeads', {
    name: 'list',
    summary: 'list the leads of an account that were stored last',
    args: { '<account>': 'account_id' },
    options: LIST_OPTIONS,
    examples: ['leads list 2k0hx5m1q9zta --count 10'],
  }).action(async (account_id: string, options: WorkbenchOptions) => {
    const params = { account_id, ...operationParametersOf(options, LIST_OPTIONS) };
    const found = await callOperation<LeadView[]>('listLeads', options, params);
    print(terminal, options, { json: found, text: table(found.map(rowOf), `Account ${account_id} has no leads.`) });
  });
}

const rowOf = ({ id, submitted_at, lead_form_id, line_item_id, field_values }: LeadView) => ({
  id,
  submitted_at,
  lead_form_id,
  line_item_id,
  field_values: JSON.stringify(field_values),
});
