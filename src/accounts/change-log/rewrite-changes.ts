import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { replace, write } from '../../common/db/query/write.js';
import { mapFields } from '../../common/entity/removed-person.js';
import { AccountChange } from './account-change.entity.js';

const BATCH = 500;

/** The part of a history row that may contain personal data. */
type Recorded = Pick<Row<AccountChange>, 'changes' | 'entityData'>;

/** The history of entities of one kind in an account. */
export interface RecordedEntities {
  accountId: string;
  /** The name of the resource. */
  entity: string;
  ids: readonly string[];
}

/**
 * Rewrites history rows; no other code does so. History keeps what was changed, by whom and when, but not the data that
 * identifies a deleted user. Events sent later contain the rewritten data.
 */
export async function rewriteChanges(
  db: EntityManager,
  { accountId, entity, ids }: RecordedEntities,
  rewrite: (recorded: Recorded) => Recorded,
  signal: AbortSignal,
): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined && ids.length > 0;) {
    signal.throwIfAborted();
    const after: string = last;
    last = await retrying(() =>
      // two users may be removed at the same time
      db.transaction(async (tx) => {
        const found = await rows(tx, AccountChange)
          .where('accountId', accountId)
          .where('entityType', entity)
          .whereIn('entityId', [...ids])
          .whereMoreThan('id', after)
          .orderBy('id')
          .limit(BATCH)
          .setLock('for_no_key_update')
          .getMany();
        const rewritten = found.flatMap((change) => {
          const { changes, entityData } = rewrite(change);
          const differs = !isDeepStrictEqual([changes, entityData], [change.changes, change.entityData]);
          return differs ? [{ ...change, changes, entityData }] : [];
        });
        await write(tx, [replace(AccountChange, rewritten)]);
        return found.length === BATCH ? found.at(-1)!.id : undefined;
      }),
    );
  }
}

/** Texts of history rows: those under the fields, at any depth, and what `change` makes of each. */
export interface TextRewrite {
  fields: readonly string[];
  change: (text: string) => string;
}

/** Rewrites texts of history rows. */
export const rewriteTextsInChanges = (
  db: EntityManager,
  recording: RecordedEntities,
  { fields, change }: TextRewrite,
  signal: AbortSignal,
): Promise<void> =>
  rewriteChanges(
    db,
    recording,
    ({ changes, entityData }) => ({
      changes: mapFields(changes, fields, change),
      entityData: mapFields(entityData, fields, change),
    }),
    signal,
  );
