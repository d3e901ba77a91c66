import { Command, CommanderError } from 'commander';
import { StoreInUse } from '../common/db/embedded/lock.js';
import { ConfigError } from '../config.js';
import { Exit, Misuse, Refusal } from './refusal.js';
import type { Terminal } from './terminal.js';

const USAGE = 2;

/** An empty `marquee` that writes to this terminal and never ends the process. */
export const newProgram = (terminal: Terminal): Command =>
  new Command('marquee')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .helpCommand('help [command]', 'print help')
    .configureHelp({ subcommandTerm: (command) => command.name() });

/** Runs a command and answers its exit code: 0, 1 when it could not be carried out, 2 when it was not understood. */
export async function runCommand(program: Command, argv: string[], terminal: Terminal): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    terminal.err(`error: ${plainly(error)}\n`);
    return error instanceof Misuse ? USAGE : 1;
  }
}

/** What went wrong in words for whoever gave the command. What nobody foresaw comes with all that is known of it. */
export function plainly(error: unknown): string {
  if (FORESEEN.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, message, severity, syscall, path } = (error ?? {}) as Record<string, unknown>;
  if (typeof code === 'string' && UNREACHABLE.includes(code))
    return `DATABASE_URL: the server does not answer (${code})`;
  // Class 28 refuses who we are, class 3D the database we ask for, class 53 and 57 that there is room or time.
  if (typeof severity === 'string' && /^(28|3D|53|57)/.test(String(code))) return `DATABASE_URL: ${String(message)}`;
  if (typeof syscall === 'string' && typeof path === 'string') return String(message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const FORESEEN = [Refusal, Misuse, ConfigError, StoreInUse];
const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
