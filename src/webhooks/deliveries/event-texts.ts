import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { eventOf, renderEvent, type EventRow } from '../events/event-body.js';

const MAX_BYTES = 16 * 1024 * 1024;
/** The removal of a user rewrites events: later attempts must not send the names of before. */
const TTL_MS = 10_000;

/** Renders events. An event that several webhooks receive, or one webhook repeatedly, is read and rendered once. */
export class EventTexts {
  private readonly texts = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    ttl: TTL_MS,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(
    private readonly db: EntityManager,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The rendered events by id. It omits events that were deleted or cannot be rendered. */
  async of(ids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const text = this.texts.get(id);
      if (text === undefined) unknown.push(id);
      else found.set(id, text);
    }
    for (const each of await eventTextsOf(this.db, unknown)) {
      const text = this.textOf(each);
      if (text === undefined) continue;
      this.texts.set(each.event.id, text);
      found.set(each.event.id, text);
    }
    return found;
  }

  /** An event that cannot be rendered must not block the others. */
  private textOf(each: EventRow): string | undefined {
    try {
      return renderEvent(each);
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }
}

/** The events with these ids, which are changes or stored events; those of earlier releases refer to changes. */
export async function eventTextsOf(db: EntityManager, ids: readonly string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const [changes, events] = await Promise.all([
    changesOf(db, ids),
    rows(db, OutgoingEvent)
      .whereIn('id', [...ids])
      .whereInRange('id', ...rangeOf(ids))
      .getMany(),
  ]);
  const reported = events.flatMap(({ changeId }) => changeId ?? []);
  const known = new Map<string | null, Row<AccountChange>>(
    (await changesOf(db, reported)).map((change) => [change.id, change]),
  );
  return [...changes.map(eventOf), ...events.map((event) => ({ event, change: known.get(event.changeId) }))];
}

async function changesOf(db: EntityManager, ids: readonly string[]): Promise<Row<AccountChange>[]> {
  if (ids.length === 0) return [];
  return rows(db, AccountChange)
    .whereIn('id', [...ids])
    .whereInRange('id', ...rangeOf(ids))
    .getMany();
}

/** The ids as a range: PostgreSQL finds the partitions of a range, but not of an array. */
function rangeOf(ids: readonly string[]): [from: string, to: string] {
  const sorted = [...ids].sort();
  return [sorted[0], `${sorted.at(-1)!}0`];
}
