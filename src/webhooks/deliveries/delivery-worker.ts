import { setMaxListeners } from 'node:events';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { Vault } from '../../auth/credentials/vault.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { skewOf } from '../../common/db/clock-skew.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import { isOutage } from '../../common/db/query/outage.js';
import { groupedBy } from '../../common/values/grouped.js';
import { onEnqueued } from '../../common/jobs/enqueue.js';
import { Jobs, type BackgroundWork } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { shareResult, Metrics } from '../../common/metrics/metrics.js';
import { EVENTS_CHANNEL } from '../../common/outbox/outbox.js';
import { PollLoop } from '../../common/concurrency/poll-loop.js';
import { Config } from '../../config/config.js';
import { WebhookClient, type Answer } from '../client/webhook-client.js';
import type { InvalidReason } from '../entities/webhook.entity.js';
import { WebhookChecksService, type Narrow } from '../endpoints/webhook-checks.service.js';
import { exchangeText } from './attempt-exchange.js';
import { AttemptLog } from './attempt-log.js';
import { DELIVERY_FAULT_HEADER, DeliveryFaults, type DeliveryFault } from './delivery-faults.js';
import { DELIVERY_STATES, type WebhookDeliveryState } from '../entities/webhook-delivery.entity.js';
import { claimDue, countWaiting, giveBack, LEASE_MS, type ClaimedDelivery } from './delivery.statements.js';
import { adoptHistory, dispatch, MAX_EVENTS, skipUnwanted } from './dispatch.statements.js';
import { EventTexts } from './event-texts.js';
import { eventIn } from '../events/event-body.js';
import { ConcurrencyLimiter, type AttemptResult } from './concurrency-limiter.js';
import { HeldDeliveries } from './held-deliveries.js';
import { WebhookRetentionJob } from './retention.job.js';
import { pauseAfter } from './retries.js';
import { invalidSignatureHeaders, signatureHeaders } from './signatures.js';

/**
 * A request takes at most 10 s. If it starts later than this, another process could claim the delivery before it ends.
 */
const LATEST_BEGIN_MS = 18_000;
/** Maximum number of deliveries that a process holds, and of those to slow webhooks. */
const HELD = { held: 1_024, heldOfSlow: 512 };
/** Interval of polling for events from other processes, minimum time between polls, and their share of the time. */
const DISPATCHING = { minMs: 25, maxMs: 500, share: 0.25 };
const CLAIMING = { minMs: 0, maxMs: 1_000 };
/** A webhook is disabled after failing for this long without a successful delivery. */
const KEPT_FAILING_MS = 3 * DAY_MS;
const MAX_SECRETS = 1_000;
/** Interval of log lines while the database is unavailable. */
const COMPLAINT_MS = 60_000;
/** Histogram buckets in seconds. */
const LATENCIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MAX_COUNTED = 10_000;
const GONE = 410;
/** The claiming loop finds what is due later by itself. */
const SOON_MS = CLAIMING.maxMs;
const NOT_THERE = 'The event no longer exists, or cannot be rendered.';

/** A claimed delivery. */
interface HeldDelivery extends ClaimedDelivery {
  /** The rendered event; undefined if it was deleted or cannot be rendered. */
  text: string | undefined;
  /** When it was claimed, by `performance.now()`. */
  claimedAt: number;
}

/** The end of an attempt. */
interface Outcome {
  to: 'DELIVERED' | 'PENDING' | 'CANCELLED';
  /** The fault that the attempt met. */
  fault?: string;
  /** The headers of the request; absent if none was sent. */
  sent?: Record<string, string>;
  /** Sends the same event again after this time, in milliseconds, whatever the answer was. */
  againAfterMs?: number;
}

/**
 * Delivers events to webhooks at least once: it dispatches them to subscribed webhooks, sends due deliveries and
 * records the results. Any number of processes may share one database. If a process dies, others take over its
 * deliveries when its lease expires.
 */
@Injectable()
export class DeliveryWorker implements BackgroundWork, OnModuleInit {
  private readonly logger = new Logger('Webhooks');
  private readonly lanes = new ConcurrencyLimiter<HeldDelivery>(HELD);
  private readonly secrets = new LRUCache<string, string>({ max: MAX_SECRETS });
  private readonly texts: EventTexts;
  private readonly log: AttemptLog;
  private readonly heldBack: HeldDeliveries;
  private readonly dispatching: PollLoop;
  private readonly claiming: PollLoop;
  private readonly stopping = new AbortController();
  private readonly requests = new Set<Promise<void>>();
  private readonly beingDisabled = new Set<string>();
  private readonly observeLatency: (seconds: number) => void;
  private readonly countAttempt: (of: { outcome: string }, by?: 0 | 1) => void;
  private lastWarnedAt = -Infinity;
  private unsubscribe = (): void => undefined;

  constructor(
    private readonly db: DataSource,
    @Inject(DATABASE) private readonly database: Pick<Database, 'time'>,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly vault: Vault,
    private readonly client: WebhookClient,
    private readonly faults: DeliveryFaults,
    private readonly checks: WebhookChecksService,
    private readonly retention: WebhookRetentionJob,
    private readonly jobs: Jobs,
    private readonly metrics: Metrics,
  ) {
    this.observeLatency = metrics.histogram(
      'webhook_latency_seconds',
      'Response time of webhooks, including failures',
      LATENCIES,
    );
    this.countAttempt = metrics.counter('webhook_deliveries_total', 'Delivery attempts, by outcome', ['outcome']);
    for (const outcome of [...DELIVERY_STATES.map(outcomeOf), DROPPED]) this.countAttempt({ outcome }, 0);
    // Each request adds a listener.
    setMaxListeners(HELD.held, this.stopping.signal);
    this.heldBack = new HeldDeliveries(db.manager, clock);
    this.texts = new EventTexts(db.manager, (error) => this.complain(error));
    this.log = new AttemptLog(db.manager, {
      failingBefore: () => new Date(clock.ms() - KEPT_FAILING_MS),
      keptFailing: (failing) =>
        failing.forEach(({ id, failingSince }) =>
          this.disable(id, 'KEPT_FAILING', (all) => all.where('failingSince', failingSince)),
        ),
      failed: (error) => this.complain(error),
      now: () => clock.now(),
    });
    this.dispatching = new PollLoop(
      (signal) => this.dispatch(signal),
      (error) => this.complain(error),
      DISPATCHING,
    );
    this.claiming = new PollLoop(
      () => this.claim(),
      (error) => this.complain(error),
      CLAIMING,
    );
  }

  onModuleInit(): void {
    this.jobs.alongside(this);
    this.metrics.gauge('webhook_requests_in_flight', 'Requests to webhooks in progress', () => this.lanes.inProgress);
    const waiting = shareResult(() => countWaiting(this.db.manager, MAX_COUNTED));
    this.metrics.gaugeBy(
      'webhook_waiting',
      'Events not yet dispatched to webhooks, and pending deliveries, up to 10,000',
      'what',
      async () => {
        const { events, deliveries } = await waiting();
        return { events, deliveries };
      },
    );
    this.metrics.gauge(
      'webhook_oldest_event_seconds',
      'Age of the oldest event not yet dispatched to webhooks',
      async () => {
        const { oldestEvent } = await waiting();
        return oldestEvent === null ? 0 : Math.max(0, (this.clock.ms() - Date.parse(oldestEvent)) / 1_000);
      },
    );
  }

  start(): void {
    this.unsubscribe = onEnqueued(this.db, (name) => void (name === EVENTS_CHANNEL.name && this.dispatching.ring()));
    this.dispatching.start();
    this.claiming.start();
  }

  /** Looks for due deliveries, unless this process does no work. */
  wakeUp(): void {
    this.dispatching.ring();
    this.claiming.ring();
  }

  async stop(graceMs: number): Promise<void> {
    this.unsubscribe();
    const late = setTimeout(() => {
      this.stopping.abort();
      this.log.giveUp();
    }, graceMs);
    await Promise.all([this.dispatching.stop(), this.claiming.stop()]);
    await this.abandon(this.lanes.empty());
    while (this.requests.size > 0) await Promise.all(this.requests);
    clearTimeout(late);
  }

  /** Dispatches events to webhooks until none are left, or the signal aborts. */
  async dispatch(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      if (await skipUnwanted(this.db.manager, this.clock.now().toISOString())) return;
      const { events, deliveries, isRestored } = await dispatch(this.db.manager, this.clock.now().toISOString());
      if (isRestored) await adoptHistory(this.db, signal);
      if (deliveries > 0) this.claiming.ring();
      if (events < MAX_EVENTS && !isRestored) return;
    }
  }

  /**
   * Claims due deliveries within the free capacity and starts sending them. A replica whose clock is so far off that it is not
   * ready claims none: it could take those of others before their leases end, and would sign with a wrong time.
   */
  private async claim(): Promise<void> {
    if (skewOf(this.database.time?.skewMs).state === 'too much') return;
    await this.heldBack.release();
    const { freeSlots, initialSlots } = this.lanes;
    if (freeSlots < 1) return;
    const others = this.lanes.freeSlotsByWebhook();
    const now = this.clock.ms();
    const claimedAt = performance.now();
    const claimed = await claimDue(this.db.manager, {
      now: new Date(now).toISOString(),
      until: new Date(now + LEASE_MS).toISOString(),
      limit: freeSlots,
      limitOfOne: initialSlots,
      others,
    });
    if (claimed.length === 0) return;
    const texts = await this.texts.of(claimed.map(({ eventId }) => eventId)).catch(async (error: unknown) => {
      await this.abandon(claimed);
      throw error;
    });
    const cut = claimed.length === freeSlots;
    for (const [id, own] of groupedBy(claimed, ({ webhookId }) => webhookId)) {
      const held = own.map((each) => ({ ...each, text: texts.get(each.eventId), claimedAt }));
      this.lanes.hold(id, held, cut || own.length >= (others.get(id) ?? initialSlots));
      this.send(id);
    }
    if (cut) this.claiming.ring();
  }

  /** Sends the held deliveries of a webhook within its concurrency limit. */
  private send(webhookId: string): void {
    for (let held = this.lanes.take(webhookId); held; held = this.lanes.take(webhookId)) {
      // After an internal error the delivery is retried when its lease expires.
      const attempted = this.attempt(held).catch((error: unknown) => {
        this.complain(error);
        return undefined;
      });
      const request = attempted.then((outcome) => {
        this.requests.delete(request);
        if (this.lanes.finish(webhookId, outcome)) this.claiming.ring();
        this.send(webhookId);
      });
      this.requests.add(request);
    }
  }

  /** Returns the result for the concurrency limiter; undefined if no request was sent. */
  private async attempt(held: HeldDelivery): Promise<AttemptResult | undefined> {
    // The lease is about to expire; the process that claims the delivery next sends it.
    if (performance.now() - held.claimedAt > LATEST_BEGIN_MS) return undefined;
    const startedAt = this.clock.now();
    const { text } = held;
    if (text === undefined) {
      await this.record(held, startedAt, { body: '', latencyMs: 0, error: NOT_THERE }, { to: 'CANCELLED' });
      return undefined;
    }
    // the fault of an attempt that has waited is known
    const fault = held.fault === null ? await this.faultOf(held, text) : undefined;
    if (fault?.kind === 'REORDER') this.heldBack.watch(held.id);
    if (fault?.kind === 'DELAY' || fault?.kind === 'REORDER') return this.ringAfter(fault.waitMs);
    const faultId = fault?.id ?? held.fault ?? undefined;
    if (fault?.kind === 'DROP') {
      await this.record(held, startedAt, { body: '', latencyMs: 0 }, { to: 'DELIVERED', fault: faultId });
      return undefined;
    }
    const seconds = this.clock.seconds();
    const { names } = this.config;
    const body = eventIn(names, text);
    const headers = {
      'content-type': 'application/json',
      ...(fault?.kind === 'INVALID_SIGNATURE'
        ? invalidSignatureHeaders(held.eventId, seconds, body, names)
        : signatureHeaders(this.secretOf(held), held.eventId, seconds, body, names)),
      ...(faultId !== undefined && { [DELIVERY_FAULT_HEADER]: faultId }),
    };
    const answer = await this.client.post(held.url, { headers, body, signal: this.stopping.signal });
    if (this.stopping.signal.aborted && answer.status === undefined) {
      await this.abandon([held]);
      return undefined;
    }
    this.observeLatency(answer.latencyMs / 1_000);
    await this.record(held, startedAt, answer, {
      to: answer.error === undefined ? 'DELIVERED' : 'PENDING',
      fault: faultId,
      sent: headers,
      ...(fault?.kind === 'DUPLICATE' && { againAfterMs: fault.waitMs }),
    });
    return { answered: answer.status !== undefined, ms: answer.latencyMs };
  }

  /** The fault that an attempt meets. A delivery that it makes wait is back in the queue by then. */
  private faultOf(held: HeldDelivery, text: string): undefined | Promise<DeliveryFault | undefined> {
    const { applicationId, webhookId } = held;
    return this.faults.find({ applicationId, webhookId, text }, (tx, fault) => this.heldBack.hold(tx, held, fault));
  }

  /** Looks for due deliveries after this time. */
  private ringAfter(ms: number): undefined {
    if (ms < SOON_MS) setTimeout(() => this.claiming.ring(), ms).unref();
    return undefined;
  }

  /** Records an attempt. A failed delivery stays pending for a retry, or fails for good. */
  private async record(
    held: HeldDelivery,
    startedAt: Date,
    answer: Answer,
    { to, fault = held.fault ?? undefined, sent, againAfterMs }: Outcome,
  ) {
    const { status = null, error = null, latencyMs, retryAfterSeconds } = answer;
    const now = this.clock.ms();
    const isRetried = to === 'PENDING' && againAfterMs === undefined;
    const pause = isRetried
      ? pauseAfter(held.attempts + 1, this.config.webhookRetrySeconds, Math.random(), retryAfterSeconds)
      : againAfterMs;
    const result = isRetried && pause === undefined ? 'FAILED' : to;
    const state = againAfterMs === undefined ? result : 'PENDING';
    const isDropped = to === 'DELIVERED' && status === null;
    this.countAttempt({ outcome: isDropped ? DROPPED : outcomeOf(result) });
    await this.log.add({
      deliveryId: held.id,
      webhookId: held.webhookId,
      startedAt: startedAt.toISOString(),
      latencyMs,
      status,
      error,
      fault: fault ?? null,
      exchange: sent ? exchangeText(sent, answer) : null,
      nextFault: againAfterMs === undefined ? null : (fault ?? null),
      state,
      dueAt: pause === undefined ? null : new Date(now + pause).toISOString(),
      settledAt: state === 'PENDING' ? null : new Date(now).toISOString(),
    });
    if (againAfterMs !== undefined) this.ringAfter(againAfterMs);
    if (this.heldBack.isWatching) this.claiming.ring();
    // a challenge that was passed since then is newer
    if (status === GONE)
      this.disable(held.webhookId, 'GONE', (all) => all.whereLessThan('validatedAt', startedAt.toISOString()));
  }

  /** Notifies the other webhooks of the application and cancels pending deliveries. */
  private disable(webhookId: string, reason: InvalidReason, narrow: Narrow): void {
    // Concurrent requests to the webhook reach the same result, if not at once then when they are retried.
    if (this.beingDisabled.has(webhookId)) return;
    this.beingDisabled.add(webhookId);
    const disabled = async () => {
      await this.checks.disable(webhookId, reason, narrow);
      await this.retention.cancelAbandoned(this.stopping.signal);
    };
    const request = disabled()
      .catch((error: unknown) => this.complain(error))
      .then(() => {
        this.requests.delete(request);
        this.beingDisabled.delete(webhookId);
      });
    this.requests.add(request);
  }

  /**
   * Leaves claimed deliveries without an attempt to other processes: at once if the database is available, otherwise
   * when the lease expires.
   */
  private async abandon(claimed: readonly ClaimedDelivery[]): Promise<void> {
    if (claimed.length === 0) return;
    const ids = claimed.map(({ id }) => id);
    await giveBack(this.db.manager, ids, this.clock.now().toISOString()).catch((error) => this.complain(error));
  }

  /** Sealing a secret again yields a different text, so the cache never returns an old secret. */
  private secretOf({ sealedSecret }: ClaimedDelivery): string {
    const secret = this.secrets.get(sealedSecret) ?? this.vault.open(sealedSecret);
    this.secrets.set(sealedSecret, secret);
    return secret;
  }

  private complain(error: unknown): void {
    const now = performance.now();
    if (now - this.lastWarnedAt < COMPLAINT_MS) return;
    this.lastWarnedAt = now;
    if (isOutage(error))
      this.logger.warn(`Webhooks wait because the database does not answer correctly: ${failureReasonOf(error)}`);
    else this.logger.error(`Delivering events to webhooks failed: ${failureReasonOf(error)}`);
  }
}

/** The metric label of an attempt that a fault of the workbench dropped. */
const DROPPED = 'dropped';

/** The metric label for the state of a delivery after an attempt. */
const outcomeOf = (state: WebhookDeliveryState) => (state === 'PENDING' ? 'retried' : state.toLowerCase());
