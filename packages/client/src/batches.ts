import type { Call } from './calls.js';
import { MarqueeError, type Problem } from './errors.js';
import { BATCH_SIZES } from './operations.js';
import type { BatchPath } from './types.js';

/** What became of an operation. */
export type OperationOutcome =
  | { state: 'DONE'; result: unknown }
  /** Rejected. `errors` is empty if the service rejected another operation of the same request. */
  | { state: 'FAILED'; errors: Problem[] }
  /** The response is lost: the service may have carried it out. */
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

/** @internal Sends operations in as many requests as their endpoint needs, one after the other. */
export async function batch(post: Call, path: BatchPath, operations: unknown[], init: object): Promise<unknown[]> {
  const results: unknown[] = [];
  const done: OperationOutcome[] = [];
  for (const body of chunks(operations, BATCH_SIZES[path])) {
    try {
      const { data: found } = (await post(path, { ...init, body })).data as { data: unknown };
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

const resultAt = (found: unknown, i: number): unknown => (Array.isArray(found) ? found[i] : found);

/** A 4xx leaves all operations of the request undone. */
const failed = (body: unknown[], error: unknown): OperationOutcome[] =>
  body.map((_, i) =>
    error instanceof MarqueeError && error.status < 500
      ? { state: 'FAILED', errors: error.operationErrors ? (error.operationErrors[i] ?? []) : error.errors }
      : { state: 'UNKNOWN' },
  );
