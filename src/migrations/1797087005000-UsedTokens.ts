import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Used refresh tokens are removed in the order of their use. */
export class UsedTokens1797087005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "oauth2_tokens_used" ON "oauth2_tokens" ("usedAt") WHERE "usedAt" IS NOT NULL`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
