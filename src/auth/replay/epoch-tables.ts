import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import type { EpochRow } from './epoch.js';

const EPOCH = `"epoch" AS "number", (extract(epoch FROM "beganAt") * 1000)::float8 AS "began", "store", "generation"`;
const AT = (parameter: number) => `to_timestamp($${parameter}::float8 / 1000)`;
const MOST_CARRIED_AT_ONCE = 5_000;
const MOST_DELETED_AT_ONCE = 5_000;
const MOST_ROUNDS = 40;

/** Another process, as its row tells. */
export interface ReplicaState {
  id: string;
  seenAt: number;
  epoch: number;
  redisSince: number | null;
}

/** The statements about epochs, replicas and what is carried from one epoch to the next. Times are milliseconds. */
export class EpochTables {
  constructor(private readonly db: EntityManager) {}

  async epoch(): Promise<EpochRow | undefined> {
    const [row] = await run<EpochRow>(this.db, { text: `SELECT ${EPOCH} FROM nonce_epochs`, values: [] });
    return row;
  }

  /** The first epoch, unless somebody was faster. */
  async beginFirst({ number, began, store, generation }: EpochRow): Promise<void> {
    await run(this.db, {
      text: `INSERT INTO nonce_epochs ("one", "epoch", "beganAt", "store", "generation")
        VALUES (true, $1, ${AT(2)}, $3, $4) ON CONFLICT DO NOTHING`,
      values: [number, began, store, generation],
    });
  }

  /** The epoch after `number`, or undefined when that is in force no more. It never begins before the last one did, unless `earlier`. */
  async beginAfter(number: number, { began, store, generation }: Omit<EpochRow, 'number'>, earlier: boolean) {
    const [row] = await run<EpochRow>(this.db, {
      text: `UPDATE nonce_epochs SET "epoch" = "epoch" + 1, "store" = $3, "generation" = $4,
          "beganAt" = CASE WHEN $5 THEN ${AT(2)} ELSE greatest("beganAt", ${AT(2)}) END
        WHERE "epoch" = $1 RETURNING ${EPOCH}`,
      values: [number, began, store, generation, earlier],
    });
    return row as EpochRow | undefined;
  }

  async report({ id, seenAt, epoch, redisSince }: ReplicaState): Promise<void> {
    await run(this.db, {
      text: `INSERT INTO replicas ("id", "seenAt", "nonceEpoch", "redisSince") VALUES ($1, ${AT(2)}, $3, ${AT(4)})
        ON CONFLICT ("id") DO UPDATE SET
          "seenAt" = excluded."seenAt", "nonceEpoch" = excluded."nonceEpoch", "redisSince" = excluded."redisSince"`,
      values: [id, seenAt, epoch, redisSince],
    });
  }

  async mark(id: string, epoch: number): Promise<void> {
    await run(this.db, {
      text: `UPDATE replicas SET "nonceEpoch" = $2 WHERE "id" = $1 AND "nonceEpoch" < $2`,
      values: [id, epoch],
    });
  }

  async leave(id: string): Promise<void> {
    await run(this.db, { text: `DELETE FROM replicas WHERE "id" = $1`, values: [id] });
  }

  /** When a replica that has not handed over to this epoch was last seen, if any was in this time. */
  async lastOutside(epoch: number, from: number, to: number): Promise<number | undefined> {
    const [{ last }] = await run<{ last: number | null }>(this.db, {
      text: `SELECT (extract(epoch FROM max("seenAt")) * 1000)::float8 AS "last" FROM replicas
        WHERE "nonceEpoch" < $1 AND "seenAt" BETWEEN ${AT(2)} AND ${AT(3)}`,
      values: [epoch, from, to],
    });
    return last ?? undefined;
  }

  /** Whether every replica seen since `seen` has found Redis well since `well`. */
  async allFindRedisWell(seen: number, well: number): Promise<boolean> {
    const [{ all }] = await run<{ all: boolean }>(this.db, {
      text: `SELECT coalesce(bool_and("redisSince" IS NOT NULL AND "redisSince" <= ${AT(2)}), false) AS "all"
        FROM replicas WHERE "seenAt" >= ${AT(1)}`,
      values: [seen, well],
    });
    return all;
  }

  /** Keeps digests for the epochs to come. */
  async handOver(claims: { timestamp: number; digests: string[] }[]): Promise<void> {
    for (const { timestamp, digests } of claims) {
      for (let from = 0; from < digests.length; from += MOST_CARRIED_AT_ONCE) {
        await run(this.db, {
          text: `INSERT INTO handed_over_nonces ("digest", "expiresAt")
            SELECT digest, to_timestamp($2::float8) FROM unnest($1::text[]) digest ORDER BY digest ON CONFLICT DO NOTHING`,
          values: [digests.slice(from, from + MOST_CARRIED_AT_ONCE), timestamp + RETENTION_SECONDS],
        });
      }
    }
  }

  /** What was kept of timestamps from this second on. */
  async handedOverSince(second: number): Promise<Set<string>> {
    const rows = await run<{ digest: string }>(
      this.db,
      {
        text: `SELECT "digest" FROM handed_over_nonces WHERE "expiresAt" >= to_timestamp($1::float8)`,
        values: [second + RETENTION_SECONDS],
      },
      { large: true },
    );
    return new Set(rows.map(({ digest }) => digest));
  }

  /** Deletes what can never be asked for again, a little at a time. */
  async clear(now: number): Promise<void> {
    for (const table of ['used_nonces', 'handed_over_nonces']) {
      for (
        let round = 0, deleted = MOST_DELETED_AT_ONCE;
        deleted === MOST_DELETED_AT_ONCE && round < MOST_ROUNDS;
        round++
      ) {
        const [{ count }] = await run<{ count: number }>(this.db, {
          text: `WITH gone AS (DELETE FROM ${table} WHERE "digest" = ANY (ARRAY(
              SELECT "digest" FROM ${table} WHERE "expiresAt" < ${AT(1)}
              ORDER BY "expiresAt" LIMIT ${MOST_DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED)) RETURNING 1)
            SELECT count(*)::int AS "count" FROM gone`,
          values: [now],
        });
        deleted = count;
      }
    }
    await run(this.db, {
      text: `DELETE FROM replicas WHERE "seenAt" < ${AT(1)}`,
      values: [now - RETENTION_SECONDS * 1000],
    });
  }
}
