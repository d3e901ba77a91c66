import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AccountApps1795600110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "account_apps" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "appStoreIdentifier" character varying COLLATE "C" NOT NULL, "osType" character varying NOT NULL, "conversionTrackingEnabled" boolean NOT NULL, "deepLinkPattern" character varying, CONSTRAINT "PK_0e14f50b4498412a8587d1b524d" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "account_apps_identifier" ON "account_apps"  ("accountId", "appStoreIdentifier") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_fb7fe08c741068cd4f8953fc13" ON "account_apps"  ("accountId", "id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_fb7fe08c741068cd4f8953fc13"`);
    await runner.query(`DROP INDEX "public"."account_apps_identifier"`);
    await runner.query(`DROP TABLE "account_apps"`);
  }
}
