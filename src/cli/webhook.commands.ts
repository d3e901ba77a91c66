import type { Command } from 'commander';
import type { Webhook } from '../webhooks/entities/webhook.entity.js';
import type { Row } from '../common/db/query/rows.js';
import type { Context, OutputOptions } from './context.js';
import { findApplication } from './lookups.js';
import { Refusal } from './refusal.js';
import type { Services } from './services.js';
import { fields, table } from './table.js';

const ID_HELP = 'the id of the webhook';

/** `marquee webhook list|show|delete`: the webhooks of applications, for operators. */
export function addWebhookCommands(webhook: Command, context: Context): void {
  addList(webhook, context);
  addShow(webhook, context);
  addDelete(webhook, context);
}

interface ListWebhooks extends OutputOptions {
  app?: string;
}

/** `webhook list`: the webhooks of all applications or of one. */
function addList(webhook: Command, context: Context): void {
  webhook
    .command('list')
    .summary('list webhooks')
    .description('Lists the first 1,000 webhooks, of all applications or of one.')
    .option('--app <app>', 'only those of this application: its id, consumer key or name')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  $ marquee webhook list')
    .action(({ app, ...options }: ListWebhooks) =>
      context.perform(options, async (services) => {
        const { shown } = await import('./webhook-shown.js');
        const { webhookAdministration, webhooks } = services;
        const found = await (app === undefined
          ? webhookAdministration.all()
          : webhooks.list((await findApplication(services, app)).id));
        const json = found.map(shown);
        const shortened = json.map(({ webhook_id, application_id, url, valid, invalid_reason }) => ({
          webhook_id,
          application_id,
          url,
          valid,
          invalid_reason,
        }));
        return { json, text: table(shortened, 'There are no webhooks; POST /2/webhooks registers one.') };
      }),
    );
}

/** `webhook show`: the state of a webhook. */
function addShow(webhook: Command, context: Context): void {
  webhook
    .command('show')
    .summary('show the state of a webhook')
    .description(
      'Shows whether a webhook is valid, the times of its last and next challenge, and since when it has been failing.',
    )
    .argument('<webhook>', ID_HELP)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee webhook show 1790000000000001')
    .action((id: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { shown } = await import('./webhook-shown.js');
        const json = shown(await findWebhook(services, id));
        return { json, text: fields(json) };
      }),
    );
}

/** `webhook delete`: deletes a webhook as its application could. */
function addDelete(webhook: Command, context: Context): void {
  webhook
    .command('delete')
    .summary('delete a webhook')
    .description('Deletes a webhook with its subscriptions. Pending deliveries are not sent.')
    .argument('<webhook>', ID_HELP)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee webhook delete 1790000000000001')
    .action((id: string, options: OutputOptions) =>
      context.perform(options, async (services) => {
        const { applicationId, url } = await findWebhook(services, id);
        await services.webhooks.delete(applicationId, id);
        return { json: { webhook_id: id, deleted: true }, text: `The webhook ${id} (${url}) is deleted.` };
      }),
    );
}

async function findWebhook({ webhookAdministration }: Services, id: string): Promise<Row<Webhook>> {
  const webhook = await webhookAdministration.withId(id);
  if (!webhook) throw new Refusal(`there is no webhook ${id}; \`marquee webhook list\` lists webhooks`);
  return webhook;
}
