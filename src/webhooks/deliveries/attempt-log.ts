import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { inBackground } from '../../common/concurrency/background.js';
import { isOutage } from '../../common/db/query/outage.js';
import { retrying } from '../../common/db/query/retry.js';
import { newId } from '../../common/entity/ids.js';
import { record, type FailingWebhook, type RecordedAttempt } from './delivery.statements.js';

/** Maximum number of attempts recorded by one statement. */
const MAX_CONCURRENT = 500;
/** Pauses between retries while the database is unavailable. The last one repeats. */
const PAUSES_MS = [250, 1_000, 3_000];

interface Context {
  now: () => Date;
  /** Webhooks that have failed since this time or longer are reported. */
  failingBefore: () => Date;
  keptFailing: (webhooks: FailingWebhook[]) => void;
  failed: (error: unknown) => void;
}

/** Records the results of attempts. Attempts that end while a statement runs are recorded by the next one. */
export class AttemptLog {
  private waiting: { attempt: UnsavedAttempt; recorded: () => void }[] = [];
  private writing = false;
  private readonly over = new AbortController();

  constructor(
    private readonly db: EntityManager,
    private readonly context: Context,
  ) {}

  /**
   * Resolves when the attempt is recorded, or when recording is given up. In that case the delivery is retried when its
   * lease expires.
   */
  add(attempt: UnsavedAttempt): Promise<void> {
    const recorded = new Promise<void>((resolve) => this.waiting.push({ attempt, recorded: resolve }));
    if (!this.writing) inBackground(this.write(), 'recording attempts of deliveries');
    return recorded;
  }

  /** Stops waiting for an unavailable database. */
  giveUp(): void {
    this.over.abort();
  }

  private async write(): Promise<void> {
    this.writing = true;
    try {
      // Attempts that end in the same tick join the statement.
      await turn();
      while (this.waiting.length > 0) {
        const batch = this.waiting.splice(0, MAX_CONCURRENT);
        await this.store(batch.map(({ attempt }) => attempt));
        for (const { recorded } of batch) recorded();
      }
    } finally {
      this.writing = false;
    }
  }

  private async store(attempts: UnsavedAttempt[]): Promise<void> {
    const { now, failingBefore, keptFailing, failed } = this.context;
    for (let tries = 0; ; tries++) {
      try {
        const failing = await retrying(() => {
          const at = now();
          const named = attempts.map((attempt) => ({ ...attempt, attemptId: newId(at) }));
          return record(this.db, named, failingBefore().toISOString());
        });
        if (failing.length > 0) keptFailing(failing);
        return;
      } catch (error) {
        failed(error);
        if (!isOutage(error) || this.over.signal.aborted) return;
        const wait = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
        await pause(wait, undefined, { signal: this.over.signal }).catch(() => undefined);
      }
    }
  }
}

/** An attempt whose record has no id yet. */
type UnsavedAttempt = Omit<RecordedAttempt, 'attemptId'>;
