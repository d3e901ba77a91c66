import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many engagements accounts store, for their quota, and which conversions are matched again. */
export class EngagementUsage1797087002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO "storage_usage" ("ownerId", "kind", "used") SELECT "accountId", 'ENGAGEMENTS', count(*) FROM "engagements" GROUP BY "accountId"`,
    );
    await runner.query(`ALTER TABLE "conversions_to_match" ADD "isAgain" boolean NOT NULL DEFAULT false`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
