import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tests that show campaigns or line items to separate groups of users. */
export class AbTests1797089400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "ab_tests" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying, "description" character varying, "startTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "entityType" character varying NOT NULL, "entityIds" character varying array COLLATE "C" NOT NULL, "userGroups" json NOT NULL, "createdBy" character varying COLLATE "C" NOT NULL, "updatedBy" character varying COLLATE "C" NOT NULL, CONSTRAINT "PK_4e464cf90a38cb1bbbf561f3ee0" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_8e06d38802fc5a46ba6f9aa392" ON "ab_tests" ("accountId", "updatedAt", "id")`);
    await runner.query(`CREATE INDEX "ab_tests_live" ON "ab_tests" ("accountId", "id") WHERE "deletedAt" IS NULL`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
