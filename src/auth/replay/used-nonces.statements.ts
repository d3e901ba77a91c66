import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

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
