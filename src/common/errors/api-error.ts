/** What an error body says beside code and message. */
export interface ErrorDetail {
  parameter?: string;
  details?: string;
  value?: unknown;
  label?: string;
  /** Outside production: how a signature was expected to be made. */
  signature_help?: object;
}

/** A sentence that helps a developer on; a function of it is called only where the sentence is sent. */
export type Hint = string | (() => string | undefined);

/** How much of a refused value an error repeats, in characters of its JSON. */
const MAX_VALUE_LENGTH = 1_000;

/** A text with its end left out where it is longer than `max`. */
export const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 3).toWellFormed()}...` : text;

/** A refused value as an error repeats it: nobody reads a megabyte of nonsense, and nobody should make us send one. */
export function repeatable(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_VALUE_LENGTH);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? cut(text, MAX_VALUE_LENGTH) : value;
}

/** How much of a list is repeated beside an error, in elements. */
const MAX_ECHOED = 1_000;

/** Parameters as the answer to a refused request repeats them: all of what a client means to send, not a megabyte of it. */
export function echoable(params: object): object {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, echoed(value)]));
}

function echoed(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_VALUE_LENGTH);
  return Array.isArray(value) ? value.slice(0, MAX_ECHOED).map(echoed) : value;
}

/** A message may name a long list of what is allowed; what it quotes is cut before. */
const MAX_MESSAGE_LENGTH = 10_000;

/** One thing that is wrong with a request, and the status it is answered with. */
export class ApiError extends Error {
  /** Told by the writer of error bodies, and only outside production. */
  hint?: Hint;
  /** Why it was refused, for the log and the figures: one of few words. Never sent. */
  reason?: string;
  /** The rate limit window that was full. Never sent. */
  window?: string;

  constructor(
    readonly status: number,
    /** A word on advertising endpoints, a number in the authentication family. */
    readonly code: string | number,
    message: string,
    readonly detail: ErrorDetail = {},
    readonly headers: Record<string, string> = {},
  ) {
    // A refusal is no fault of ours: nobody reads where it was made, and to find out costs more than all else about it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(cut(message, MAX_MESSAGE_LENGTH));
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** The same error with a hint; one that it has already stays. */
  hinted(hint: Hint | undefined): this {
    this.hint ??= hint;
    return this;
  }

  /** The same error with a reason for the log; one that it has already stays. */
  because(reason: string, window?: string): this {
    this.reason ??= reason;
    this.window ??= window;
    return this;
  }

  /** The error as it stands in `errors`. */
  toBody() {
    return { code: this.code, message: this.message, ...this.detail };
  }

  /** The same without what was given and why. */
  toShortBody() {
    const { parameter } = this.detail;
    return { code: this.code, message: cut(this.message, 200), ...(parameter !== undefined && { parameter }) };
  }
}

/** Everything that is wrong with one request, so that its sender learns of it in one answer. */
export class ApiErrors extends Error {
  constructor(readonly errors: ApiError[]) {
    super(errors.map((error) => error.message).join('; '));
  }

  get status() {
    return this.errors[0].status;
  }
}

/** Throws what is wrong, if anything is. */
export function refuseAny(problems: readonly ApiError[]): void {
  if (problems.length > 0) throw new ApiErrors([...problems]);
}

/** What is wrong with the operations of a batch, by their index; empty where an operation is fine. */
export class OperationErrors extends Error {
  constructor(
    readonly operations: ApiError[][],
    readonly request: object[],
  ) {
    super('some operations of the batch are faulty');
  }
}
