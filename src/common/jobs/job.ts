/** How a kind of job is treated; what is left out has the default named here. */
export interface JobOptions {
  /** How long one attempt may take, in seconds; then it counts as failed. 60 by default, 3,600 at most. */
  timeoutSeconds?: number;
  /** How often a failed attempt is followed by another: 5 times by default. */
  retries?: number;
  /** The pause before the first of them, in seconds: 5 by default. Each further pause is about twice as long. */
  retryDelaySeconds?: number;
  /** How many of this kind one process works on at a time: 1 by default. */
  concurrency?: number;
}

/** A kind of job. Its payload is JSON, and short: ids, not what they stand for, and never a secret. */
export interface Job<Payload extends object> extends Readonly<Required<JobOptions>> {
  /** Lower-case words with hyphens, unique: the name of the queue that a migration makes for it. */
  readonly name: string;
  /** Only a type: what is enqueued and what the handler gets. */
  readonly payload?: Payload;
}

/** The payload of a job that needs none. */
export type NoPayload = Record<string, never>;

/** What a handler knows besides the payload. */
export interface Attempt {
  /** The job's id: the same at every attempt. */
  readonly id: string;
  /** 1 at first. */
  readonly number: number;
  /** Aborted when the attempt has taken too long, or the process is to stop. A handler that gives up then is called again. */
  readonly signal: AbortSignal;
}

/**
 * Does a job. It is called at least once: again after a failure, and after its process died, even if all was done by
 * then. So it looks at what is there to do, by the Clock, and doing it twice has to be the same as once.
 */
export type Handler<Payload> = (payload: Payload, attempt: Attempt) => Promise<void>;

const MAX_SECONDS = 3_600;

/** Declares a kind of job. Throws a RangeError for options out of their bounds. */
export function defineJob<Payload extends object = NoPayload>(name: string, options: JobOptions = {}): Job<Payload> {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) throw new RangeError(`A job is named in lower-case words, not "${name}"`);
  const job = { name, timeoutSeconds: 60, retries: 5, retryDelaySeconds: 5, concurrency: 1, ...options };
  const within = (option: keyof JobOptions, least: number, most: number) => {
    if (!Number.isInteger(job[option]) || job[option] < least || job[option] > most)
      throw new RangeError(`${name}: ${option} must be a whole number from ${least} to ${most}, not ${job[option]}`);
  };
  within('timeoutSeconds', 1, MAX_SECONDS);
  within('retries', 0, 100);
  within('retryDelaySeconds', 1, MAX_SECONDS);
  within('concurrency', 1, 100);
  return Object.freeze(job);
}

/**
 * For how long a job is its worker's alone, in seconds. A worker that lives says so itself when the time is over; beyond
 * it the worker must be gone, and somebody else takes the job.
 */
export const expirySeconds = ({ timeoutSeconds }: Job<object>): number => timeoutSeconds + 15;
