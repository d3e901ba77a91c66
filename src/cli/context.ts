import type { Services } from './services.js';
import type { Layout } from './table.js';
import type { Terminal } from './terminal.js';

/** What a command prints: JSON for programs, or text for people. */
export interface CommandOutput {
  json: unknown;
  text: string | Layout;
}

/** The options of every command that prints something. */
export interface OutputOptions {
  json?: boolean;
}

/** Where the commands of a program run: in a process of their own (process-context.ts), or in the service (admin-socket.ts). */
export interface Context {
  terminal: Terminal;
  /** Does the work on the store and prints its output. */
  perform(options: OutputOptions, work: (services: Services) => Promise<CommandOutput>): Promise<void>;
  /** Brings the schema up to date and prints what `describe` makes of the names of the migrations that ran. */
  migrate(options: OutputOptions, describe: (names: string[]) => CommandOutput): Promise<void>;
}

/** Prints in the form that the options ask for. */
export function print(terminal: Terminal, { json }: OutputOptions, output: CommandOutput): void {
  const { text } = output;
  const shown = typeof text === 'string' ? text : text(terminal.width ?? Infinity);
  terminal.out(`${json ? JSON.stringify(output.json, null, 2) : shown}\n`);
}
