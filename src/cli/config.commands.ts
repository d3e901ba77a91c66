import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.js';
import { describeConfig } from '../config/describe-config.js';
import { VERSION } from '../operations/version.js';
import { type CommandOutput, type OutputOptions, print } from './context.js';
import { fields } from './table.js';
import type { Terminal } from './terminal.js';

interface PrintConfig extends OutputOptions {
  running?: boolean;
}

/** `marquee config ...`; `printRunning` prints the configuration of a running service. */
export function addConfigCommands(
  program: Command,
  terminal: Terminal,
  printRunning: (options: OutputOptions) => Promise<void> | void,
): void {
  const config = program
    .command('config')
    .summary('the configuration: print')
    .description('The configuration of the environment.');

  /** `config print`: every variable with its effective value. */
  config
    .command('print')
    .summary('show the effective configuration')
    .description(
      'Shows the effective value of every variable, and of secrets only whether they are set. Lists all mistakes. With --running ' +
        'it shows the configuration of the service that runs here with the same DATA_DIR, or the same HOST and PORT, with its ' +
        'version, process id and start time.',
    )
    .option('--running', 'show the configuration of the running service, not that of the environment')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ marquee config print\n  $ marquee config print --running --json')
    .action((options: PrintConfig) => {
      if (options.running) return printRunning(options);
      print(terminal, options, shown(describeConfig(readConfig())));
    });
}

/** The effective configuration of this service. */
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
