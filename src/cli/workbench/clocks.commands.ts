import { setTimeout as pause } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { Clock } from '../../common/time/clock.js';
import type { TestClockView } from '../../workbench/clocks/test-clock.presenter.js';
import { print } from '../context.js';
import type { NamedCredentials } from '../credentials/credentials.js';
import { CommandRefusal } from '../refusal.js';
import { pretty } from '../request/answer.js';
import type { ProcessTerminal } from '../terminal.js';
import {
  callOperation,
  deleteCommand,
  listCommand,
  operationCommand,
  operationParametersOf,
  type WorkbenchOptions,
} from './operations.js';

/** Interval between two reads of an advancing clock. */
const POLL_MS = 500;

const DURATION_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const CREATE_OPTIONS = { '--at <time>': 'frozen_time', '--account <account...>': 'account_ids' };
const CLOCK = { '<clock>': 'clock_id' };

/** `marquee clocks create|list|show|advance|attach|detach|release|delete`: the test clocks that freeze the time of sandbox accounts. */
export function addClocksCommands(program: Command, terminal: ProcessTerminal): void {
  const clocks = program
    .command('clocks')
    .summary('test clocks of sandbox accounts: create, list, show, advance, attach, detach, release, delete')
    .description(
      'Test clocks freeze the time of sandbox accounts, and advance it: flights begin and end, scheduled posts go live. ' +
        'The owner of the application signs. The service must have its workbench.',
    );
  operationCommand(clocks, 'createTestClock', {
    name: 'create',
    summary: 'create a test clock and print its id',
    args: { '<name>': 'name' },
    options: CREATE_OPTIONS,
    examples: [
      "clocks create 'End of the quarter' --account 2k0hx5m1q9zta",
      'clocks create Winter --at 2026-12-01T00:00:00Z --account 2k0hx5m1q9zta 2k0hx5m1q9ztb',
    ],
  }).action(async (name: string, options: WorkbenchOptions) => {
    const given = operationParametersOf(options, CREATE_OPTIONS);
    const params = { name, frozen_time: new Clock().now().toISOString(), ...given };
    const clock = await callOperation<TestClockView>('createTestClock', options, params);
    print(terminal, options, { json: clock, text: clock.id });
  });
  listCommand(clocks, terminal, { operation: 'listTestClocks', noun: 'test clock', row: rowOf });
  operationCommand(clocks, 'getTestClock', {
    name: 'show',
    summary: 'show a test clock',
    args: CLOCK,
    examples: ['clocks show 2k0hx5m1q9zta'],
    hasJson: false,
  }).action(async (id: string, options: WorkbenchOptions) => {
    terminal.out(pretty(JSON.stringify(await clockOf(id, options))));
  });
  addAdvance(clocks, terminal);
  addChange(clocks, terminal, {
    operation: 'attachAccount',
    name: 'attach',
    summary: 'attach sandbox accounts to a test clock',
  });
  addChange(clocks, terminal, {
    operation: 'detachAccount',
    name: 'detach',
    summary: 'detach accounts from a test clock',
  });
  operationCommand(clocks, 'releaseAccountClock', {
    name: 'release',
    summary: 'detach accounts that you administer from any test clock',
    args: { '<accounts...>': 'account_id' },
    examples: ['clocks release 05vr32t4o13zy'],
  }).action(async (accounts: string[], options: WorkbenchOptions) => {
    for (const account of accounts) await callOperation('releaseAccountClock', options, { account_id: account });
    print(terminal, options, { json: { released: accounts }, text: `Released ${accounts.join(', ')}.` });
  });
  deleteCommand(clocks, terminal, {
    operation: 'deleteTestClock',
    noun: 'test clock',
    argument: '<clocks...>',
    example: '2k0hx5m1q9zta',
  });
}

interface AdvanceOptions extends WorkbenchOptions {
  by?: number;
  wait?: boolean;
}

function addAdvance(clocks: Command, terminal: ProcessTerminal): void {
  operationCommand(clocks, 'advanceTestClock', {
    name: 'advance',
    summary: 'advance a test clock',
    args: { ...CLOCK, '[time]': 'frozen_time' },
    examples: ['clocks advance 2k0hx5m1q9zta --by 90d --wait', 'clocks advance 2k0hx5m1q9zta 2026-12-30T08:00:00Z'],
  })
    .option('--by <duration>', 'how far: minutes, hours or days, such as 90d', duration)
    .option('--wait', 'wait until the clock has arrived; exit code 1 if it could not')
    .action(async (id: string, time: string | undefined, options: AdvanceOptions) => {
      if ((time === undefined) === (options.by === undefined)) throw new CommandRefusal('give a time or --by');
      const from = options.by === undefined ? undefined : (await clockOf(id, options)).frozen_time;
      const target = from === undefined ? time! : new Date(Date.parse(from) + options.by!).toISOString();
      const params = { clock_id: id, frozen_time: target };
      const begun = await callOperation<TestClockView>('advanceTestClock', options, params);
      const clock = options.wait ? await arrival(begun, options, terminal) : begun;
      print(terminal, options, { json: clock, text: sentenceOf(clock) });
      if (clock.status === 'internal_failure') throw new CommandRefusal(`the test clock stopped: ${clock.failure}`);
    });
}

/** Attaches or detaches accounts one after the other; the first that is rejected ends the command. */
function addChange(
  clocks: Command,
  terminal: ProcessTerminal,
  { operation, name, summary }: { operation: string; name: string; summary: string },
): void {
  operationCommand(clocks, operation, {
    name,
    summary,
    args: { ...CLOCK, '<accounts...>': 'account_id' },
    examples: [`clocks ${name} 2k0hx5m1q9zta 05vr32t4o13zy`],
  }).action(async (id: string, accounts: string[], options: WorkbenchOptions) => {
    let clock: TestClockView | undefined;
    for (const account of accounts)
      clock = await callOperation<TestClockView>(operation, options, { clock_id: id, account_id: account });
    const attached = clock!.account_ids.join(', ') || 'none';
    print(terminal, options, { json: clock, text: `Accounts of ${clock!.id}: ${attached}` });
  });
}

/** Waits until a clock no longer advances, and shows its progress. */
async function arrival(
  begun: TestClockView,
  options: NamedCredentials,
  terminal: ProcessTerminal,
): Promise<TestClockView> {
  let clock = begun;
  while (clock.status === 'advancing') {
    terminal.progress(sentenceOf(clock));
    await pause(POLL_MS);
    clock = await clockOf(clock.id, options);
  }
  terminal.progress();
  return clock;
}

const clockOf = (id: string, named: NamedCredentials): Promise<TestClockView> =>
  callOperation('getTestClock', named, { clock_id: id });

const sentenceOf = ({ status, frozen_time, target_time, progress }: TestClockView): string =>
  status === 'advancing'
    ? `${frozen_time} of ${target_time}: ${progress?.done ?? 0} of ${progress?.total ?? 0} done`
    : `${status}: ${frozen_time}, ${progress?.done ?? 0} done`;

const rowOf = ({ id, name, status, frozen_time, account_ids }: TestClockView) => ({
  id,
  name,
  status,
  time: frozen_time,
  accounts: account_ids.join(' '),
});

/** Milliseconds of a duration such as 90d, 12h or 30m. */
function duration(given: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new InvalidArgumentError('It must be a number of minutes, hours or days, such as 30m, 12h or 90d.');
  return Number(count) * DURATION_MS[unit as keyof typeof DURATION_MS];
}
