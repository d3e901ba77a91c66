import type { OpenAPIObject } from '@nestjs/swagger';
import { describedEvents, pascal, TEXT } from './event-schemas.js';
import type { RecordedCall } from './examples.js';
import { refTo, type DocumentSchema } from './schemas.js';

/** The effect of each response to a delivery. */
const ANSWERS = {
  '2XX': { description: 'The event is delivered.' },
  '410': { description: 'The webhook becomes invalid and receives no more events.' },
  default: { description: 'The service retries later, and respects `retry-after`.' },
};

const HEADERS = [
  ['x-platform-webhooks-signature', '`sha256=` and the signature of the raw body.'],
  ['webhook-id', 'The `event_id`.'],
  ['webhook-timestamp', 'When the request was sent, in seconds since 1970.'],
  ['webhook-signature', 'The signature of Standard Webhooks, `v1,` and its value.'],
] as const;

/** Adds the webhook events to a document with complete schemas, one webhook per kind of events. */
export function addEvents(document: OpenAPIObject): OpenAPIObject {
  const schemas = (document.components ??= {}).schemas as Record<string, DocumentSchema>;
  schemas.WebhookInvalidReason ??= { type: 'string', enum: ['CRC_FAILED', 'GONE', 'KEPT_FAILING'] };
  const webhooks: Record<string, object> = {};
  for (const { name, about, schema, examples } of describedEvents(schemas)) {
    const called = `${pascal(name)}Body`;
    schemas[called] = { ...schema, description: about };
    webhooks[name] = {
      post: {
        operationId: `receive${pascal(name)}`,
        // the signatures in the headers authenticate the sender
        security: [],
        summary: about.split(':')[0].replace(/\.$/, ''),
        description: about,
        tags: ['Webhooks'],
        parameters: HEADERS.map(([header, description]) => ({
          name: header,
          in: 'header',
          required: true,
          description,
          schema: TEXT,
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: refTo(called) },
              ...(examples && { examples: inOpenApi(examples) }),
            },
          },
        },
        responses: ANSWERS,
      },
    };
  }
  return { ...document, webhooks };
}

/** The operation name of a recorded event in the recordings of the demo. */
export const recordedAs = (kind: string) => `event ${kind}`;

interface EventMedia {
  examples?: Record<string, { value: object }>;
}

/** The media types of event bodies, by the name of the list of events. */
export const eventMediaOf = ({ webhooks = {} }: OpenAPIObject): [string, EventMedia][] =>
  Object.entries(webhooks).map(([name, item]) => {
    const { post } = item as { post: { requestBody: { content: Record<string, EventMedia> } } };
    return [name, post.requestBody.content['application/json']];
  });

/** The examples of a document by the kinds of their events. */
export const eventExamplesOf = (document: OpenAPIObject): Map<string, Record<string, unknown>> =>
  new Map(
    eventMediaOf(document).flatMap(([, { examples = {} }]) =>
      Object.entries(examples).map(([kind, { value }]) => [kind, value as Record<string, unknown>] as const),
    ),
  );

/** Adds recorded events as examples of their kinds. Every kind of events must have an example. */
export function addEventExamples(document: OpenAPIObject, recordings: readonly RecordedCall[]): OpenAPIObject {
  for (const [name, media] of eventMediaOf(document)) {
    const recorded = recordings.flatMap(({ operationId, answer }): [string, object][] =>
      operationId.startsWith(recordedAs('')) && name in (answer as object)
        ? [[operationId.slice(recordedAs('').length), answer as object]]
        : [],
    );
    const examples = Object.fromEntries(recorded);
    if (name === 'scheduled_post_events') Object.assign(examples, endsOf(examples['scheduled_post.create']));
    media.examples = { ...media.examples, ...inOpenApi(examples) };
    if (Object.keys(media.examples).length === 0) throw new Error(`the demo has nothing that creates ${name}`);
  }
  return document;
}

type ScheduledPostEvent = { scheduled_post_events: { data: Record<string, unknown> & { scheduled_at: string } }[] };

/** Later events of a scheduled post, which the demo does not wait for. */
function endsOf(schema: object): Record<string, object> {
  const { scheduled_post_events: events, ...envelope } = schema as ScheduledPostEvent;
  const [{ data, ...happened }] = events;
  const ending = (type: string, news: Record<string, unknown>) => ({
    ...envelope,
    created_timestamp: String(Date.parse(data.scheduled_at)),
    scheduled_post_events: [
      {
        ...happened,
        type,
        data: { ...data, ...news, updated_at: data.scheduled_at },
        changes: Object.fromEntries(
          Object.entries(news).map(([field, value]) => [field, { old: data[field], new: value }]),
        ),
      },
    ],
  });
  const completed_at = data.scheduled_at;
  return {
    'scheduled_post.published': ending('published', {
      completed_at,
      scheduled_status: 'SUCCESS',
      post_id: '1788256800000005',
    }),
    'scheduled_post.failed': ending('failed', {
      completed_at,
      scheduled_status: 'FAILED',
      failure_reason: 'DUPLICATE_POST: this user has already published the same post',
    }),
  };
}

const inOpenApi = (examples: Record<string, object>) =>
  Object.fromEntries(Object.entries(examples).map(([kind, value]) => [kind, { value }]));
