import type { Batch, Handlers, Inputs } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { Write, WriteScope } from './define-write.js';
import type { Locking } from './locking.js';
import type { ResourceRow } from './resource-definition.js';
import { applied, rowsWithKeys, type PlannedWrite } from './single-write.js';

/** The write for each operation type of a batch. */
export type Writes<T extends Resource, I extends Inputs, R = ResourceRow<T>> = {
  [K in keyof I]: Write<T, InstanceType<I[K]>, unknown, R>;
};

/** The operations of a batch that have the same type. */
interface Part<T extends Resource, R> {
  type: string;
  write: Write<T, never, unknown, R>;
  requests: readonly Parsed<never>[];
}

/** Prepares the writes of all operations of a batch. */
export function plannedBatch<T extends Resource, I extends Inputs, R>(
  account: ActingAccount,
  writes: Writes<T, I, R>,
  batch: Batch<I>,
): PlannedWrite<T, BatchResult<R>> {
  const parts = partsOf(writes, batch);
  const changing = parts.filter(({ write }) => write.target !== undefined);
  const keys = [...changing.flatMap(targetsOf), ...parts.flatMap(alsoLockedBy)];
  return {
    which: changing.length > 0 ? rowsWithKeys(account, changing[0].write, keys) : [],
    locking: lockingOf(parts, account),
    plan: async (unitOfWork, db) => {
      const contexts = await contextsOf(parts, { account, unitOfWork, db });
      const handlers = parts.map(({ type, write }) => [
        type,
        (request: Parsed<never>, operation: number) => {
          unitOfWork.operation = operation;
          return applied(unitOfWork, write, request, contexts.get(write.context));
        },
      ]);
      return batch.run(Object.fromEntries(handlers) as Handlers<I, R>);
    },
  };
}

const partsOf = <T extends Resource, I extends Inputs, R>(writes: Writes<T, I, R>, batch: Batch<I>): Part<T, R>[] =>
  (Object.keys(writes) as (keyof I & string)[]).flatMap((type) => {
    const requests = batch.requests(type) as Parsed<never>[];
    return requests.length > 0 ? [{ type, write: writes[type], requests }] : [];
  });

const targetsOf = <T extends Resource, R>({ write: { target }, requests }: Part<T, R>): string[] =>
  requests.flatMap((request) => (request.value(target!) as string | undefined) ?? []);

const alsoLockedBy = <T extends Resource, R>({ write: { alsoLocks }, requests }: Part<T, R>): string[] =>
  alsoLocks ? requests.flatMap((request) => alsoLocks(request)) : [];

function lockingOf<T extends Resource, R>(parts: readonly Part<T, R>[], account: ActingAccount): Locking {
  const lockings = parts.flatMap(({ write, requests }) => write.locking?.(requests, account) ?? []);
  return {
    lock: 'pessimistic_write',
    transaction: lockings.some((each) => each.transaction),
    first: async (db) => {
      for (const { first } of lockings) await first?.(db);
    },
  };
}

/** The contexts, by the functions that read them. Each is read once, for the requests of all types that share it. */
async function contextsOf<T extends Resource, R>(
  parts: readonly Part<T, R>[],
  scope: WriteScope<T>,
): Promise<ReadonlyMap<unknown, unknown>> {
  const contexts = new Map<unknown, unknown>();
  for (const { write } of parts) {
    const { context } = write;
    if (!context || contexts.has(context)) continue;
    const sharing = parts.filter((other) => other.write.context === context);
    const creating = sharing.filter((other) => other.write.target === undefined);
    contexts.set(context, await context(scope, sharing.flatMap(requestsOf), creating.flatMap(requestsOf)));
  }
  return contexts;
}

const requestsOf = <T extends Resource, R>({ requests }: Part<T, R>) => requests;
