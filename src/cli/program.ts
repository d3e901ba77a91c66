import type { Command } from 'commander';
import { VERSION } from '../operations/version.js';
import { addCompletionCommand } from './completion/completion.command.js';
import { addConfigCommands } from './config.commands.js';
import { addDocsCommand, addOpenCommand, addServeCommand, addWorkerCommand } from './service.commands.js';
import { addDatabaseCommands, addStoreCommands } from './store.commands.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { addDriftCommand } from './drift/drift.command.js';
import { addFixturesCommand } from './fixtures/fixtures.command.js';
import { addClocksCommands } from './workbench/clocks.commands.js';
import { addConversionsCommands } from './workbench/conversions.commands.js';
import { addEngagementsCommands } from './workbench/engagements.commands.js';
import { addLeadsCommands } from './workbench/leads.commands.js';
import { addFaultsCommands } from './workbench/faults.commands.js';
import { addLoginCommand, addLogoutCommand, addProfileCommands } from './login/login.commands.js';
import { addLogsCommands } from './workbench/logs.commands.js';
import { addMcpCommand } from './mcp.command.js';
import { addNamespacesCommands } from './workbench/namespaces.commands.js';
import { addPostmanCommand } from './postman.command.js';
import { askRunning, processContext } from './process-context.js';
import { addRequestCommand } from './request/request.command.js';
import { addSignCommand } from './request/sign.command.js';
import { addSnapshotsCommands } from './workbench/snapshots.commands.js';
import { newProgram } from './run.js';
import type { ProcessTerminal } from './terminal.js';
import { webhookGroup } from './webhook.commands.js';
import { addWebhookListen } from './webhook-listen.command.js';

/** All commands of `marquee`, for a process of their own. */
export function processProgram(argv: string[], terminal: ProcessTerminal): Command {
  const program = newProgram(terminal)
    .description('Marquee, a self-hosted advertising platform service: run it, administer it, send requests to it.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help; each command has its own')
    .addHelpText('after', AFTER);
  program.commandsGroup('Service:');
  addServeCommand(program);
  addWorkerCommand(program);
  addConfigCommands(program, terminal, () => askRunning(argv, terminal));
  addDatabaseCommands(program, terminal);
  addDocsCommand(program, terminal);
  addOpenCommand(program, terminal);
  addCompletionCommand(program, terminal);
  addStoreCommands(program, processContext(argv, terminal));
  addWebhookListen(webhookGroup(program), terminal);
  program.commandsGroup('Requests:');
  addRequestCommand(program, terminal);
  addSignCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addFixturesCommand(program, terminal);
  addDriftCommand(program, terminal);
  addPostmanCommand(program, terminal);
  addLogsCommands(program, terminal);
  addFaultsCommands(program, terminal);
  addSnapshotsCommands(program, terminal);
  addNamespacesCommands(program, terminal);
  addClocksCommands(program, terminal);
  addConversionsCommands(program, terminal);
  addEngagementsCommands(program, terminal);
  addLeadsCommands(program, terminal);
  addMcpCommand(program, terminal);
  addLoginCommand(program, terminal);
  addLogoutCommand(program, terminal);
  addProfileCommands(program, terminal);
  return program;
}

const AFTER = `
The environment selects the store: DATABASE_URL names a PostgreSQL server, otherwise DATA_DIR (./data) has the embedded one. While
a service runs on the embedded store, it runs the commands.

Exit codes: 0 success, 1 failure, 2 wrong usage.

From an empty store to a signed request:
  $ marquee user create alice --no-password
  $ marquee app create --name Tool --owner alice --json > app.json
  $ marquee token issue --user alice --app Tool --json > token.json
  $ marquee account create --owner alice --name "Acme Shoes" --json > account.json
  $ marquee request GET /12/accounts/:account_id --credentials app.json --credentials token.json --credentials account.json

If a request does not work:
  $ marquee doctor

As a user who signs in and approves it, for an application whose key and secret are in app.json:
  $ marquee login --credentials app.json --url https://api.example.com
  $ marquee request GET /12/accounts`;
