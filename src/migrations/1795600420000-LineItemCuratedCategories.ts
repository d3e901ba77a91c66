import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LineItemCuratedCategories1795600420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "line_item_curated_categories" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "curatedCategoryId" character varying COLLATE "C" NOT NULL, CONSTRAINT "PK_6e4f0240d00681bdc70151a51c6" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "line_item_curated_categories_one" ON "line_item_curated_categories"  ("lineItemId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_3c307262210999cd8e550dbb99" ON "line_item_curated_categories"  ("lineItemId", "id") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_94599536734cc2ee921771bb3e" ON "line_item_curated_categories"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "line_item_curated_categories_live" ON "line_item_curated_categories"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_fcf41418e7415fa408ca6c1986" ON "line_item_curated_categories"  ("accountId", "id") `,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_fcf41418e7415fa408ca6c1986"`);
    await runner.query(`DROP INDEX "public"."line_item_curated_categories_live"`);
    await runner.query(`DROP INDEX "public"."IDX_94599536734cc2ee921771bb3e"`);
    await runner.query(`DROP INDEX "public"."IDX_3c307262210999cd8e550dbb99"`);
    await runner.query(`DROP INDEX "public"."line_item_curated_categories_one"`);
    await runner.query(`DROP TABLE "line_item_curated_categories"`);
  }
}
