import type { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { swapJsonText } from '../../names/swap-json.js';
import type { Vocabulary } from '../../names/vocabulary.js';
import type { Row } from '../../common/db/query/rows.js';
import type { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import type { Webhook } from '../entities/webhook.entity.js';
import { eventListName, eventTypeOf } from './event-kinds.js';

/** An event, and the change that it reports, if any. */
export interface EventRow {
  event: Pick<Row<OutgoingEvent>, 'id' | 'accountId' | 'createdAt' | 'body'>;
  change?: Row<AccountChange>;
}

/** A change as an event, which has the id of the change. */
export const eventOf = (change: Row<AccountChange>): EventRow => ({
  event: { id: change.id, accountId: change.accountId, createdAt: change.changeTime, body: null },
  change,
});

/** An event as it is sent. Every attempt and replay sends the same bytes. */
export const renderEvent = ({ event, change }: EventRow): string =>
  JSON.stringify(
    Object.assign(
      event.accountId === null ? {} : { for_account_id: event.accountId },
      { created_timestamp: String(Date.parse(event.createdAt)), event_id: event.id },
      change ? presentChange(change) : event.body,
    ),
  );

/** The text of an event as receivers get it, in their vocabulary. */
export const eventIn = (names: Vocabulary, text: string): string => (names === 'x' ? swapJsonText(text) : text);

/** The kind of an event, such as `campaign.update`, `user_event.revoke` or `replay_job_status`. */
export const eventKindOf = ({ event, change }: EventRow): string =>
  change ? `${change.entityType.toLowerCase()}.${eventTypeOf(change)}` : kindOfBody(event.body ?? {});

/** The kind of a rendered event or of its body. */
export function kindOfBody(body: object): string {
  const fields = body as Record<string, object>;
  const [event] = (Object.values(fields).find(Array.isArray) as { entity_type: string; type: string }[]) ?? [];
  if (event) return `${event.entity_type.toLowerCase()}.${event.type}`;
  return 'user_event' in fields ? `user_event.${Object.keys(fields.user_event).join()}` : 'replay_job_status';
}

/** The account of a rendered event, if it has one, and its kind. */
export function aboutEvent(text: string): { accountId?: string; kind: string } {
  const body = JSON.parse(text) as { for_account_id?: string };
  return { accountId: body.for_account_id, kind: kindOfBody(body) };
}

/** The body of the event that informs an application's other webhooks that one of them no longer receives events. */
export const webhookDisabled = ({ id, url, invalidReason }: Pick<Row<Webhook>, 'id' | 'url' | 'invalidReason'>) => ({
  webhook_events: [
    { type: 'disabled', entity_type: 'WEBHOOK', entity_id: id, data: { id, url, valid: false, reason: invalidReason } },
  ],
});

function presentChange(change: Row<AccountChange>): object {
  const type = eventTypeOf(change);
  const event = {
    type,
    entity_type: change.entityType,
    entity_id: change.entityId,
    change_by: { user_id: change.userId, platform: change.platform },
    data: change.entityData,
  };
  const changes = change.changeType === 'UPDATE' ? { changes: change.changes } : undefined;
  return { [eventListName(change.entityType, type)]: [Object.assign(event, changes)] };
}
