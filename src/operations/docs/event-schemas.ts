import { resourcesByName, type RecordedContent } from '../../accounts/resource-definition.js';
import { groupedBy } from '../../common/values/grouped.js';
import { eventListName, eventTypesOf } from '../../webhooks/events/event-kinds.js';
import { refTo, type DocumentSchema } from './schemas.js';

export const TEXT: DocumentSchema = { type: 'string' };
const NUMBER: DocumentSchema = { type: 'string', pattern: '^[0-9]+$' };
const TIMESTAMP: DocumentSchema = { type: 'string', format: 'date-time' };

const objectOf = (
  properties: Readonly<Record<string, DocumentSchema>>,
  optional: readonly string[] = [],
): DocumentSchema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** Adds a description to a schema. */
const describe = (description: string, schema: DocumentSchema): DocumentSchema => ({ ...schema, description });

const CHANGE_BY = objectOf({
  user_id: { ...NUMBER, description: 'The user.' },
  platform: { ...TEXT, description: 'The client that the user used.' },
});
const CHANGES: DocumentSchema = {
  type: 'object',
  description: 'The changed fields, each with its `old` and `new` value.',
  additionalProperties: {
    type: 'object',
    properties: { old: { description: 'The value before.' }, new: { description: 'The value after.' } },
  },
};

const ENVELOPE: Record<string, DocumentSchema> = {
  for_account_id: { ...TEXT, description: 'The id of the account.' },
  created_timestamp: { ...NUMBER, description: 'When the event occurred, in milliseconds since 1970.' },
  event_id: { ...TEXT, description: 'The id of the event. It is the same in every attempt and replay.' },
  test: { type: 'boolean', const: true, description: 'Only in test events.' },
};
const { for_account_id, ...ENVELOPE_WITHOUT_ACCOUNT } = ENVELOPE;

/** The schemas of the document, by name. */
type Schemas = Record<string, DocumentSchema>;

/** A kind of events, with its own name, schema and examples. */
interface DescribedEvents {
  name: string;
  about: string;
  schema: DocumentSchema;
  /** Examples of kinds that the demo does not record. */
  examples?: Record<string, object>;
}

/** The events about a resource as schemas: one, or one for each type of event. */
function eventsOf({ name: resource, content }: { name: string; content?: RecordedContent }, schemas: Schemas) {
  if (!content) throw new Error(`no presenter declares what the events of ${resource} say`);
  const about = eventTypesOf(resource);
  const types = hasOwnFields(content) ? Object.keys(content.ofTypes) : Object.keys(about);
  const lists = groupedBy(types, (type) => eventListName(resource, type));
  const words = resource.toLowerCase().replaceAll('_', ' ');
  const named = `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  return [...lists].map(([name, own]): DescribedEvents => {
    const change = objectOf(
      {
        type: { ...typesAs(resource, own, schemas), description: 'The type of the change.' },
        entity_type: { type: 'string', const: resource, description: 'The type of the entity.' },
        entity_id: { ...TEXT, description: 'The id of the entity.' },
        change_by: { ...CHANGE_BY, description: 'The author of the change.' },
        data: { ...dataOf(content, own, schemas), description: 'The entity after the change.' },
        changes: CHANGES,
      },
      ['changes'],
    );
    return {
      name,
      about: `Events of ${named}: ${own.map((type) => `${about[type]} (\`${type}\`)`).join(', ')}.`,
      schema: objectOf({ ...ENVELOPE, [name]: listOf(change) }, ['test']),
    };
  });
}

/** `campaign_events` as `CampaignEvents`. */
export const pascal = (name: string): string =>
  name.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The types of events in a list, as a closed set of words that the document defines once. */
function typesAs(resource: string, types: readonly string[], schemas: Schemas): DocumentSchema {
  if (types.length === 1) return { type: 'string', const: types[0] };
  const name = types.join() === 'create,update,delete' ? 'EntityEventType' : `${pascal(resource)}EventType`;
  schemas[name] ??= { type: 'string', enum: [...types] };
  return { $ref: refTo(name) };
}

const listOf = (items: DocumentSchema): DocumentSchema => ({
  type: 'array',
  minItems: 1,
  maxItems: 1,
  items,
  description: 'The event.',
});

const hasOwnFields = (content: RecordedContent): content is Extract<RecordedContent, { ofTypes: object }> =>
  'ofTypes' in content;

/** The content of events of these types. */
function dataOf(content: RecordedContent, [type]: readonly string[], schemas: Schemas): DocumentSchema {
  if (typeof content === 'function') return { $ref: refTo(content.name) };
  if (hasOwnFields(content)) {
    const properties = content.ofTypes[type] as Schemas;
    return objectOf(
      properties,
      (content.optional ?? []).filter((name) => name in properties),
    );
  }
  const { view, without = [], ofExhaustedBudgets = [], also, others } = content;
  const { properties = {} } = schemas[view.name];
  const { fields = Object.keys(properties) } = content;
  const missing = [...fields, ...without, ...ofExhaustedBudgets].filter((name) => !(name in properties));
  if (missing.length > 0) throw new Error(`${view.name} has no ${missing.join(', ')}, which its events need`);
  const kept = fields.filter((name) => !without.includes(name));
  const propertyOf = (name: string): DocumentSchema =>
    ofExhaustedBudgets.includes(name)
      ? describe(`${properties[name].description} Only when a total budget ran out.`, properties[name])
      : properties[name];
  return {
    ...objectOf(
      { ...Object.fromEntries(kept.map((name) => [name, propertyOf(name)])), ...(also as Schemas) },
      ofExhaustedBudgets,
    ),
    ...(others && { additionalProperties: { description: others } }),
  };
}

const MADE_UP = { created_timestamp: '1788256800000', event_id: '3k8f0q2m4x7zt' };
const AN_APPLICATION = '1788256800000001';
const A_USER = '1788256800000002';
const A_WEBHOOK = '1788256800000003';

/** Events that are not changes of an account. */
const OTHERS: DescribedEvents[] = [
  {
    name: 'user_event',
    about: 'An access token of the application was revoked (`revoke`).',
    schema: objectOf(
      {
        ...ENVELOPE_WITHOUT_ACCOUNT,
        for_user_id: { ...NUMBER, description: 'The user.' },
        user_event: describe(
          'The event.',
          objectOf({
            revoke: {
              ...objectOf({
                date_time: { ...TIMESTAMP, description: 'When the token was revoked.' },
                target: {
                  ...objectOf({ app_id: { ...NUMBER, description: 'The application.' } }),
                  description: 'The application whose token was revoked.',
                },
                source: {
                  ...objectOf({ user_id: { ...NUMBER, description: 'The user.' } }),
                  description: 'The user for whom the application acted.',
                },
              }),
              description: 'The revocation of an access token.',
            },
          }),
        ),
      },
      ['test'],
    ),
    examples: {
      'user_event.revoke': {
        ...MADE_UP,
        for_user_id: A_USER,
        user_event: {
          revoke: {
            date_time: '2026-09-01T10:00:00Z',
            target: { app_id: AN_APPLICATION },
            source: { user_id: A_USER },
          },
        },
      },
    },
  },
  {
    name: 'webhook_events',
    about:
      'Another webhook of the application became invalid and receives no events until it is validated again (`disabled`).',
    schema: objectOf(
      {
        ...ENVELOPE_WITHOUT_ACCOUNT,
        webhook_events: listOf(
          objectOf({
            type: { type: 'string', const: 'disabled', description: 'The type of the event.' },
            entity_type: { type: 'string', const: 'WEBHOOK', description: 'The type of the entity.' },
            entity_id: { ...NUMBER, description: 'The id of the webhook.' },
            data: describe(
              'The webhook after the change.',
              objectOf({
                id: { ...NUMBER, description: 'The id of the webhook.' },
                url: { ...TEXT, description: 'The URL of the webhook.' },
                valid: { type: 'boolean', const: false, description: 'Whether the webhook receives events.' },
                reason: { $ref: refTo('WebhookInvalidReason'), description: 'Why the webhook is invalid.' },
              }),
            ),
          }),
        ),
      },
      ['test'],
    ),
    examples: {
      'webhook.disabled': {
        ...MADE_UP,
        webhook_events: [
          {
            type: 'disabled',
            entity_type: 'WEBHOOK',
            entity_id: A_WEBHOOK,
            data: { id: A_WEBHOOK, url: 'https://client.example/webhook', valid: false, reason: 'KEPT_FAILING' },
          },
        ],
      },
    },
  },
  {
    name: 'replay_job_status',
    about: 'A replay of this webhook ended. This event follows all events of the replay.',
    schema: objectOf(
      {
        ...ENVELOPE_WITHOUT_ACCOUNT,
        replay_job_status: describe(
          'The result of the replay.',
          objectOf({
            webhook_id: { ...NUMBER, description: 'The id of the webhook.' },
            job_state: {
              $ref: refTo('WebhookReplayJobState'),
              description: 'Whether all, some or none of the events were delivered.',
            },
            job_state_description: { ...TEXT, description: 'The result as a sentence.' },
            job_id: { ...NUMBER, description: 'The id of the job.' },
          }),
        ),
      },
      ['test'],
    ),
    examples: {
      replay_job_status: {
        ...MADE_UP,
        replay_job_status: {
          webhook_id: A_WEBHOOK,
          job_state: 'Complete',
          job_state_description: '12 of 12 events were delivered again.',
          job_id: '1788256800000004',
        },
      },
    },
  },
];

/** Every kind of events by name, as schemas beside those of a document. */
export const describedEvents = (schemas: Schemas): DescribedEvents[] =>
  [
    ...[...resourcesByName().values()]
      .filter(({ events }) => events !== false)
      .flatMap((resource) => eventsOf(resource, schemas)),
    ...OTHERS,
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
