import { Command, CommanderError } from 'commander';
import { StoreInUse } from '../common/db/embedded/lock.js';
import { ConfigError } from '../config.js';
import { Exit, Misuse, Refusal } from './refusal.js';
import type { Terminal } from './terminal.js';

const USAGE_ERROR = 2;

/** An empty `marquee` that writes to this terminal and never ends the process. */
export const newProgram = (terminal: Terminal): Command =>
  new Command('marquee')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .helpCommand('help [command]', 'print help')
    .configureHelp({ subcommandTerm: (command) => command.name() });

/** Runs a command and returns its exit code: 0 done, 1 refused or failed, 2 not understood. Never rejects. */
export async function runCommand(program: Command, argv: string[], terminal: Terminal): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    terminal.err(`error: ${describeError(error)}\n`);
    return error instanceof Misuse ? USAGE_ERROR : 1;
  }
}

/** What went wrong, in a line for the user; an unexpected error with its stack. */
export function describeError(error: unknown): string {
  if (EXPECTED_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, message, severity, syscall, path } = (error ?? {}) as Record<string, unknown>;
  if (typeof code === 'string' && UNREACHABLE.includes(code))
    return `DATABASE_URL: the server does not answer (${code})`;
  // Class 28 refuses who we are, class 3D the database we ask for, class 53 and 57 that there is room or time.
  if (typeof severity === 'string' && /^(28|3D|53|57)/.test(String(code))) return `DATABASE_URL: ${String(message)}`;
  if (typeof syscall === 'string' && typeof path === 'string') return String(message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const EXPECTED_ERRORS = [Refusal, Misuse, ConfigError, StoreInUse];
const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
