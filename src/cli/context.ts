import type { Services } from './services.js';
import type { Terminal } from './terminal.js';

/** What a command has to say: to programs, and to people. */
export interface Answer {
  json: unknown;
  text: string;
}

/** The option that every command has that answers something. */
export interface Output {
  json?: boolean;
}

/** Where the commands of a program are carried out: on a store opened for one command, or inside the running service. */
export interface Context {
  terminal: Terminal;
  /** Does the work on the store and prints what it answers. */
  perform(options: Output, work: (services: Services) => Promise<Answer>): Promise<void>;
  /** Brings the schema up to date and prints what is told about the migrations that ran. */
  migrate(options: Output, tell: (names: string[]) => Answer): Promise<void>;
}

/** Prints an answer in the form that was asked for. */
export function print(terminal: Terminal, { json }: Output, answer: Answer): void {
  terminal.out(`${json ? JSON.stringify(answer.json, null, 2) : answer.text}\n`);
}
