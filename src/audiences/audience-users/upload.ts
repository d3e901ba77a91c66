import type { EntityManager } from 'typeorm';
import type { Batch, OperationInputs } from '../../common/batch/batch.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, requestTooComplex } from '../../common/errors/catalogue.js';
import { inSlices } from '../../common/concurrency/in-slices.js';
import type { StorageQuota } from '../../common/storage/storage-usage.js';
import {
  peopleOf,
  replaceIdentifiers,
  storeSingles,
  tiedAmong,
  type SingleUpdates,
} from './audience-users.statements.js';
import type { IdentifierKey } from './identifiers.js';
import {
  AudienceMembership,
  rowsOf,
  TooManyIdentifiers,
  type IdentifierRow,
  type MembershipStep,
  type ValidityWindow,
  type WhenTooMany,
} from './membership.rules.js';
import { MAX_IDENTIFIERS, type ReadPeople } from './users.readers.js';

/** Maximum number of identifiers in memory for one upload. */
export const MAX_HELD = 200_000;

/** An operation of an upload; a Delete has no window. */
export interface UserOperation {
  people: ReadPeople;
  window?: ValidityWindow;
}

/** The number of user objects sent and applied: always equal, or nothing was applied. */
export interface UploadCounts {
  success_count: number;
  total_count: number;
}

export const countsOf = (operations: readonly UserOperation[]): UploadCounts => {
  const total = operations.reduce((sum, { people }) => sum + people.length, 0);
  return { success_count: total, total_count: total };
};

/** Where and when an upload is stored. */
export interface UploadTarget {
  holderId: string;
  /** In days since 1970. */
  today: number;
  quota: StorageQuota;
}

/** The operations of an upload, which are stored in order. */
export class Upload {
  private constructor(
    private readonly operations: readonly UserOperation[],
    /** All operations, if they are Updates of people with one identifier each. */
    private readonly singles: SingleUpdates | undefined,
    /** The error of the whole upload for one of its operations. */
    private readonly refusal: (operation: number, reason: ApiError) => Error,
    private readonly whenTooMany: WhenTooMany,
  ) {}

  static async of<I extends OperationInputs>(
    batch: Batch<I>,
    operations: readonly UserOperation[],
    whenTooMany: WhenTooMany = 'refuse',
  ): Promise<Upload> {
    const refusal = (operation: number, reason: ApiError) => batch.refusal(new Map([[operation, reason]]));
    return new Upload(operations, await singlesOf(operations), refusal, whenTooMany);
  }

  /** Stores the common upload in one statement, and handles people with further identifiers afterwards. */
  async store(tx: EntityManager, target: UploadTarget): Promise<void> {
    const { operations, singles } = this;
    if (!singles) return this.storePeople(tx, target, operations);
    const stored = await storeSingles(tx, target.holderId, singles, target.today, target.quota);
    if (stored === singles.keys.length) return;
    const tied = await tiedAmong(tx, target.holderId, singles.keys);
    const rest = operations.map(({ window }) => ({ window, people: [] as (readonly IdentifierKey[])[] }));
    await inSlices(stepsOf(operations), ({ keys, operation }) => {
      if (tied.has(keys[0])) rest[operation].people.push(keys);
    });
    await this.storePeople(tx, target, rest);
  }

  /** Reads all people that the operations name, changes them in memory, and stores them. */
  private async storePeople(
    tx: EntityManager,
    { holderId, today, quota }: UploadTarget,
    operations: readonly UserOperation[],
  ): Promise<void> {
    const named = new Set<IdentifierKey>();
    await inSlices(stepsOf(operations), ({ keys }) => {
      for (const key of keys) named.add(key);
    });
    const stored = await peopleOf(tx, holderId, [...named], MAX_HELD);
    if (!stored)
      throw requestTooComplex('The users of the request have too many identifiers', {
        parameter: 'users',
        details: `at most ${MAX_HELD} identifiers, including the stored identifiers of the same people; send fewer users at a time`,
      });
    const membership = new AudienceMembership([], today, MAX_IDENTIFIERS, this.whenTooMany);
    await inSlices(stored, (person) => membership.know(person));
    await inSlices(stepsOf(operations), (step) => {
      try {
        membership.apply(step);
      } catch (error) {
        if (!(error instanceof TooManyIdentifiers)) throw error;
        const reason = invalid('users', `A person can have at most ${MAX_IDENTIFIERS} identifiers`);
        throw this.refusal(step.operation, reason);
      }
    });
    const changed: IdentifierRow[] = [];
    await inSlices(membership.changed(), (person) => void changed.push(...rowsOf(person)));
    await replaceIdentifiers(tx, holderId, changed, membership.gone(), quota);
  }
}

/** The user objects of operations in order, each with its operation. */
function* stepsOf(operations: readonly UserOperation[]): Generator<MembershipStep & { operation: number }> {
  for (const [operation, { people, window }] of operations.entries())
    for (const keys of people) yield { keys, window, operation };
}

/** Operations that are all Updates of people with one identifier each; undefined for any others. */
async function singlesOf(operations: readonly UserOperation[]): Promise<SingleUpdates | undefined> {
  if (!operations.every(({ people, window }) => window && people.every((keys) => keys.length === 1))) return undefined;
  const places = new Map<IdentifierKey, number>();
  const windows: ValidityWindow[] = [];
  const singles: SingleUpdates = { keys: [], updates: [], window: [], windows };
  await inSlices(stepsOf(operations), ({ keys: [key], window }) => {
    const last = windows.at(-1);
    if (last?.effectiveAt !== window!.effectiveAt || last.expiresAt !== window!.expiresAt) windows.push(window!);
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, singles.keys.push(key) - 1);
      singles.updates.push(1);
      singles.window.push(windows.length - 1);
    } else {
      singles.updates[place]++;
      singles.window[place] = windows.length - 1;
    }
  });
  return singles;
}
