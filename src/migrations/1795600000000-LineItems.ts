import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LineItems1795600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "line_items" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "campaignId" character varying COLLATE "C" NOT NULL, "fundingInstrumentId" character varying COLLATE "C" NOT NULL, "currency" character varying NOT NULL, "name" character varying, "productType" character varying NOT NULL, "objective" character varying NOT NULL, "goal" character varying NOT NULL, "placements" character varying array NOT NULL, "categories" character varying array NOT NULL, "bidStrategy" character varying NOT NULL, "bidAmountLocalMicro" bigint, "payBy" character varying NOT NULL, "startTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "durationInDays" integer, "frequencyCap" integer, "standardDelivery" boolean, "dailyBudgetAmountLocalMicro" bigint, "totalBudgetAmountLocalMicro" bigint, "spentLocalMicro" bigint NOT NULL DEFAULT '0', "advertiserUserId" character varying COLLATE "C", "advertiserDomain" character varying, "primaryWebEventTag" character varying, "androidAppStoreIdentifier" character varying, "iosAppStoreIdentifier" character varying, "audienceExpansion" character varying, "creativeSource" character varying NOT NULL, "entityStatus" character varying NOT NULL, "creatives" integer NOT NULL DEFAULT '0', "counted" boolean NOT NULL, "campaignDeleted" boolean NOT NULL DEFAULT false, CONSTRAINT "PK_6d227c876e374542dc9bb44dfb4" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "line_items_active" ON "line_items"  ("accountId", "endTime") WHERE counted`);
    await runner.query(`CREATE INDEX "IDX_4097bbb4fa365a3eb4ad9c3e23" ON "line_items"  ("fundingInstrumentId", "id") `);
    await runner.query(`CREATE INDEX "IDX_2cd98fc71d4a0f05b7530c02db" ON "line_items"  ("campaignId", "id") `);
    await runner.query(
      `CREATE INDEX "IDX_a48a00e621ea30735f2be608aa" ON "line_items"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "line_items_live" ON "line_items"  ("accountId", "id") WHERE "deletedAt" IS NULL AND NOT "campaignDeleted" AND "entityStatus" <> 'DRAFT'`,
    );
    await runner.query(`CREATE INDEX "IDX_2ee5183f2f8e0d7b7d209d5350" ON "line_items"  ("accountId", "id") `);
    await runner.query(
      `CREATE INDEX "line_items_name" ON "line_items" ("accountId", (lower("name") COLLATE "C"), "id")`,
    );
    await runner.query(`ALTER TABLE "campaigns" ADD "objective" character varying`);
    await runner.query(`ALTER TABLE "campaigns" ADD "productType" character varying`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "campaigns" DROP COLUMN "productType"`);
    await runner.query(`ALTER TABLE "campaigns" DROP COLUMN "objective"`);
    await runner.query(`DROP INDEX "public"."line_items_name"`);
    await runner.query(`DROP INDEX "public"."IDX_2ee5183f2f8e0d7b7d209d5350"`);
    await runner.query(`DROP INDEX "public"."line_items_live"`);
    await runner.query(`DROP INDEX "public"."IDX_a48a00e621ea30735f2be608aa"`);
    await runner.query(`DROP INDEX "public"."IDX_2cd98fc71d4a0f05b7530c02db"`);
    await runner.query(`DROP INDEX "public"."IDX_4097bbb4fa365a3eb4ad9c3e23"`);
    await runner.query(`DROP INDEX "public"."line_items_active"`);
    await runner.query(`DROP TABLE "line_items"`);
  }
}
