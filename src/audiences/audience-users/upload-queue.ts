import { tooManyRequests } from '../../common/errors/catalogue.js';
import { NoAnswer } from '../../common/errors/unavailable.js';
import { KeyedSemaphore, type QueueLimits } from '../../common/concurrency/semaphore.js';

/** Maximum number of waiting uploads to one audience in a process. Further uploads are rejected at once. */
export const MAX_QUEUED = 32;
/** How long an upload waits for earlier ones, in milliseconds. A dozen of the largest uploads take less. */
export const PATIENCE_MS = 25_000;
/** When to retry a rejected upload, in seconds. */
const RETRY_AFTER = 5;

const refused = () =>
  tooManyRequests(
    `${MAX_QUEUED} uploads to this audience are already waiting; send them one after another`,
    RETRY_AFTER,
  ).because('audience-uploads');

const PATIENCE: QueueLimits = {
  maxQueued: MAX_QUEUED,
  timeoutMs: PATIENCE_MS,
  refusal: (why) => (why === 'too many' ? refused() : new NoAnswer('Other uploads to the audience took too long.')),
};

/** Runs the uploads to one audience in order. Uploads to other audiences do not wait for them. */
export class UploadQueue {
  private readonly turns = new KeyedSemaphore(1);

  /** Rejects an upload for which the queue is full, before any work. */
  assertRoom(audienceId: string): void {
    if (!this.turns.hasCapacity(audienceId, MAX_QUEUED)) throw refused();
  }

  /** Runs the work in its turn: 429 if the queue is full, 503 on a timeout. */
  run<R>(audienceId: string, work: () => Promise<R>): Promise<R> {
    return this.turns.run(audienceId, work, PATIENCE);
  }
}
