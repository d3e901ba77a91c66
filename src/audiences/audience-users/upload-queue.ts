import { tooManyRequests } from '../../common/errors/catalogue.js';
import { NoAnswer } from '../../common/errors/unavailable.js';
import { KeyedSemaphore } from '../../common/keyed-semaphore.js';
import type { QueueLimits } from '../../common/semaphore.js';

/** How many uploads to one audience may wait in a process; a further one is refused at once. */
export const MAX_QUEUED = 32;
/** How long an upload waits for those before it, in milliseconds: a dozen of the largest take less. */
export const PATIENCE_MS = 25_000;
/** When an upload that was refused may be sent again, in seconds. */
const RETRY_AFTER = 5;

const refused = () =>
  tooManyRequests(
    `${MAX_QUEUED} uploads to this audience wait already; send them one after another`,
    RETRY_AFTER,
  ).because('audience-uploads');

const PATIENCE: QueueLimits = {
  maxQueued: MAX_QUEUED,
  timeoutMs: PATIENCE_MS,
  refusal: (why) => (why === 'too many' ? refused() : new NoAnswer('Other uploads to the audience took too long.')),
};

/** Uploads to one audience follow one another in their order; those to others do not wait for them. */
export class UploadQueue {
  private readonly turns = new KeyedSemaphore(1);

  /** Refuses an upload that could not wait, before anything is done for it. */
  assertRoom(audienceId: string): void {
    if (!this.turns.hasCapacity(audienceId, MAX_QUEUED)) throw refused();
  }

  /** Runs the work when it is its turn: 429 where too many wait, 503 where it is not in time. */
  run<R>(audienceId: string, work: () => Promise<R>): Promise<R> {
    return this.turns.run(audienceId, work, PATIENCE);
  }
}
