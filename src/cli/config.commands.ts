import type { Command } from 'commander';
import { describeConfig, readConfig } from '../config.js';
import { type OutputOptions, print } from './context.js';
import { fields } from './table.js';
import type { Terminal } from './terminal.js';

/** `marquee config ...` */
export function addConfigCommands(program: Command, terminal: Terminal): void {
  const config = program
    .command('config')
    .summary('what the environment configures: print')
    .description('What the environment configures.');

  /** `config print`: every variable as it is in force. */
  config
    .command('print')
    .summary('show the configuration in force')
    .description(
      'Shows every variable as it is in force; of secrets only whether they are set. Mistakes are all named.',
    )
    .option('--json', 'print it as JSON')
    .action((options: OutputOptions) => {
      const described = describeConfig(readConfig());
      const shown = Object.entries(described).map(([name, value]): [string, string] => [name, textOf(value)]);
      print(terminal, options, { json: described, text: fields(Object.fromEntries(shown)) });
    });
}

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
};
