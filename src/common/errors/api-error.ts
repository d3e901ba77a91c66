/** Fields of an error body beside code and message. */
export interface ErrorDetail {
  parameter?: string;
  details?: string;
  value?: unknown;
  label?: string;
  /** Outside production: how the expected signature is computed. */
  signature_help?: object;
}

/** A sentence that helps a developer. A function is called only when the sentence is sent. */
export type Hint = string | (() => string | undefined);

/** The sentence of a hint. */
export const sentenceOf = (hint: Hint | undefined): string | undefined => (typeof hint === 'function' ? hint() : hint);

/** Maximum length of a rejected value in an error, in characters of its JSON. */
const MAX_VALUE_LENGTH = 1_000;

/** A text, truncated when it is longer than `max`. */
export const truncate = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 3).toWellFormed()}...` : text;

/** A rejected value as an error repeats it, truncated so that no client can make the service send megabytes. */
export function truncatedValue(value: unknown): unknown {
  if (typeof value === 'string') return truncate(value, MAX_VALUE_LENGTH);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? truncate(text, MAX_VALUE_LENGTH) : value;
}

/** Maximum number of list elements repeated beside an error. */
const MAX_ECHOED = 1_000;

/** The parameters of a rejected request as its response echoes them, truncated when they are large. */
export function truncatedParams(params: object): object {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, echoed(value)]));
}

function echoed(value: unknown): unknown {
  if (typeof value === 'string') return truncate(value, MAX_VALUE_LENGTH);
  return Array.isArray(value) ? value.slice(0, MAX_ECHOED).map(echoed) : value;
}

/** A message may list many allowed values. Values that it quotes are truncated before. */
const MAX_MESSAGE_LENGTH = 10_000;

/** One error of a request, with the status of the response. */
export class ApiError extends Error {
  /** The writer of error bodies adds it, outside production only. */
  hint?: Hint;
  /** Reason of the rejection for logs and metrics, one of a few words. Never sent. */
  reason?: string;
  /** The rate limit window that was full. Never sent. */
  window?: string;

  constructor(
    readonly status: number,
    /** A string on advertising endpoints, a number in the authentication family. */
    readonly code: string | number,
    message: string,
    readonly detail: ErrorDetail = {},
    readonly headers: Record<string, string> = {},
  ) {
    // Skips the stack trace: nobody needs it for a rejection, and it costs more than the rest of the error.
    const text = truncate(message, MAX_MESSAGE_LENGTH);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(text);
    Error.stackTraceLimit = stackTraceLimit;
  }

  /** The same error with a hint; keeps an existing hint. */
  hinted(hint: Hint | undefined): this {
    this.hint ??= hint;
    return this;
  }

  /** The same error with a reason for the log; keeps an existing reason. */
  because(reason: string, window?: string): this {
    this.reason ??= reason;
    this.window ??= window;
    return this;
  }

  /** The error as an element of `errors`. */
  toBody() {
    return { code: this.code, message: this.message, ...this.detail };
  }

  /** The same without the received value and the details. */
  toShortBody() {
    const { parameter } = this.detail;
    return { code: this.code, message: truncate(this.message, 200), ...(parameter !== undefined && { parameter }) };
  }
}

/** All errors of one request, reported in one response. */
export class ApiErrors extends Error {
  constructor(readonly errors: ApiError[]) {
    super(errors.map((error) => error.message).join('; '));
  }

  get status() {
    return this.errors[0].status;
  }
}

/** The errors of a request that was rejected. Throws any other error. */
export function errorsOf(error: unknown): ApiError[] {
  if (error instanceof ApiErrors) return error.errors;
  if (error instanceof ApiError) return [error];
  throw error;
}

/** The problems without those that are undefined. */
export const definedErrors = (...problems: (ApiError | undefined)[]): ApiError[] =>
  problems.filter((problem) => problem !== undefined);

/** Throws the problems, if there are any. */
export function throwErrors(problems: readonly ApiError[]): void {
  if (problems.length > 0) throw new ApiErrors([...problems]);
}

/** The errors of the operations of a batch, by index; empty for a valid operation. */
export class OperationErrors extends Error {
  constructor(
    readonly operations: ApiError[][],
    readonly request: object[],
  ) {
    super('some operations of the batch are invalid');
  }
}
