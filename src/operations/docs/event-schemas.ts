import { CHANGED_ENTITIES, type ChangedEntity } from '../../accounts/change-log/account-change.entity.js';
import { listedAs, type EventType } from '../../webhooks/events/event-kinds.js';
import { refTo, type Schema } from './schemas.js';

/** Selects or omits fields of a schema of the document, and adds others. */
interface Part {
  of: string;
  fields?: string[];
  without?: string[];
  also?: Record<string, Schema>;
  /** Selected fields that only events of exhausted budgets have. */
  optional?: string[];
  /** Further fields, in words. */
  more?: string;
}

/** The data of an event of an entity: a schema of the document, a part of one, or a separate schema. */
type EventData = string | Part | Schema;

export const TEXT: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'string', pattern: '^[0-9]+$' };
const TIMESTAMP: Schema = { type: 'string', format: 'date-time' };
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type as string, 'null'] });

const objectOf = (properties: Record<string, Schema>, optional: string[] = []): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** Adds a description to a schema. */
const describe = (description: string, schema: Schema): Schema => ({ ...schema, description });

const POST = objectOf(
  {
    id: { ...NUMBER, description: 'The id of the post.' },
    user_id: { ...NUMBER, description: 'User id of the author.' },
    text: { ...TEXT, description: 'Text of the post.' },
    nullcast: { type: 'boolean', description: 'Whether the post is promoted only.' },
    card_uri: { ...orNull(TEXT), description: 'URI of the card; null if there is none.' },
    media_keys: { type: 'array', items: TEXT, description: 'Media keys of the post.' },
    conversation_settings: { ...orNull(TEXT), description: 'Who may reply; null if everyone may.' },
    reposted_post_id: { ...NUMBER, description: 'Only for a repost: the id of the original post.' },
    created_at: { ...TIMESTAMP, description: 'When the post was created.' },
  },
  ['reposted_post_id'],
);
const POST_NAME = objectOf({
  name: { ...orNull(TEXT), description: 'The name of the post within the account; null if it has none.' },
});

/** The entities that events are about. Commands create promotable users, and no event records their changes. */
type ToldEntity = Exclude<ChangedEntity, 'PROMOTABLE_USER'>;
const isTold = (entity: ChangedEntity): entity is ToldEntity => entity !== 'PROMOTABLE_USER';

/** The fields that an event has when a total budget runs out. */
const STATE = ['reasons_not_servable', 'servable', 'effective_status'];

/** The schema of `data` of an event, for entities whose events do not contain the whole View. */
const DATA: Partial<Record<ToldEntity, EventData>> = {
  ACCOUNT_MEDIA: {
    of: 'AccountMediaView',
    fields: ['id', 'creative_type'],
    also: { media_key: { ...TEXT, description: 'Media key of the media.' } },
  },
  AUDIENCE_PERMISSION: 'CustomAudiencePermissionView',
  CAMPAIGN: {
    of: 'CampaignView',
    without: ['id', 'budget_optimization', 'funding_instrument_id', 'currency'],
    optional: STATE,
    also: {
      start_time: { ...orNull(TIMESTAMP), description: 'Start of the flight.' },
      end_time: { ...orNull(TIMESTAMP), description: 'End of the flight.' },
    },
  },
  CARD: {
    of: 'CardView',
    without: ['card_type', 'components', 'slides'],
    also: { card_type: { ...TEXT, description: 'The card type.' } },
    more: 'The content of the card, which depends on its type.',
  },
  LIBRARY_MEDIA: {
    of: 'LibraryMediaView',
    fields: ['media_key', 'media_type', 'name', 'file_name', 'title', 'description'],
  },
  LINE_ITEM: { of: 'LineItemView', without: ['id'], optional: STATE },
  POST,
  TARGETING_CRITERIA: 'TargetingCriterionView',
};

/** The event types of most entities; no endpoint deletes a post. */
const ORDINARY = ['create', 'update', 'delete'] as const;

/** Additional event types of an entity. */
const FURTHER: Partial<Record<ToldEntity, EventType[]>> = {
  CUSTOM_AUDIENCE: ['status_change'],
  SCHEDULED_POST: ['published', 'failed'],
};

const ABOUT: Record<EventType, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  status_change: 'campaigns can now target it, or no longer can',
  published: 'published',
  failed: 'publication failed',
};

const CHANGE_BY = objectOf({
  user_id: { ...NUMBER, description: 'The user.' },
  platform: { ...TEXT, description: 'The client that the user used.' },
});
const CHANGES: Schema = {
  type: 'object',
  description: 'The changed fields, each with its `old` and `new` value.',
  additionalProperties: {
    type: 'object',
    properties: { old: { description: 'The value before.' }, new: { description: 'The value after.' } },
  },
};

const ENVELOPE: Record<string, Schema> = {
  for_account_id: { ...TEXT, description: 'The id of the account.' },
  created_timestamp: { ...NUMBER, description: 'When the event occurred, in milliseconds since 1970.' },
  event_id: { ...TEXT, description: 'The id of the event. It is the same in every attempt and replay.' },
  test: { type: 'boolean', const: true, description: 'Only in test events.' },
};
const { for_account_id, ...ENVELOPE_WITHOUT_ACCOUNT } = ENVELOPE;

/** A kind of events, with its own name, schema and examples. */
interface DescribedEvents {
  name: string;
  about: string;
  schema: Schema;
  /** Examples of kinds that the demo does not record. */
  examples?: Record<string, object>;
}

/** The events of an entity as a schema; events of posts have one list per type. */
function eventsOf(entity: ToldEntity, schemas: Record<string, Schema>): DescribedEvents[] {
  const types: EventType[] = entity === 'POST' ? ['create', 'update'] : [...ORDINARY, ...(FURTHER[entity] ?? [])];
  const names = entity === 'POST' ? types.map((type) => [type]) : [types];
  const words = entity.toLowerCase().replaceAll('_', ' ');
  const named = `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  return names.map((own) => {
    const data = entity === 'POST' && own.includes('update') ? POST_NAME : (DATA[entity] ?? `${pascal(entity)}View`);
    const change = objectOf(
      {
        type: {
          ...setOf(entity in FURTHER ? `${pascal(entity)}EventType` : 'EntityEventType', own, schemas),
          description: 'The type of the change.',
        },
        entity_type: { type: 'string', const: entity, description: 'The type of the entity.' },
        entity_id: { ...TEXT, description: 'The id of the entity.' },
        change_by: { ...CHANGE_BY, description: 'The author of the change.' },
        data: { ...dataOf(data, schemas), description: 'The entity after the change.' },
        changes: CHANGES,
      },
      ['changes'],
    );
    const name = listedAs(entity, own[0]);
    return {
      name,
      about: `Events of ${named}: ${own.map((type) => `${ABOUT[type]} (\`${type}\`)`).join(', ')}.`,
      schema: objectOf({ ...ENVELOPE, [name]: listOf(change) }, ['test']),
    };
  });
}

/** `campaign_events` as `CampaignEvents`. */
export const pascal = (name: string): string =>
  name.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A closed set of words, which the document defines once under its name. */
function setOf(name: string, own: readonly string[], schemas: Record<string, Schema>): Schema {
  if (own.length === 1) return { type: 'string', const: own[0] };
  schemas[name] ??= { type: 'string', enum: [...own] };
  return { $ref: refTo(name) };
}

const listOf = (items: Schema): Schema => ({
  type: 'array',
  minItems: 1,
  maxItems: 1,
  items,
  description: 'The event.',
});

function dataOf(of: EventData, schemas: Record<string, Schema>): Schema {
  if (typeof of === 'string') return { $ref: refTo(of) };
  if (!isPart(of)) return of;
  const { properties = {} } = schemas[of.of];
  const { fields = Object.keys(properties), without = [], optional = [], also, more } = of;
  const missing = [...fields, ...without, ...optional].filter((name) => !(name in properties));
  if (missing.length > 0) throw new Error(`${of.of} has no ${missing.join(', ')}, which its events need`);
  const kept = fields.filter((name) => !without.includes(name));
  const propertyOf = (name: string): Schema =>
    optional.includes(name)
      ? describe(`${properties[name].description} Only when a total budget ran out.`, properties[name])
      : properties[name];
  return {
    ...objectOf({ ...Object.fromEntries(kept.map((name) => [name, propertyOf(name)])), ...also }, optional),
    ...(more && { additionalProperties: { description: more } }),
  };
}

const isPart = (data: Exclude<EventData, string>): data is Part => 'of' in data;

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
export const describedEvents = (schemas: Record<string, Schema>): DescribedEvents[] =>
  [...CHANGED_ENTITIES.filter(isTold).flatMap((entity) => eventsOf(entity, schemas)), ...OTHERS].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
