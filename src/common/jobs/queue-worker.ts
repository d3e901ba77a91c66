import { setTimeout as pause } from 'node:timers/promises';
import type PgBoss from 'pg-boss';
import type { JobHandler, Job } from './job.js';
import { type SpanOf, tracedAlone } from '../tracing/tracing.js';
import { failureReasonOf } from './reason.js';

/** The outcome of an attempt. `given back`: it was interrupted, and another worker tries again. */
export const OUTCOMES = ['done', 'retried', 'failed', 'given back'] as const;
export type JobOutcome = (typeof OUTCOMES)[number];

/** Reports each attempt of a worker. */
export type ReportAttempt = (job: Job<object>, id: string, outcome: JobOutcome, error?: unknown) => void;

/** A job that this process has taken. */
export type FetchedJob = Pick<PgBoss.JobWithMetadata<object>, 'id' | 'data' | 'retryCount' | 'retryLimit'>;

/** The queue operations, in pg-boss's format. */
export interface QueueStore {
  fetch(job: Job<object>, max: number): Promise<FetchedJob[]>;
  complete(name: string, id: string): Promise<unknown>;
  fail(name: string, id: string, reason: string): Promise<unknown>;
  giveBack(name: string, ids: string[]): Promise<unknown>;
}

/** Distinguishes a timeout from a failure of the attempt. */
class TimedOut extends Error {}

/**
 * Pauses between attempts to record the end of a job while the store is unavailable; afterwards the job expires and
 * runs again.
 */
const RECORD_PAUSES_MS = [250, 1_000, 3_000, 10_000];

/**
 * Runs the jobs of one kind. pg-boss's own worker does not wait for what it records, so that an unavailable store ends
 * the process, nor for a job that arrives while it stops.
 */
export class QueueWorker {
  private readonly attempts = new Map<string, { control: AbortController; ended: Promise<void> }>();
  private stopping = false;
  private rung = false;
  private wake?: () => void;
  private loop?: Promise<void>;

  constructor(
    readonly job: Job<object>,
    private readonly handler: JobHandler<object>,
    private readonly queue: QueueStore,
    private readonly report: ReportAttempt,
  ) {}

  /** Takes jobs once it is rung. */
  start(): void {
    this.loop = this.work();
  }

  /** Signals that jobs may be due. */
  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /**
   * Takes no more jobs. Those in progress are signalled and have this long to finish; the rest returns to the queue.
   */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.ring();
    for (const { control } of this.attempts.values()) control.abort(new Error('The process stops.'));
    const over = new AbortController();
    const ended = this.loop?.then(() => Promise.all([...this.attempts.values()].map((attempt) => attempt.ended)));
    await Promise.race([ended, pause(graceMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
    const left = [...this.attempts.keys()];
    this.attempts.clear();
    if (left.length === 0) return;
    for (const id of left) this.report(this.job, id, 'given back');
    await this.queue.giveBack(this.job.name, left);
  }

  /** Runs from start to stop, so that handlers are called from here and not from the code that enqueued a job. */
  private async work(): Promise<void> {
    while (!this.stopping) {
      if (!this.rung) await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = undefined;
      this.rung = false;
      const free = this.job.concurrency - this.attempts.size;
      if (this.stopping || free < 1) continue;
      const found = await this.queue.fetch(this.job, free).catch(() => []);
      if (this.stopping && found.length > 0) {
        const ids = found.map(({ id }) => id);
        await this.queue.giveBack(this.job.name, ids).catch(() => undefined);
      } else for (const each of found) this.begin(each);
    }
  }

  private begin(found: FetchedJob): void {
    const control = new AbortController();
    const ended = this.attempt(found, control).then(() => {
      this.attempts.delete(found.id);
      // there may be more jobs
      this.ring();
    });
    this.attempts.set(found.id, { control, ended });
  }

  private async attempt({ id, data, retryCount, retryLimit }: FetchedJob, control: AbortController) {
    const { name, timeoutSeconds, runSeconds } = this.job;
    const number = retryCount + 1;
    const run = runSeconds === null ? undefined : setTimeout(() => control.abort(), runSeconds * 1_000);
    run?.unref();
    try {
      const handled = tracedAlone(
        () => spanOf(this.job, id, number),
        async () => this.handler(data, { id, number, signal: control.signal }),
      );
      await within(timeoutSeconds, handled, control).finally(() => clearTimeout(run));
    } catch (error) {
      if (this.stopping && !(error instanceof TimedOut)) {
        await this.record(id, 'given back', () => this.queue.giveBack(name, [id]), error);
      } else {
        const outcome = retryCount < retryLimit ? 'retried' : 'failed';
        await this.record(id, outcome, () => this.queue.fail(name, id, failureReasonOf(error)), error);
      }
      return;
    }
    await this.record(id, 'done', () => this.queue.complete(name, id));
  }

  private async record(id: string, outcome: JobOutcome, store: () => Promise<unknown>, error?: unknown): Promise<void> {
    for (const wait of [...RECORD_PAUSES_MS, 0]) {
      // `stop` has returned it to the queue already
      if (!this.attempts.has(id)) return;
      try {
        await store();
        return this.report(this.job, id, outcome, error);
      } catch {
        if (wait > 0) await pause(wait, undefined, { ref: false });
      }
    }
  }
}

const spanOf = ({ name }: Job<object>, id: string, attempt: number): SpanOf => ({
  name: `process ${name}`,
  kind: 'CONSUMER',
  attributes: {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': id,
    'marquee.job.attempt': attempt,
  },
});

/** The work, or TimedOut. Then `control` is aborted, and later results of the work are ignored. */
async function within(seconds: number, work: Promise<void>, control: AbortController): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimedOut(`It took longer than ${seconds} s.`);
      control.abort(error);
      reject(error);
    }, seconds * 1_000);
    timer.unref();
  });
  work.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
