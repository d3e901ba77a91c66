import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

/**
 * Nonces in an unlogged table of PostgreSQL: quick to write, and emptied by a crash or failover. The generation is a row
 * of another unlogged table, so that both are lost together.
 */
export class TableNonceStore implements NonceStore {
  constructor(private readonly db: EntityManager) {}

  async generation(): Promise<string> {
    const present = await this.readGeneration();
    if (present !== undefined) return present;
    await run(this.db, {
      text: `INSERT INTO nonce_generations ("one", "generation") VALUES (true, $1) ON CONFLICT DO NOTHING`,
      values: [randomUUID()],
    });
    return (await this.readGeneration())!;
  }

  async take({ digest, timestamp }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const [answer] = await run<{ same: boolean; fresh: boolean }>(this.db, {
      text: `WITH kept AS (
          INSERT INTO used_nonces ("digest", "expiresAt")
          SELECT $1, to_timestamp($2::float8) WHERE EXISTS (SELECT 1 FROM nonce_generations WHERE "generation" = $3)
          ON CONFLICT DO NOTHING RETURNING 1)
        SELECT EXISTS (SELECT 1 FROM nonce_generations WHERE "generation" = $3) AS "same",
          EXISTS (SELECT 1 FROM kept) AS "fresh"`,
      values: [digest, timestamp + RETENTION_SECONDS, generation],
    });
    if (!answer.same) return { verdict: 'lost', generation: await this.generation() };
    return { verdict: answer.fresh ? 'fresh' : 'used' };
  }

  private async readGeneration(): Promise<string | undefined> {
    const text = `SELECT "generation" FROM nonce_generations`;
    const [row] = await run<{ generation: string }>(this.db, { text, values: [] });
    return row?.generation;
  }
}
