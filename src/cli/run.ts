import { Command, CommanderError } from 'commander';
import { withoutActingCharacters } from '../common/text/acting-characters.js';
import { startFailureOf } from '../start-failure-of.js';
import { Exit, Misuse, CommandRefusal } from './refusal.js';
import type { Terminal } from './terminal.js';

const USAGE_ERROR = 2;

/** A `marquee` program without commands that writes to this terminal and never exits the process. */
export const newProgram = (terminal: Terminal): Command =>
  new Command('marquee')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .helpCommand('help [command]', 'print help')
    .configureHelp({ subcommandTerm: (command) => command.name() });

/** Runs a command and returns its exit code: 0 done, 1 refused or failed, 2 wrong usage. Never rejects. */
export async function runCommand(program: Command, argv: string[], terminal: Terminal): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    // a message may quote a file or an answer
    const lines = describeError(error).split('\n').map(withoutActingCharacters);
    terminal.err(`error: ${lines.join('\n')}\n`);
    return error instanceof Misuse ? USAGE_ERROR : 1;
  }
}

/** The error message for the user; unexpected errors with their stack. */
export function describeError(error: unknown): string {
  if (error instanceof CommandRefusal || error instanceof Misuse) return error.message;
  const startFailure = startFailureOf(error);
  if (startFailure !== undefined) return startFailure;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
