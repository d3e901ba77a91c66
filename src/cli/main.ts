import { ownProgram } from './program.js';
import { runCommand } from './run.js';
import { OwnTerminal } from './terminal.js';

const argv = process.argv.slice(2);
const terminal = new OwnTerminal();
const exitCode = await runCommand(ownProgram(argv, terminal), argv, terminal);
await terminal.drained();
process.exit(exitCode);
