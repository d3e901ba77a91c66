import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { LRUCache } from 'lru-cache';
import type {
  ReceivedConversionView,
  SentConversionView,
} from '../../workbench/conversions/received-conversion.presenter.js';
import { print } from '../context.js';
import { fields } from '../table.js';
import type { ProcessTerminal } from '../terminal.js';
import { callOperation, operationCommand, operationParametersOf, type WorkbenchOptions } from './operations.js';

const POLL_MS = 1_000;
const PAGE_SIZE = '200';
/** Number of printed conversions that are remembered. */
const MAX_KNOWN = 20_000;
/** A conversion that is not matched for so many polls is printed as it is. */
const MAX_WAITS = 10;

const SEND_OPTIONS = {
  '--twclid <id>': 'twclid',
  '--email <address>': 'email',
  '--phone-number <number>': 'phone_number',
  '--conversion-id <id>': 'conversion_id',
  '--value <amount>': 'value',
  '--currency <currency>': 'price_currency',
  '--number-items <number>': 'number_items',
  '--at <time>': 'conversion_time',
};

/** `marquee conversions send|tail|show`: what pixels received, and what became of it. */
export function addConversionsCommands(program: Command, terminal: ProcessTerminal): void {
  const conversions = program
    .command('conversions')
    .summary('conversions of pixels: send, tail, show')
    .description(
      'The conversions that the pixel of an account received: what they were matched by, the engagement that they are ' +
        'attributed to, and their duplicates. The owner of the application signs. The service must have its workbench.',
    );
  addSend(conversions, terminal);
  addTail(conversions, terminal);
  addShow(conversions, terminal);
}

function addSend(conversions: Command, terminal: ProcessTerminal): void {
  operationCommand(conversions, 'createReceivedConversion', {
    name: 'send',
    summary: 'send a conversion to the pixel of an account',
    args: { '<account>': 'account_id', '<event>': 'event_id' },
    options: SEND_OPTIONS,
    examples: [
      'conversions send 2k0hx5m1q9zta 2k0hx5m1q9ztb --email ann@example.com --value 20.00 --currency EUR',
      'conversions send 2k0hx5m1q9zta 2k0hx5m1q9ztb --twclid 2-4q1m8yb6o4zv9h3k0x2c7d5ta --conversion-id order-4711',
    ],
  }).action(async (account_id: string, event_id: string, options: WorkbenchOptions) => {
    const params = { account_id, event_id, ...operationParametersOf(options, SEND_OPTIONS) };
    const sent = await callOperation<SentConversionView>('createReceivedConversion', options, params);
    const { is_duplicate, ...conversion } = sent;
    const told = is_duplicate ? `It is a duplicate of conversion ${sent.id}, and is not counted.\n\n` : '';
    print(terminal, options, { json: sent, text: `${told}${shown(conversion)}` });
  });
}

function addShow(conversions: Command, terminal: ProcessTerminal): void {
  operationCommand(conversions, 'getReceivedConversion', {
    name: 'show',
    summary: 'show a conversion, its attribution and its duplicates',
    args: { '<account>': 'account_id', '<conversion>': 'received_conversion_id' },
    examples: ['conversions show 2k0hx5m1q9zta 2k0hx5m1q9ztc'],
  }).action(async (account_id: string, received_conversion_id: string, options: WorkbenchOptions) => {
    const params = { account_id, received_conversion_id };
    const found = await callOperation<ReceivedConversionView>('getReceivedConversion', options, params);
    print(terminal, options, { json: found, text: shown(found) });
  });
}

function addTail(conversions: Command, terminal: ProcessTerminal): void {
  operationCommand(conversions, 'listReceivedConversions', {
    name: 'tail',
    summary: 'print conversions as they arrive and are matched',
    args: { '<account>': 'account_id' },
    examples: ['conversions tail 2k0hx5m1q9zta', 'conversions tail 2k0hx5m1q9zta --json'],
    hasJson: false,
  })
    .option('--json', 'print JSON, one conversion per line')
    .action((account_id: string, options: WorkbenchOptions) => tail(account_id, options, terminal));
}

/** Prints each conversion once: when it is matched, or after a while. */
async function tail(account_id: string, options: WorkbenchOptions, terminal: ProcessTerminal): Promise<void> {
  const latest = () =>
    callOperation<ReceivedConversionView[]>('listReceivedConversions', options, {
      account_id,
      max_results: PAGE_SIZE,
    });
  const printed = new LRUCache<string, true>({ max: MAX_KNOWN });
  const waits = new LRUCache<string, number>({ max: MAX_KNOWN });
  // what arrived before the command began is not printed
  for (const { id } of await latest()) printed.set(id, true);
  terminal.err('Waiting for conversions.\n');
  for (;;) {
    await pause(POLL_MS);
    const found = await latest().catch((error: Error) => error);
    if (found instanceof Error) {
      terminal.err(`${found.message}\n`);
      continue;
    }
    for (const conversion of found.toReversed()) {
      const { id, state } = conversion;
      const waited = (waits.get(id) ?? 0) + 1;
      waits.set(id, waited);
      if (printed.has(id) || (state === 'WAITING' && waited < MAX_WAITS)) continue;
      printed.set(id, true);
      terminal.out(`${options.json ? JSON.stringify(conversion) : lineOf(conversion)}\n`);
    }
  }
}

/** What became of a conversion, in words. */
function attributionOf(conversion: ReceivedConversionView): string {
  const { state, matched_by, engagement_type, engagement_time, line_item_id } = conversion;
  if (state !== 'ATTRIBUTED') return state.toLowerCase().replace('_', ' ');
  return `${engagement_type} of ${engagement_time} on line item ${line_item_id}, by ${matched_by}`;
}

const valueOf = ({ value_micro, price_currency }: ReceivedConversionView): string =>
  value_micro === null ? '' : ` ${value_micro / 1_000_000} ${price_currency}`;

const lineOf = (each: ReceivedConversionView): string =>
  `${each.received_at} ${each.id} ${each.web_event_tag_id ?? each.event_name}${valueOf(each)} (${attributionOf(each)})`;

const shown = (conversion: ReceivedConversionView): string =>
  fields({ ...conversion, identifiers: conversion.identifiers.join(', '), attribution: attributionOf(conversion) });
