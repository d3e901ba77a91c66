import type { Command } from 'commander';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Context } from './context.js';
import type { NamedCredentials } from './credentials/credentials.js';
import { withRunOptions, type RunCommandOptions } from './fixtures/run-options.js';
import { collect } from './parsing.js';
import { Misuse, Refusal } from './refusal.js';

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
        collect,
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
    const [{ ApiDocument }, { TrialEventsService }] = await Promise.all([
      import('../operations/docs/api-document.js'),
      import('../webhooks/deliveries/trial-events.service.js'),
    ]);
    const { eventExamplesOf } = await import('../operations/docs/events.js');
    const document = JSON.parse(await app.get(ApiDocument).asText()) as OpenAPIObject;
    const examples = eventExamplesOf(document);
    const example = examples.get(kind);
    if (!example)
      throw new Refusal(
        `there is no event of the kind ${kind}; the kinds are ${[...examples.keys()].sort().join(', ')}`,
      );
    const { event_id: _, created_timestamp: __, ...body } = example;
    const json = { event_id: await app.get(TrialEventsService).send(webhookId, body), kind, webhook_id: webhookId };
    return { json, text: `The event ${json.event_id} (${kind}) is queued for webhook ${webhookId}.` };
  });
}
