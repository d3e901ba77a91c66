import { type AccountChange, type ChangeType } from '../../accounts/change-log/account-change.entity.js';
import { resourcesByName } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';

const CHANGE_EVENTS: Record<ChangeType, string> = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' };

/** Kinds of events that report no change. */
const OTHER_KINDS = ['replay_job_status', 'user_event.revoke', 'webhook.disabled'];

/** The rules for the events about a resource; undefined if there are no events about it. */
function eventRulesOf(resource: string) {
  const { events } = resourcesByName().get(resource) ?? {};
  return events === false ? undefined : (events ?? {});
}

/** The name of the event's list of changes of this type, such as `campaign_events`. */
export const eventListName = (resource: string, type: string): string =>
  eventRulesOf(resource)?.listPerType ? `${resource.toLowerCase()}_${type}_events` : `${resource.toLowerCase()}_events`;

type StoredChange = Pick<Row<AccountChange>, 'changeType' | 'entityType' | 'changes'>;

/** The event type of a change: the action or, for some resources, its result. */
export function eventTypeOf({ changeType, entityType, changes }: StoredChange): string {
  const updates = changeType === 'UPDATE' ? Object.entries(eventRulesOf(entityType)?.updates ?? {}) : [];
  const special = updates.find(([, { reports }]) => reports(changes as Parameters<typeof reports>[0]));
  return special?.[0] ?? CHANGE_EVENTS[changeType];
}

/** The types of the events about a resource, each with what it reports; none if there are no events about it. */
export function eventTypesOf(resource: string): Record<string, string> {
  const rules = eventRulesOf(resource);
  if (!rules) return {};
  const special = Object.entries(rules.updates ?? {}).map(([type, { about }]) => [type, about] as const);
  return { create: 'created', update: 'changed', delete: 'deleted', ...Object.fromEntries(special) };
}

/** Every kind of event, such as `campaign.update`. */
export const eventKinds = (): string[] => [
  ...[...resourcesByName().keys()].flatMap((resource) =>
    Object.keys(eventTypesOf(resource)).map((type) => `${resource.toLowerCase()}.${type}`),
  ),
  ...OTHER_KINDS,
];
