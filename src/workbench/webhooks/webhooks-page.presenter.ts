import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { HOUR_MS, MINUTE_MS } from '../../common/time/days.js';
import type { DeliveryCount } from '../../webhooks/deliveries/delivery.statements.js';
import type { EventDelivery, EventLog } from '../../webhooks/deliveries/event-log.js';
import { exchangeIn } from '../../webhooks/deliveries/attempt-exchange.js';
import type { Webhook } from '../../webhooks/entities/webhook.entity.js';
import {
  DELIVERY_STATES,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookDeliveryState,
} from '../../webhooks/entities/webhook-delivery.entity.js';
import type { WebhookReplay } from '../../webhooks/replay/webhook-replay.entity.js';

/** A delivery, and the kind of its event; undefined if the event is no longer stored. */
export interface ShownDelivery {
  delivery: Row<WebhookDelivery>;
  kind: string | undefined;
}

/** The time that the strips of deliveries show. */
export interface Span {
  name: string;
  title: string;
  unit: 'minute' | 'hour';
  bars: number;
  ms: number;
}

export const SPANS: readonly Span[] = [
  { name: 'hour', title: 'Last hour', unit: 'minute', bars: 60, ms: MINUTE_MS },
  { name: 'day', title: 'Last 24 hours', unit: 'hour', bars: 24, ms: HOUR_MS },
];

/** The beginning of the first bar. */
export const beginOf = ({ bars, ms }: Span, nowMs: number): number => Math.floor(nowMs / ms) * ms - (bars - 1) * ms;

const TONES: Record<WebhookDeliveryState, string> = { PENDING: '', DELIVERED: 'good', FAILED: 'bad', CANCELLED: 'bad' };

/** Only a fault delivers without a response. */
const isDropped = ({ state, lastStatus }: Row<WebhookDelivery>) => state === 'DELIVERED' && lastStatus === null;

export const presentLine = ({ delivery, kind }: ShownDelivery) => ({
  id: delivery.id,
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  kind,
  state: delivery.state,
  tone: TONES[delivery.state],
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatus ?? (isDropped(delivery) ? 'dropped by a fault' : null),
  fault: delivery.fault,
  lastError: delivery.lastError,
  isReplay: delivery.replayId !== '',
  createdAt: wireTime(delivery.createdAt),
});

export const presentReplay = (replay: Row<WebhookReplay>, tally: { delivered: number; failed: number }) => ({
  id: replay.id,
  webhookId: replay.webhookId,
  state: replay.state,
  events: replay.events,
  delivered: tally.delivered,
  failed: tally.failed,
});

/** The deliveries of a webhook over time, as a chart, and their sums. */
export function stripOf(counts: readonly DeliveryCount[], span: Span, nowMs: number) {
  const begin = beginOf(span, nowMs);
  const bars = Array.from({ length: span.bars }, () => new Map<WebhookDeliveryState, number>());
  for (const { at, state, count } of counts) bars[Math.round((Date.parse(at) - begin) / span.ms)]?.set(state, count);
  const totalOf = (bar: ReadonlyMap<string, number>) => [...bar.values()].reduce((sum, each) => sum + each, 0);
  const highest = Math.max(1, ...bars.map(totalOf));
  const percent = (share: number) => `${Number((share * 100).toFixed(2))}%`;
  return {
    highest,
    total: bars.reduce((sum, bar) => sum + totalOf(bar), 0),
    sums: DELIVERY_STATES.map((state) => ({
      state,
      count: bars.reduce((sum, bar) => sum + (bar.get(state) ?? 0), 0),
    })),
    bars: bars.flatMap((bar, i) => {
      let below = 0;
      const parts = DELIVERY_STATES.flatMap((state) => {
        const count = bar.get(state) ?? 0;
        below += count;
        const place = { y: percent(1 - below / highest), height: percent(count / highest) };
        return count === 0 ? [] : [{ state: state.toLowerCase(), ...place }];
      });
      const words = DELIVERY_STATES.flatMap((state) =>
        bar.has(state) ? [`${bar.get(state)} ${state.toLowerCase()}`] : [],
      );
      const title = `${new Date(begin + i * span.ms).toISOString().slice(11, 16)} UTC: ${words.join(', ')}`;
      return parts.length === 0 ? [] : [{ x: percent(i / span.bars), width: percent(0.8 / span.bars), parts, title }];
    }),
  };
}

/** How a webhook does, in a word and a sentence. `latencies`: of its last responses, in milliseconds. */
export function healthOf(webhook: Row<Webhook>, { sums }: ReturnType<typeof stripOf>, latencies: readonly number[]) {
  const of = (state: WebhookDeliveryState) => sums.find((each) => each.state === state)!.count;
  const failed = of('FAILED') + of('CANCELLED');
  const settled = of('DELIVERED') + failed;
  const sorted = [...latencies].sort((one, other) => one - other);
  const since = webhook.failingSince;
  const [word, tone] = !webhook.valid
    ? ['invalid', 'bad']
    : since !== null
      ? ['failing', 'bad']
      : failed > 0
        ? ['some events failed', 'bad']
        : ['healthy', 'good'];
  return {
    word,
    tone,
    failingSince: since && wireTime(since),
    share: settled === 0 ? undefined : `${Number(((of('DELIVERED') / settled) * 100).toFixed(1))} %`,
    median: sorted.length === 0 ? undefined : sorted[Math.floor(sorted.length / 2)],
  };
}

/** Characters that a page cannot show. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** A text for people: JSON with indentation, and nothing that a page cannot show. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.replace(CONTROL, '\uFFFD');
  }
}

function presentAttempt(attempt: Row<WebhookAttempt>, index: number) {
  const exchange = exchangeIn(attempt.exchange);
  const received = exchange?.received;
  return {
    id: attempt.id,
    number: index + 1,
    startedAt: wireTime(attempt.startedAt),
    latencyMs: attempt.latencyMs,
    status: attempt.status,
    error: attempt.error,
    fault: attempt.fault,
    tone: attempt.error === null ? 'good' : 'bad',
    sent: Object.entries(exchange?.sent ?? {}),
    signatures: Object.entries(exchange?.sent ?? {}).filter(([name]) => name.endsWith('signature')),
    headers: Object.entries(received?.headers ?? {}),
    body: received && received.body !== '' ? readable(received.body) : undefined,
    isCut: received?.isCut ?? false,
    isKept: exchange !== null,
  };
}

const presentEventDelivery = ({ delivery, webhook, attempts }: EventDelivery) => ({
  webhookUrl: webhook.url,
  isValid: webhook.valid,
  shown: attempts.map((attempt, i) => presentAttempt(attempt, delivery.attempts - attempts.length + i)).reverse(),
  ...presentLine({ delivery, kind: undefined }),
});

export const presentEvent = (event: EventLog) => ({
  id: event.id,
  kind: event.kind ?? 'an event that is no longer stored',
  time: wireTime(event.time),
  accountId: event.accountId,
  payload: event.text === undefined ? undefined : readable(event.text),
  raw: event.text,
  isStored: event.kind !== undefined,
  deliveries: event.deliveries.map(presentEventDelivery),
});
