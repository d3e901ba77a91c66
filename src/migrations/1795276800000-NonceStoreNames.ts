import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls what replay protection keeps by the names that the code has for it. */
export class NonceStoreNames1795276800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "carried_nonces" RENAME TO "handed_over_nonces"`);
    await runner.query(`ALTER INDEX "IDX_carried_nonces_expiresAt" RENAME TO "IDX_handed_over_nonces_expiresAt"`);
    await runner.query(`ALTER TABLE "nonce_epochs" RENAME COLUMN "memory" TO "store"`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
