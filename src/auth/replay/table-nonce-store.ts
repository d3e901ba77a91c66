import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { NonceGeneration } from './nonces.entity.js';
import { recordNonce } from './nonces.statements.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

/**
 * Nonces in an unlogged table of PostgreSQL: fast to write, and emptied by a crash or failover. The generation is a row
 * of another unlogged table, so that both are lost together.
 */
export class TableNonceStore implements NonceStore {
  constructor(private readonly db: EntityManager) {}

  async generation(): Promise<string> {
    const present = await this.readGeneration();
    if (present !== undefined) return present;
    await write(this.db, [insertOrIgnore(NonceGeneration, [{ one: true, generation: randomUUID() }])]);
    return (await this.readGeneration())!;
  }

  async take({ digest, timestamp }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const answer = await recordNonce(this.db, digest, timestamp + RETENTION_SECONDS, generation);
    if (!answer.same) return { verdict: 'lost', generation: await this.generation() };
    return { verdict: answer.fresh ? 'fresh' : 'used' };
  }

  /** Both generations are rows of the same table. */
  isFenced(): boolean {
    return true;
  }

  private async readGeneration(): Promise<string | undefined> {
    return (await rows(this.db, NonceGeneration).getOne())?.generation;
  }
}
