import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many conversions of each account arrived on each day, for the quota. */
export class ConversionDays1797080000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "conversion_days" ("accountId" character varying COLLATE "C" NOT NULL, "day" integer NOT NULL, "stored" integer NOT NULL, CONSTRAINT "conversion_days_within_quota" CHECK ("stored" >= 0), CONSTRAINT "PK_conversion_days" PRIMARY KEY ("accountId", "day"))`,
    );
    // an id begins with the time of arrival, and all that are stored count as of today
    await runner.query(
      `INSERT INTO "conversion_days" SELECT "accountId", floor(extract(epoch FROM now()) / 86400)::int, count(*) FROM "conversions" GROUP BY "accountId"`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
