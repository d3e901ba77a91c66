import { processProgram } from './program.js';
import { runCommand } from './run.js';
import { ProcessTerminal } from './terminal.js';

/** Runs what the command line of this process says; resolves with its exit code when all that it wrote has left. */
export async function command(): Promise<number> {
  const argv = process.argv.slice(2);
  const terminal = new ProcessTerminal();
  const exitCode = await runCommand(processProgram(argv, terminal), argv, terminal);
  await terminal.drained();
  return exitCode;
}
