import type { Services } from './services.js';
import type { Layout } from './table.js';
import type { Terminal } from './terminal.js';

/** The output of a command: JSON for programs, text for people. */
export interface CommandOutput {
  json: unknown;
  text: string | Layout;
}

/** The options of every command with output. */
export interface OutputOptions {
  json?: boolean;
}

/** Where commands run: in a process of their own (process-context.ts) or in the service (admin-socket.ts). */
export interface Context {
  terminal: Terminal;
  /** Does the work on the store and prints its output. */
  perform(options: OutputOptions, work: (services: Services) => Promise<CommandOutput>): Promise<void>;
  /** Runs the pending migrations and prints `describe(names)`. */
  migrate(options: OutputOptions, describe: (names: string[]) => CommandOutput): Promise<void>;
}

/** Prints JSON or text, as the options say. */
export function print(terminal: Terminal, { json }: OutputOptions, output: CommandOutput): void {
  const { text } = output;
  const shown = typeof text === 'string' ? text : text(terminal.width ?? Infinity);
  const printed = json ? JSON.stringify(output.json, null, 2) : shown;
  terminal.out(printed.endsWith('\n') ? printed : `${printed}\n`);
}
