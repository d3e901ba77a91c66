import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The events of apps, lists of apps, and who counts the events. */
export class AppMeasurement1797070000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "app_event_tags" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "appStoreIdentifier" character varying NOT NULL, "osType" character varying NOT NULL, "conversionType" character varying NOT NULL, "providerAppEventId" character varying NOT NULL, "providerAppEventName" character varying NOT NULL, "deepLinkScheme" character varying, "postEngagementAttributionWindow" integer NOT NULL, "postViewAttributionWindow" integer NOT NULL, "retargetingEnabled" boolean NOT NULL, CONSTRAINT "PK_2373d95e8c01005489b7fe6445d" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_a97284d2b5084847fd0ac2eaa0" ON "app_event_tags" ("accountId", "updatedAt", "id")`,
    );
    await runner.query(
      `CREATE INDEX "app_event_tags_live" ON "app_event_tags" ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "app_lists" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "appStoreIdentifiers" character varying array NOT NULL, CONSTRAINT "PK_5edbd0ce4ca465f7077695a74be" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_6ac2a78cc79238d0ba9dd42a1a" ON "app_lists" ("accountId", "updatedAt", "id")`);
    await runner.query(`CREATE INDEX "app_lists_live" ON "app_lists" ("accountId", "id") WHERE "deletedAt" IS NULL`);
    await runner.query(
      `CREATE TABLE "app_event_provider_configurations" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "providerName" character varying NOT NULL, "providerAdvertiserId" character varying NOT NULL, CONSTRAINT "PK_ef92865516c8bc06792b71b80b9" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "app_event_provider_configurations_one" ON "app_event_provider_configurations" ("accountId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_e35a8d55576bdee3fadc604077" ON "app_event_provider_configurations" ("accountId", "updatedAt", "id")`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
