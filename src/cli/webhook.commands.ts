import type { Command } from 'commander';
import type { Webhook } from '../webhooks/entities/webhook.entity.js';
import type { Row } from '../common/db/query/rows.js';
import type { Context, OutputOptions } from './context.js';
import { findApplication } from './lookups.js';
import { CommandRefusal, Misuse } from './refusal.js';
import type { Services } from './services.js';
import { fields, table } from './table.js';
import type { NamedCredentials } from './credentials/credentials.js';
import { withRunOptions, type RunCommandOptions } from './fixtures/run-options.js';
import { collectValues } from './parsing.js';

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
        const { webhookAdministration, webhooks } = services;
        const found = await (app === undefined
          ? webhookAdministration.all()
          : webhooks.list((await findApplication(services, app)).id));
        const json = await present(found);
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
        const [json] = await present([await findWebhook(services, id)]);
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

/** Webhooks as operators see them. */
async function present(webhooks: readonly Row<Webhook>[]) {
  const { wireTime } = await import('../common/db/postgres/type-parsers.js');
  return webhooks.map((webhook) => ({
    webhook_id: webhook.id,
    application_id: webhook.applicationId,
    url: webhook.url,
    valid: webhook.valid,
    invalid_reason: webhook.invalidReason,
    created_at: wireTime(webhook.createdAt),
    validated_at: wireTime(webhook.validatedAt),
    next_check_at: wireTime(webhook.nextCheckAt),
    failing_since: webhook.failingSince && wireTime(webhook.failingSince),
  }));
}

async function findWebhook({ webhookAdministration }: Services, id: string): Promise<Row<Webhook>> {
  const webhook = await webhookAdministration.withId(id);
  if (!webhook) throw new CommandRefusal(`there is no webhook ${id}; \`marquee webhook list\` lists webhooks`);
  return webhook;
}

interface Trigger extends RunCommandOptions {
  webhook?: string;
  set?: string[];
}

/** Options that only requests have. */
const OF_REQUESTS = ['set', 'credentials', 'profile', 'sandbox'] as const;

/** `webhook trigger`: causes an event, or sends one that did not happen to one webhook. */
export function addWebhookTrigger(webhook: Command, context: Context): void {
  withRunOptions(
    webhook
      .command('trigger')
      .summary('cause an event')
      .description(
        'Sends requests that cause an event of this kind, and prints what they created: campaign.delete creates a campaign and deletes ' +
          'it. The webhooks that subscribe to the account receive the event and those of the other requests. The account is account_id ' +
          'of the credentials, and the requests are signed as `request` signs them.\n\n' +
          'With --webhook it sends no request. It stores a test event for this webhook only, which is signed, delivered and retried like ' +
          'any other. The body is the example of its kind in the API reference, with "test": true.',
      )
      .argument('<kind>', 'the kind of event, such as campaign.update, post.create or custom_audience.status_change')
      .option(
        '--set <name=value>',
        'set a parameter of the last request that has any, or with request:name=value of another one; may be repeated',
        collectValues,
      )
      .option('--webhook <id>', 'the id of a valid webhook: send a test event to it instead'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee webhook trigger campaign.create --set name=Autumn\n' +
        '  $ marquee webhook trigger line_item.update --set campaign:name=Autumn --json\n' +
        '  $ marquee webhook trigger campaign.update --webhook 1790000000000001',
    )
    .action(async (kind: string, { webhook: id, ...options }: Trigger) => {
      if (id === undefined) return sendRequests(kind, options, context);
      const ignored = OF_REQUESTS.find((name) => options[name] !== undefined);
      if (ignored !== undefined) throw new Misuse(`--${ignored} and --webhook cannot be combined`);
      return sendTestEvent(kind, id, options, context);
    });
}

/** Sends the requests that cause an event of this kind. */
async function sendRequests(kind: string, options: Trigger & NamedCredentials, { terminal }: Context): Promise<void> {
  const { triggerOf } = await import('./fixtures/triggers.js');
  const { runAndPrint } = await import('./fixtures/run-and-print.js');
  const { steps, note } = triggerOf(kind, options.set);
  await runAndPrint({ fixtures: { steps, env: {} }, vocabulary: 'marquee' }, options, terminal);
  if (note !== undefined) terminal.err(`${note}\n`);
}

function sendTestEvent(kind: string, webhookId: string, options: Trigger, context: Context): Promise<void> {
  return context.perform(options, async ({ app }) => {
    const { TrialEventsService } = await import('../webhooks/deliveries/trial-events.service.js');
    const eventId = await app.get(TrialEventsService).sendExample(webhookId, kind);
    const json = { event_id: eventId, kind, webhook_id: webhookId };
    return { json, text: `The event ${json.event_id} (${kind}) is queued for webhook ${webhookId}.` };
  });
}

/** `marquee webhook ...`: the group, which is made where it is not there yet. */
export const webhookGroup = (program: Command): Command =>
  program.commands.find((each) => each.name() === 'webhook') ??
  program
    .command('webhook')
    .summary('webhooks: list, show, delete, trigger, listen')
    .description('Webhooks: the URLs of applications that receive events.');
