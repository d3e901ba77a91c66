import { setTimeout as pause } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { Clock } from '../common/clock.js';
import type { NamedCredentials } from './credentials/credentials.js';
import { Refusal } from './refusal.js';
import { pretty } from './request/answer.js';
import { table } from './table.js';
import type { ProcessTerminal } from './terminal.js';
import { askWorkbench, withCredentials } from './workbench-request.js';

interface ClocksOptions extends NamedCredentials {
  json?: boolean;
}

/** A test clock as the service shows it. */
interface Shown {
  id: string;
  name: string;
  status: 'ready' | 'advancing' | 'internal_failure';
  frozen_time: string;
  target_time: string | null;
  progress: { done: number; total: number } | null;
  failure: string | null;
  account_ids: string[];
}

/** Maximum number of test clocks of an application. */
const MAX_CLOCKS = 100;
/** Pause between two looks at an advancing clock. */
const LOOK_MS = 500;

const DURATION_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `marquee clocks create|list|show|advance|attach|detach|release|delete`: the test clocks that freeze the time of sandbox accounts. */
export function addClocksCommands(program: Command, terminal: ProcessTerminal): void {
  const clocks = program
    .command('clocks')
    .summary('test clocks of sandbox accounts: create, list, show, advance, attach, detach, release, delete')
    .description(
      'Test clocks freeze the time of sandbox accounts, and advance it: flights begin and end, scheduled posts go live. ' +
        'The owner of the application signs. The service must have its workbench.',
    );
  addCreate(clocks, terminal);
  addList(clocks, terminal);
  addShow(clocks, terminal);
  addAdvance(clocks, terminal);
  addAttach(clocks, terminal);
  addDetach(clocks, terminal);
  addRelease(clocks, terminal);
  addDelete(clocks, terminal);
}

function addCreate(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('create')
      .summary('create a test clock')
      .description('Creates a test clock and prints its id. Its accounts have its time from then on.')
      .argument('<name>', 'a name for people')
      .option('--at <time>', 'the time that it shows, in ISO 8601 (default: now)')
      .option('--account <account...>', 'sandbox accounts that follow it'),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  $ marquee clocks create 'End of the quarter' --account 2k0hx5m1q9zta\n  $ marquee clocks create Winter --at 2026-12-01T00:00:00Z --account 2k0hx5m1q9zta 2k0hx5m1q9ztb",
    )
    .action(async (name: string, options: ClocksOptions & { at?: string; account?: string[] }) => {
      const params: Record<string, string> = { name, frozen_time: options.at ?? new Clock().now().toISOString() };
      if (options.account) params.account_ids = options.account.join(',');
      const clock = await ask(options, 'clocks', { method: 'POST', params });
      terminal.out(options.json ? pretty(JSON.stringify(clock)) : `${clock.id}\n`);
    });
}

function addList(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('list')
      .summary('list test clocks')
      .description('Lists the test clocks of the application, newest first.'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee clocks list')
    .action(async (options: ClocksOptions) => {
      const params = { max_results: `${MAX_CLOCKS}` };
      const { data } = (await askWorkbench(options, 'clocks', { params })) as { data: Shown[] };
      if (options.json) return terminal.out(pretty(JSON.stringify(data)));
      terminal.out(`${table(data.map(rowOf), 'There are no test clocks.')(terminal.width ?? Infinity)}\n`);
    });
}

function addShow(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('show')
      .summary('show a test clock')
      .description('Shows a test clock, its accounts, and how far it has advanced.')
      .argument('<clock>', 'its id'),
  )
    .addHelpText('after', '\nExample:\n  $ marquee clocks show 2k0hx5m1q9zta')
    .action(async (id: string, options: ClocksOptions) => {
      terminal.out(pretty(JSON.stringify(await ask(options, pathOf(id)))));
    });
}

function addAdvance(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('advance')
      .summary('advance a test clock')
      .description(
        'Advances a test clock. What becomes due in its accounts happens in order of time. With --wait, the command ends ' +
          'when the clock has arrived, and with exit code 1 when it could not.',
      )
      .argument('<clock>', 'its id')
      .argument('[time]', 'the new time, in ISO 8601')
      .option('--by <duration>', 'how far: minutes, hours or days, such as 90d', duration)
      .option('--wait', 'wait until the clock has arrived'),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee clocks advance 2k0hx5m1q9zta --by 90d --wait\n  $ marquee clocks advance 2k0hx5m1q9zta 2026-12-30T08:00:00Z',
    )
    .action(async (id: string, time: string | undefined, options: ClocksOptions & { by?: number; wait?: boolean }) => {
      if ((time === undefined) === (options.by === undefined)) throw new Refusal('give a time or --by');
      const from = options.by === undefined ? undefined : (await ask(options, pathOf(id))).frozen_time;
      const target = from === undefined ? time! : new Date(Date.parse(from) + options.by!).toISOString();
      const begun = await ask(options, `${pathOf(id)}/advance`, { method: 'POST', params: { frozen_time: target } });
      const clock = options.wait ? await arrival(begun, options, terminal) : begun;
      terminal.out(options.json ? pretty(JSON.stringify(clock)) : `${sentenceOf(clock)}\n`);
      if (clock.status === 'internal_failure') throw new Refusal(`the test clock stopped: ${clock.failure}`);
    });
}

function addAttach(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('attach')
      .summary('attach sandbox accounts to a test clock')
      .description(
        'Attaches sandbox accounts to a test clock. They have its time from then on, which must not be before their own.',
      )
      .argument('<clock>', 'its id')
      .argument('<accounts...>', 'the ids of the accounts'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee clocks attach 2k0hx5m1q9zta 05vr32t4o13zy')
    .action((id: string, accounts: string[], options: ClocksOptions) =>
      changeAccounts(terminal, { id, accounts, options, method: 'PUT' }),
    );
}

function addDetach(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('detach')
      .summary('detach accounts from a test clock')
      .description('Detaches accounts from a test clock. They follow the time of the service again.')
      .argument('<clock>', 'its id')
      .argument('<accounts...>', 'the ids of the accounts'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee clocks detach 2k0hx5m1q9zta 05vr32t4o13zy')
    .action((id: string, accounts: string[], options: ClocksOptions) =>
      changeAccounts(terminal, { id, accounts, options, method: 'DELETE' }),
    );
}

function addRelease(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('release')
      .summary('detach accounts that you administer from any test clock')
      .description(
        'Detaches accounts from their test clocks, also from those of other applications. An administrator of the accounts ' +
          'signs. A clock that advances stops.',
      )
      .argument('<accounts...>', 'the ids of the accounts'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee clocks release 05vr32t4o13zy')
    .action(async (accounts: string[], options: ClocksOptions) => {
      for (const account of accounts)
        await askWorkbench(options, `accounts/${encodeURIComponent(account)}/clock`, { method: 'DELETE' });
      terminal.out(
        options.json ? pretty(JSON.stringify({ released: accounts })) : `Released ${accounts.join(', ')}.\n`,
      );
    });
}

/** Attaches or detaches accounts one after the other; the first that is rejected ends the command. */
async function changeAccounts(
  terminal: ProcessTerminal,
  given: { id: string; accounts: string[]; options: ClocksOptions; method: 'PUT' | 'DELETE' },
): Promise<void> {
  const { id, accounts, options, method } = given;
  let clock: Shown | undefined;
  for (const account of accounts)
    clock = await ask(options, `${pathOf(id)}/accounts/${encodeURIComponent(account)}`, { method });
  const left = clock!.account_ids.join(', ') || 'none';
  terminal.out(options.json ? pretty(JSON.stringify(clock)) : `Accounts of ${clock!.id}: ${left}\n`);
}

function addDelete(clocks: Command, terminal: ProcessTerminal): void {
  withCredentials(
    clocks
      .command('delete')
      .summary('delete test clocks')
      .description('Deletes test clocks. Their accounts follow the time of the service again.')
      .argument('<clocks...>', 'their ids'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ marquee clocks delete 2k0hx5m1q9zta')
    .action(async (ids: string[], options: ClocksOptions) => {
      for (const id of ids) await askWorkbench(options, pathOf(id), { method: 'DELETE' });
      const counted = ids.length === 1 ? '1 test clock' : `${ids.length} test clocks`;
      terminal.out(options.json ? pretty(JSON.stringify({ deleted: ids })) : `Deleted ${counted}.\n`);
    });
}

/** Waits until a clock no longer advances, and shows its progress. */
async function arrival(begun: Shown, options: NamedCredentials, terminal: ProcessTerminal): Promise<Shown> {
  let clock = begun;
  while (clock.status === 'advancing') {
    terminal.progress(sentenceOf(clock));
    await pause(LOOK_MS);
    clock = await ask(options, pathOf(clock.id));
  }
  terminal.progress();
  return clock;
}

const pathOf = (id: string): string => `clocks/${encodeURIComponent(id)}`;

async function ask(
  named: NamedCredentials,
  path: string,
  request: Parameters<typeof askWorkbench>[2] = {},
): Promise<Shown> {
  return ((await askWorkbench(named, path, request)) as { data: Shown }).data;
}

const sentenceOf = ({ status, frozen_time, target_time, progress }: Shown): string =>
  status === 'advancing'
    ? `${frozen_time} of ${target_time}: ${progress?.done ?? 0} of ${progress?.total ?? 0} done`
    : `${status}: ${frozen_time}, ${progress?.done ?? 0} done`;

const rowOf = ({ id, name, status, frozen_time, account_ids }: Shown) => ({
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
