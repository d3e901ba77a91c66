import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TargetingCriteria1795600500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "targeting_criteria" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "campaignId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "targetingType" character varying COLLATE "C" NOT NULL, "targetingValue" character varying COLLATE "C" NOT NULL, "operatorType" character varying NOT NULL, "locationType" character varying, CONSTRAINT "PK_b5ce81aec9bedae6ebc403d0586" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "targeting_criteria_audience" ON "targeting_criteria"  ("targetingValue", "accountId", "campaignId") WHERE "deletedAt" IS NULL AND "targetingType" IN ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')`,
    );
    await runner.query(
      `CREATE INDEX "targeting_criteria_live" ON "targeting_criteria"  ("lineItemId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_bd734eb2306f28602299127e07" ON "targeting_criteria"  ("lineItemId", "id") `);
    await runner.query(
      `CREATE TABLE "targeting_sets" ("lineItemId" character varying COLLATE "C" NOT NULL, "revision" integer NOT NULL, CONSTRAINT "targeting_sets_as_judged" CHECK ("revision" > 0), CONSTRAINT "PK_6ccaec8b1305bf04b5850d544e9" PRIMARY KEY ("lineItemId"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "targeting_sets"`);
    await runner.query(`DROP INDEX "public"."IDX_bd734eb2306f28602299127e07"`);
    await runner.query(`DROP INDEX "public"."targeting_criteria_live"`);
    await runner.query(`DROP INDEX "public"."targeting_criteria_audience"`);
    await runner.query(`DROP TABLE "targeting_criteria"`);
  }
}
