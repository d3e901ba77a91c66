import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which events in apps count already. */
export class AppEventKeys1797087001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "app_event_keys" ("key" bytea NOT NULL, "at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_app_event_keys" PRIMARY KEY ("key"))`,
    );
    await runner.query(`CREATE INDEX "app_event_keys_at" ON "app_event_keys" ("at")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
