import { createHash } from 'node:crypto';
import type { Call } from './calls.js';
import { MarqueeError, type Problem } from './errors.js';
import { BATCH_SIZES } from './operations.js';
import type { BatchPath } from './types.js';

/** What became of an operation. */
export type OperationOutcome =
  | { state: 'DONE'; result: unknown }
  /** Rejected. `errors` is empty if the service rejected another operation of the same request. */
  | { state: 'FAILED'; errors: Problem[] }
  /** The response to an attempt is lost: the service may have carried it out. */
  | { state: 'UNKNOWN' }
  | { state: 'NOT_SENT' };

/** A request of a batch failed. The requests before it are carried out, and those after it are not sent. */
export class MarqueeBatchError extends Error {
  override readonly name = 'MarqueeBatchError';

  constructor(
    /** One outcome for each operation, in their order. */
    readonly outcomes: OperationOutcome[],
    override readonly cause: Error,
  ) {
    const done = outcomes.filter(({ state }) => state === 'DONE').length;
    super(`${done} of ${outcomes.length} operations are done: ${cause.message}`);
  }
}

/** The service takes keys of up to 255 characters. Longer ones than this leave no room for an index. */
const MAX_KEY_LENGTH = 245;

/** @internal Sends operations in as many requests as their endpoint needs, one after the other. */
export async function batch(
  post: Call,
  path: BatchPath,
  operations: unknown[],
  init: { headers?: Record<string, string> },
): Promise<unknown[]> {
  const results: unknown[] = [];
  const done: OperationOutcome[] = [];
  const bodies = chunks(operations, BATCH_SIZES[path]);
  for (const [index, body] of bodies.entries()) {
    const headers = bodies.length > 1 ? withKeyOf(index, init.headers) : init.headers;
    try {
      const { data: found } = (await post(path, { ...init, headers, body })).data as { data: unknown };
      results.push(...[found].flat());
      done.push(...body.map((_, i): OperationOutcome => ({ state: 'DONE', result: resultAt(found, i) })));
    } catch (error) {
      const rest = operations.slice(done.length + body.length).map((): OperationOutcome => ({ state: 'NOT_SENT' }));
      throw new MarqueeBatchError([...done, ...failed(body, error), ...rest], error as Error);
    }
  }
  return results;
}

/** @internal Divides a list into lists of at most `size` items. */
export const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** A key is valid for one request: each request of a batch has the caller's key with its index, also when the batch is repeated. */
const withKeyOf = (index: number, headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      value && name.toLowerCase() === 'idempotency-key' ? [name, `${shortened(value)}-${index}`] : [name, value],
    ),
  );

const shortened = (key: string): string =>
  key.length > MAX_KEY_LENGTH ? createHash('sha256').update(key).digest('base64url') : key;

const resultAt = (found: unknown, i: number): unknown => (Array.isArray(found) ? found[i] : found);

/** A rejected request leaves all its operations undone. */
const failed = (body: unknown[], error: unknown): OperationOutcome[] =>
  body.map((_, i) =>
    error instanceof MarqueeError && !error.isUncertain
      ? { state: 'FAILED', errors: error.operationErrors ? (error.operationErrors[i] ?? []) : error.errors }
      : { state: 'UNKNOWN' },
  );
