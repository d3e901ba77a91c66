import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { isOutage } from '../../common/db/query/outage.js';
import { retrying } from '../../common/db/query/retry.js';
import { newId } from '../../common/entity/ids.js';
import { record, type Attempted } from './delivery.statements.js';

/** So many are recorded by one statement. */
const MAX_CONCURRENT = 500;
/** While the store is away recording is tried again; beyond the last of these the last one holds. */
const PAUSES_MS = [250, 1_000, 3_000];

interface Context {
  now: () => Date;
  /** Webhooks that fail since then, or longer, are told. */
  failingBefore: () => Date;
  keptFailing: (webhookIds: string[]) => void;
  failed: (error: unknown) => void;
}

/** Records what came of attempts: what ends while one statement is underway goes with the next. */
export class AttemptLog {
  private waiting: { attempt: Unnamed; recorded: () => void }[] = [];
  private writing = false;
  private readonly over = new AbortController();

  constructor(
    private readonly db: EntityManager,
    private readonly context: Context,
  ) {}

  /** Resolves when it is recorded, or when that was given up; then it is made again when its lease is over. */
  add(attempt: Unnamed): Promise<void> {
    const recorded = new Promise<void>((resolve) => this.waiting.push({ attempt, recorded: resolve }));
    if (!this.writing) void this.write();
    return recorded;
  }

  /** Waits no longer for a store that is away. */
  giveUp(): void {
    this.over.abort();
  }

  private async write(): Promise<void> {
    this.writing = true;
    // what ends in this turn goes along
    await turn();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_CONCURRENT);
      await this.store(batch.map(({ attempt }) => attempt));
      for (const { recorded } of batch) recorded();
    }
    this.writing = false;
  }

  private async store(attempts: Unnamed[]): Promise<void> {
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
type Unnamed = Omit<Attempted, 'attemptId'>;
