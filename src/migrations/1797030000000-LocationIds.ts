import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A store that is in use keeps the location ids that its clients know. A new one has those of X. */
export class LocationIds1797030000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "store_settings" (
         "name" character varying NOT NULL,
         "value" character varying NOT NULL,
         CONSTRAINT "PK_store_settings" PRIMARY KEY ("name")
       )`,
    );
    await runner.query(
      `INSERT INTO "store_settings" SELECT 'location_ids', 'derived' WHERE EXISTS (SELECT FROM "users")`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
