import type { EntityManager } from 'typeorm';
import { run, type OwnConnection } from '../../common/db/query/statement.js';
import type { EpochRow } from './epoch.js';
import type { DigestsOfSecond } from './recent-nonces.js';
import { RETENTION_SECONDS } from './signed-nonce.js';

const COLUMNS = `"epoch" AS "number", (extract(epoch FROM "beganAt") * 1000)::float8 AS "beganAt", "store", "generation"`;
/** A parameter in milliseconds as a time. */
const AT = (parameter: number) => `to_timestamp($${parameter}::float8 / 1000)`;
const INSERT_BATCH = 5_000;
const DELETE_BATCH = 5_000;
const MAX_DELETE_BATCHES = 40;

/** A process that admits requests, as its row in `replicas` says. */
interface ReplicaRow {
  id: string;
  seenAt: number;
  /** The epoch to which it last handed over its recent nonces. */
  epoch: number;
  redisSince: number | null;
}

/**
 * When replicas that have not handed over were last seen: those that decided in the last epoch, and those further
 * behind.
 */
export interface ReplicasBehind {
  inLast: number | null;
  before: number | null;
}

/** The SQL of epochs: the one in force, the replicas, and the handed-over nonces. Times are milliseconds. */
export class EpochStatements {
  /** A separate connection: a lease that waits behind requests would expire. */
  constructor(private readonly connection: OwnConnection) {}

  /** The epoch in force; undefined in a database that never had one. */
  async readEpoch(): Promise<EpochRow | undefined> {
    const [row] = await this.connection.run<EpochRow>({ text: `SELECT ${COLUMNS} FROM nonce_epochs`, values: [] });
    return row;
  }

  /** Stores the first epoch, unless another replica was faster. */
  async beginFirst({ number, beganAt, store, generation }: EpochRow): Promise<void> {
    await this.connection.run({
      text: `INSERT INTO nonce_epochs ("one", "epoch", "beganAt", "store", "generation")
        VALUES (true, $1, ${AT(2)}, $3, $4) ON CONFLICT DO NOTHING`,
      values: [number, beganAt, store, generation],
    });
  }

  /**
   * Replaces epoch `number` by the next one and returns that, or undefined when `number` is no longer in force. The
   * next one begins no earlier than the last did, unless `mayBeEarlier`, for a clock that was moved back.
   */
  async beginNext(
    number: number,
    { beganAt, store, generation }: Omit<EpochRow, 'number'>,
    mayBeEarlier: boolean,
  ): Promise<EpochRow | undefined> {
    const [row] = await this.connection.run<EpochRow>({
      text: `UPDATE nonce_epochs SET "epoch" = "epoch" + 1, "store" = $3, "generation" = $4,
          "beganAt" = CASE WHEN $5 THEN ${AT(2)} ELSE greatest("beganAt", ${AT(2)}) END
        WHERE "epoch" = $1 RETURNING ${COLUMNS}`,
      values: [number, beganAt, store, generation, mayBeEarlier],
    });
    return row;
  }

  async saveReplica({ id, seenAt, epoch, redisSince }: ReplicaRow): Promise<void> {
    await this.connection.run({
      text: `INSERT INTO replicas ("id", "seenAt", "nonceEpoch", "redisSince") VALUES ($1, ${AT(2)}, $3, ${AT(4)})
        ON CONFLICT ("id") DO UPDATE SET
          "seenAt" = excluded."seenAt", "nonceEpoch" = excluded."nonceEpoch", "redisSince" = excluded."redisSince"`,
      values: [id, seenAt, epoch, redisSince],
    });
  }

  /** Records that a replica has handed over its recent nonces to this epoch. */
  async markHandedOver(id: string, epoch: number): Promise<void> {
    await this.connection.run({
      text: `UPDATE replicas SET "nonceEpoch" = $2 WHERE "id" = $1 AND "nonceEpoch" < $2`,
      values: [id, epoch],
    });
  }

  async deleteReplica(id: string): Promise<void> {
    await this.connection.run({ text: `DELETE FROM replicas WHERE "id" = $1`, values: [id] });
  }

  /** The replicas that have not handed over to this epoch, of those seen in this time; undefined if there is none. */
  async replicasBehind(epoch: number, from: number, to: number): Promise<ReplicasBehind | undefined> {
    const [behind] = await this.connection.run<ReplicasBehind>({
      text: `SELECT (extract(epoch FROM max("seenAt") FILTER (WHERE "nonceEpoch" = $1 - 1)) * 1000)::float8 AS "inLast",
          (extract(epoch FROM max("seenAt") FILTER (WHERE "nonceEpoch" < $1 - 1)) * 1000)::float8 AS "before"
        FROM replicas WHERE "nonceEpoch" < $1 AND "seenAt" BETWEEN ${AT(2)} AND ${AT(3)}`,
      values: [epoch, from, to],
    });
    return behind.inLast === null && behind.before === null ? undefined : behind;
  }

  /** The ids of the replicas seen since then. */
  async replicasSince(seenSince: number): Promise<string[]> {
    const rows = await this.connection.run<{ id: string }>({
      text: `SELECT "id" FROM replicas WHERE "seenAt" >= ${AT(1)}`,
      values: [seenSince],
    });
    return rows.map(({ id }) => id);
  }

  /** True if there are replicas seen since `seenSince`, and all of them have found Redis healthy since `healthySince` or longer. */
  async allFindRedisHealthy(seenSince: number, healthySince: number): Promise<boolean> {
    const [{ all }] = await this.connection.run<{ all: boolean }>({
      text: `SELECT coalesce(bool_and("redisSince" IS NOT NULL AND "redisSince" <= ${AT(2)}), false) AS "all"
        FROM replicas WHERE "seenAt" >= ${AT(1)}`,
      values: [seenSince, healthySince],
    });
    return all;
  }

  /** Stores used nonces for later epochs. */
  async handOver(nonces: DigestsOfSecond[]): Promise<void> {
    for (const { timestamp, digests } of nonces) {
      for (let from = 0; from < digests.length; from += INSERT_BATCH) {
        await this.connection.run({
          text: `INSERT INTO handed_over_nonces ("digest", "expiresAt")
            SELECT digest, to_timestamp($2::float8) FROM unnest($1::text[]) digest ORDER BY digest ON CONFLICT DO NOTHING`,
          values: [digests.slice(from, from + INSERT_BATCH), timestamp + RETENTION_SECONDS],
        });
      }
    }
  }

  /** The handed-over nonces of this timestamp, in seconds, and later ones. */
  async handedOverSince(timestamp: number): Promise<Set<string>> {
    const rows = await this.connection.run<{ digest: string }>({
      text: `SELECT "digest" FROM handed_over_nonces WHERE "expiresAt" >= to_timestamp($1::float8)`,
      values: [timestamp + RETENTION_SECONDS],
    });
    return new Set(rows.map(({ digest }) => digest));
  }

  /** Deletes expired nonces in batches, and replicas last seen long ago. */
  async deleteExpired(now: number): Promise<void> {
    for (const table of ['used_nonces', 'handed_over_nonces']) {
      for (let batch = 0, deleted = DELETE_BATCH; deleted === DELETE_BATCH && batch < MAX_DELETE_BATCHES; batch++) {
        const [{ count }] = await this.connection.run<{ count: number }>({
          text: `WITH gone AS (DELETE FROM ${table} WHERE "digest" = ANY (ARRAY(
              SELECT "digest" FROM ${table} WHERE "expiresAt" < ${AT(1)}
              ORDER BY "expiresAt" LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING 1)
            SELECT count(*)::int AS "count" FROM gone`,
          values: [now],
        });
        deleted = count;
      }
    }
    await this.connection.run({
      text: `DELETE FROM replicas WHERE "seenAt" < ${AT(1)}`,
      values: [now - RETENTION_SECONDS * 1000],
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/**
 * Records a nonce until `expiresAt`, in seconds, if the generation of the table is unchanged. `same`: it is; `fresh`:
 * the nonce was not recorded before.
 */
export async function recordNonce(
  db: EntityManager,
  digest: string,
  expiresAt: number,
  generation: string,
): Promise<{ same: boolean; fresh: boolean }> {
  const statement = {
    text: `WITH kept AS (
        INSERT INTO used_nonces ("digest", "expiresAt")
        SELECT $1, to_timestamp($2::float8) WHERE EXISTS (SELECT 1 FROM nonce_generations WHERE "generation" = $3)
        ON CONFLICT DO NOTHING RETURNING 1)
      SELECT EXISTS (SELECT 1 FROM nonce_generations WHERE "generation" = $3) AS "same",
        EXISTS (SELECT 1 FROM kept) AS "fresh"`,
    values: [digest, expiresAt, generation],
  };
  const [answer] = await run<{ same: boolean; fresh: boolean }>(db, statement, { lockKey: digest });
  return answer;
}
