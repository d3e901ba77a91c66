import { randomInt } from 'node:crypto';
import type { Row } from '../../common/db/query/rows.js';
import type { DeliveryFault } from '../../webhooks/deliveries/delivery-faults.js';
import { eventKinds } from '../../webhooks/events/event-kinds.js';
import type { Fault } from './fault.entity.js';

/** The time a reordered delivery without a latency waits for the next one, in milliseconds. */
const REORDER_MS = 10_000;

/** The effect of a stored fault on one delivery; undefined for a fault of requests. */
export function deliveryFaultOf({
  id,
  webhookFault: kind,
  minLatencyMs: min,
  maxLatencyMs: max,
}: Row<Fault>): DeliveryFault | undefined {
  if (kind === null) return undefined;
  const withoutLatency = kind === 'REORDER' ? REORDER_MS : 0;
  return { id, kind, waitMs: min === null || max === null ? withoutLatency : randomInt(min, max + 1) };
}

/** True if a kind is this one, or one of the entity before `.*`. */
export const matchesEvent = (event: string, kind: string): boolean =>
  event.endsWith('.*') ? kind.startsWith(event.slice(0, -1)) : kind === event;

export const isKnownEvent = (event: string): boolean => eventKinds().some((kind) => matchesEvent(event, kind));
