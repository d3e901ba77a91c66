import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tags that count the impressions and clicks of line items. */
export class TrackingTags1797070000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "tracking_tags" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "trackingTagType" character varying NOT NULL, "trackingTagUrl" character varying NOT NULL, "slot" smallint NOT NULL, CONSTRAINT "PK_2b0cfee6e5fc9f76b89359241a6" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "tracking_tags_slots" ON "tracking_tags" ("accountId", "lineItemId", "trackingTagType", "slot") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "tracking_tags_of_line_item" ON "tracking_tags" ("accountId", "lineItemId", "id")`,
    );
    await runner.query(
      `CREATE INDEX "IDX_b1a9885e10a075fdc6c2a357ab" ON "tracking_tags" ("accountId", "updatedAt", "id")`,
    );
    await runner.query(
      `CREATE INDEX "tracking_tags_live" ON "tracking_tags" ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
