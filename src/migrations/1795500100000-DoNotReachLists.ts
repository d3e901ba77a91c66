import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DoNotReachLists1795500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "do_not_reach_lists" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "description" character varying, "reasonsNotTargetable" character varying array NOT NULL, "listSize" integer, CONSTRAINT "PK_3fcf534506196fd9631b76fe660" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "do_not_reach_lists_one_each" ON "do_not_reach_lists"  ("accountId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_e6ea59d7625107d7f29f012381" ON "do_not_reach_lists"  ("accountId", "id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_e6ea59d7625107d7f29f012381"`);
    await runner.query(`DROP INDEX "public"."do_not_reach_lists_one_each"`);
    await runner.query(`DROP TABLE "do_not_reach_lists"`);
  }
}
