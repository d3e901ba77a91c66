import { processProgram } from './program.js';
import { runCommand } from './run.js';
import { ProcessTerminal } from './terminal.js';

const argv = process.argv.slice(2);
const terminal = new ProcessTerminal();
const exitCode = await runCommand(processProgram(argv, terminal), argv, terminal);
await terminal.drained();
process.exit(exitCode);
