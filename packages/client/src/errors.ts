/** One of the errors of a response. */
export interface Problem {
  /** A word at advertising endpoints, a number elsewhere. */
  code: string | number;
  /** Names the parameter, the value received and the values allowed. */
  message: string;
  /** The parameter with the error. */
  parameter?: string;
  /** Outside production mode: the probable intention or the remedy. */
  hint?: string;
}

/** The rate limit window of a request. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** When the next window begins. */
  reset: Date;
}

export interface Failure {
  status: number;
  headers: Headers;
  /** The parsed body, or its text if it is not JSON. */
  body: unknown;
  /** How often the request was sent. */
  attempts: number;
}

/** The service responded with an error. `code`, `message` and `parameter` are those of the first error of the response. */
export class MarqueeError extends Error {
  override readonly name = 'MarqueeError';
  readonly status: number;
  readonly code: string | number;
  readonly parameter?: string;
  /** All errors of the response. */
  readonly errors: Problem[];
  /** The errors of each operation of a batch, in their order. Empty for a valid operation. */
  readonly operationErrors?: Problem[][];
  /** The id of the request in the log and the journal. */
  readonly requestId?: string;
  readonly rateLimit?: RateLimit;
  readonly body: unknown;
  readonly attempts: number;
  /** True if the service may have carried out the request. */
  isUncertain = false;

  constructor({ status, headers, body, attempts }: Failure) {
    const found = problemsOf(body);
    const errors = found.errors.length > 0 ? found.errors : [{ code: status, message: `status ${status}` }];
    super(errors[0].message);
    Object.assign(this, errors[0].parameter !== undefined && { parameter: errors[0].parameter });
    this.status = status;
    this.code = errors[0].code;
    this.errors = errors;
    this.operationErrors = found.operationErrors;
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.rateLimit = rateLimitOf(headers);
    this.body = body;
    this.attempts = attempts;
  }
}

/** No attempt was answered. `cause` is the error of the last one: a broken connection or a timeout. */
export class MarqueeConnectionError extends Error {
  override readonly name = 'MarqueeConnectionError';

  constructor(
    url: URL,
    readonly attempts: number,
    cause: unknown,
  ) {
    const { message, cause: inner } = cause as Error;
    super(`${url.origin} does not answer: ${inner instanceof Error ? inner.message || message : message}`, { cause });
  }
}

/** @internal The window of the account if the response has one, otherwise that of the user. */
export function rateLimitOf(headers: Headers): RateLimit | undefined {
  for (const prefix of ['x-account-rate-limit', 'x-rate-limit']) {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`${prefix}-${name}`));
    if (reset !== null)
      return { limit: Number(limit), remaining: Number(remaining), reset: new Date(Number(reset) * 1_000) };
  }
  return undefined;
}

interface ErrorBody {
  errors?: (Problem & { parameters?: object })[];
  operation_errors?: Problem[][];
  title?: string;
  detail?: string;
  error?: string;
  error_description?: string;
}

/**
 * Advertising endpoints have `errors`, batches `operation_errors`, some endpoints a `title` and a `detail` besides, and those of
 * tokens `error` and `error_description`.
 */
function problemsOf(body: unknown): { errors: Problem[]; operationErrors?: Problem[][] } {
  const { errors, operation_errors: operationErrors, error, error_description, ...rest } = Object(body) as ErrorBody;
  if (operationErrors) return { errors: operationErrors.flat(), operationErrors };
  if (errors)
    return {
      errors: errors.map(({ parameters, ...each }) => ({ parameter: Object.keys(parameters ?? {})[0], ...each })),
    };
  const { title = error, detail: message = error_description ?? title } = rest;
  return { errors: message === undefined ? [] : [{ code: title ?? '', message }] };
}
