import type { Command } from 'commander';
import { type Config, readConfig } from '../config.js';
import { describeConfig } from '../describe-config.js';
import { VERSION } from '../operations/version.js';
import { type CommandOutput, type OutputOptions, print } from './context.js';
import { fields } from './table.js';
import type { Terminal } from './terminal.js';

interface PrintConfig extends OutputOptions {
  running?: boolean;
}

/** `marquee config ...`; `printRunning` prints what a running service has. */
export function addConfigCommands(
  program: Command,
  terminal: Terminal,
  printRunning: (options: OutputOptions) => Promise<void> | void,
): void {
  const config = program
    .command('config')
    .summary('what the environment configures: print')
    .description('What the environment configures.');

  /** `config print`: every variable as it is in force. */
  config
    .command('print')
    .summary('show the configuration in force')
    .description(
      'Shows every variable as it is in force; of secrets only whether they are set. Mistakes are all named. With --running it is ' +
        'that of the service that runs here on the same DATA_DIR, or on the same HOST and PORT, with its version, process id and ' +
        'start.',
    )
    .option('--running', 'what the running service has, not what a start would have now')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee config print\n  $ marquee config print --running --json')
    .action((options: PrintConfig) => {
      if (options.running) return printRunning(options);
      print(terminal, options, shown(describeConfig(readConfig())));
    });
}

/** What this process, a service, runs with. */
export const runningConfig = (config: Config): CommandOutput =>
  shown({
    version: VERSION,
    pid: process.pid,
    started_at: new Date(performance.timeOrigin).toISOString(),
    ...describeConfig(config),
  });

const shown = (described: Record<string, unknown>): CommandOutput => ({
  json: described,
  text: fields(Object.fromEntries(Object.entries(described).map(([name, value]) => [name, textOf(value)]))),
});

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
};
