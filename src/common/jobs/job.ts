/** The options of a kind of job; absent ones have the default documented here. */
export interface JobOptions {
  /** Timeout of one attempt, in seconds; then it counts as failed. 60 by default, at most 3,600. */
  timeoutSeconds?: number;
  /**
   * Seconds until the signal of an attempt aborts, so that it ends before its timeout and the next job continues. None by
   * default.
   */
  runSeconds?: number | null;
  /** Maximum number of retries: 5 by default. The last one must be within the two weeks for which a job is kept. */
  retries?: number;
  /** The pause before the first retry, in seconds: 5 by default. Each further pause is about twice as long. */
  retryDelaySeconds?: number;
  /** Maximum number of concurrent jobs of this kind in one process: 1 by default. */
  concurrency?: number;
  /**
   * The value of the payload whose jobs take turns, such as the id of an application: whoever has many jobs delays others
   * by one. None by default: jobs run in the order of their priority and time.
   */
  turnsBy?: string | null;
}

/** A kind of job. Its payload is JSON, and short: ids rather than their objects, and never a secret. */
export interface Job<Payload extends object> extends Readonly<Required<JobOptions>> {
  /** Lower-case words with hyphens, unique: the name of the queue, which a migration creates. */
  readonly name: string;
  /** For the type only: the payload that is enqueued and that the handler receives. */
  readonly payload?: Payload;
}

/** The payload of a job without parameters. */
export type NoPayload = Record<string, never>;

/** The argument of a handler besides the payload. */
export interface JobAttempt {
  /** The job's id: the same for every attempt. */
  readonly id: string;
  /** Starts at 1. */
  readonly number: number;
  /**
   * Aborted when the attempt times out, the process stops, or `runSeconds` are over. A handler that gives up then is called
   * again, except in the last case.
   */
  readonly signal: AbortSignal;
}

/**
 * Runs a job. It is called at least once: again after a failure, and after its process crashed, even if all work was
 * done. So it determines the remaining work itself, by the Clock, and must be idempotent.
 */
export type JobHandler<Payload> = (payload: Payload, attempt: JobAttempt) => Promise<void>;

const MAX_SECONDS = 3_600;
/** The queue removes a job that has waited for longer, and with it the work. */
const KEPT_SECONDS = 14 * 24 * 3_600;

/** Declares a kind of job. Throws a RangeError for options out of bounds. */
export function defineJob<Payload extends object = NoPayload>(name: string, options: JobOptions = {}): Job<Payload> {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) throw new RangeError(`A job is named in lower-case words, not "${name}"`);
  const defaults = {
    timeoutSeconds: 60,
    runSeconds: null,
    retries: 5,
    retryDelaySeconds: 5,
    concurrency: 1,
    turnsBy: null,
  };
  const job = { name, ...defaults, ...options };
  const within = (option: Exclude<keyof JobOptions, 'turnsBy'>, min: number, max: number) => {
    const value = job[option];
    if (value !== null && (!Number.isInteger(value) || value < min || value > max))
      throw new RangeError(`${name}: ${option} must be a whole number from ${min} to ${max}, not ${job[option]}`);
  };
  within('timeoutSeconds', 1, MAX_SECONDS);
  within('runSeconds', 1, job.timeoutSeconds);
  within('retries', 0, 100);
  within('retryDelaySeconds', 1, MAX_SECONDS);
  within('concurrency', 1, 100);
  // a pause is between one and two times the double of the one before
  if (2 * job.retryDelaySeconds * (2 ** job.retries - 1) > KEPT_SECONDS)
    throw new RangeError(
      `${name}: with ${job.retries} retries the last would be after the two weeks for which a job is kept`,
    );
  return Object.freeze(job);
}

/**
 * How long a job belongs to its worker, in seconds. A running worker reports the timeout itself; after this time the
 * worker must have ended, and another one takes the job.
 */
export const expirySeconds = ({ timeoutSeconds }: Job<object>): number => timeoutSeconds + 15;
