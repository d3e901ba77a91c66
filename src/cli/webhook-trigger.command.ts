import type { Command } from 'commander';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Context, OutputOptions } from './context.js';
import { Refusal } from './refusal.js';

interface Trigger extends OutputOptions {
  webhook: string;
}

/** `webhook trigger`: an event that did not happen, to try a receiver with. */
export function addWebhookTrigger(webhook: Command, context: Context): void {
  webhook
    .command('trigger')
    .summary('send a test event to a webhook')
    .description(
      'Stores a test event for one webhook, which is signed, delivered and retried like any other. Its body is the example of ' +
        'its kind in the API reference, with "test": true.',
    )
    .argument('<kind>', 'the kind of event, such as campaign.update, user_event.revoke or replay_job_status')
    .requiredOption('--webhook <id>', 'the id of a valid webhook')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee webhook trigger campaign.update --webhook 1790000000000001')
    .action((kind: string, { webhook: id, ...options }: Trigger) =>
      context.perform(options, async ({ app }) => {
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
        const json = { event_id: await app.get(TrialEventsService).send(id, body), kind, webhook_id: id };
        return { json, text: `The event ${json.event_id} (${kind}) is queued for webhook ${id}.` };
      }),
    );
}
