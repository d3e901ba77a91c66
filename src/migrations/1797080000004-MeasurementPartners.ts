import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which applications are measurement partners, and when they reported the last event of a tag. */
export class MeasurementPartners1797080000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "applications" ADD "measurementPartner" boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE "app_event_tags" ADD "lastTrackedAt" TIMESTAMP(3) WITH TIME ZONE`);
    await runner.query(
      `CREATE INDEX "app_event_tags_of_app" ON "app_event_tags" ("appStoreIdentifier", "osType", "id") WHERE "deletedAt" IS NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
