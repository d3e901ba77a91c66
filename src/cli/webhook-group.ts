import type { Command } from 'commander';

/** `marquee webhook ...`: the group, which is made where it is not there yet. */
export const webhookGroup = (program: Command): Command =>
  program.commands.find((each) => each.name() === 'webhook') ??
  program
    .command('webhook')
    .summary('webhooks: list, show, delete, trigger, listen')
    .description('Webhooks: the URLs of applications that receive events.');
