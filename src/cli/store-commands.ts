import type { Command } from 'commander';
import { addAccountAppCommands } from './account-app.commands.js';
import { addAccountCommands } from './account.commands.js';
import { addAppCommands } from './app.commands.js';
import type { Context } from './context.js';
import { addBlobsCommands } from './blobs.commands.js';
import { addCredentialsCommands } from './credentials-commands.js';
import { addCuratedCategoryCommands } from './curated-category.commands.js';
import { addDemoCommand } from './demo.command.js';
import { addDirectoryCommands } from './directory.commands.js';
import { addFundingCommands } from './funding.commands.js';
import { addMigrateCommand } from './migrate.command.js';
import { addPublisherCommands } from './publisher.commands.js';
import { addReferenceCommands } from './reference.commands.js';
import { addRemovalCommands } from './removal.commands.js';
import { addStatsCommand } from './stats/stats.command.js';
import { addTokenCommands } from './token.commands.js';
import { addUserCommands } from './user.commands.js';
import { webhookGroup } from './webhook-group.js';
import { addWebhookCommands } from './webhook.commands.js';
import { addWebhookTrigger } from './webhook-trigger.command.js';

/** The commands that need the store; a running service runs them for other processes. */
export function addStoreCommands(program: Command, context: Context): void {
  program.commandsGroup('Store:');
  addMigrateCommand(program, context);
  addDemoCommand(program, context);
  addBlobsCommands(program, context);
  program.commandsGroup('Administration:');
  addUserCommands(program, context);
  addAppCommands(program, context);
  addTokenCommands(program, context);
  addCredentialsCommands(program, context);
  addAccountCommands(program, context);
  addRemovalCommands(program, context);
  addAccountAppCommands(program, context);
  addFundingCommands(program, context);
  addStatsCommand(program, context);
  addDirectoryCommands(program, context);
  addReferenceCommands(program, context);
  addPublisherCommands(program, context);
  addCuratedCategoryCommands(program, context);
  const webhook = webhookGroup(program);
  addWebhookCommands(webhook, context);
  addWebhookTrigger(webhook, context);
}
