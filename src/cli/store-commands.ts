import type { Command } from 'commander';
import { addAccountCommands } from './account.commands.js';
import { addAppCommands } from './app.commands.js';
import type { Context } from './context.js';
import { addCredentialsCommands } from './credentials-commands.js';
import { addDemoCommand } from './demo.command.js';
import { addDirectoryCommands } from './directory.commands.js';
import { addFundingCommands } from './funding.commands.js';
import { addMigrateCommand } from './migrate.command.js';
import { addTokenCommands } from './token.commands.js';
import { addUserCommands } from './user.commands.js';

/** The commands that need the store; a running service runs them for other processes. */
export function addStoreCommands(program: Command, context: Context): void {
  program.commandsGroup('Store:');
  addMigrateCommand(program, context);
  addDemoCommand(program, context);
  program.commandsGroup('Administration:');
  addUserCommands(program, context);
  addAppCommands(program, context);
  addTokenCommands(program, context);
  addCredentialsCommands(program, context);
  addAccountCommands(program, context);
  addFundingCommands(program, context);
  addDirectoryCommands(program, context);
}
