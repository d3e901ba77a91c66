import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RequestTokensApproved1795700050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "request_tokens_approved" ON "request_tokens"  ("userId", "applicationId") WHERE "userId" IS NOT NULL AND "endedAt" IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."request_tokens_approved"`);
  }
}
