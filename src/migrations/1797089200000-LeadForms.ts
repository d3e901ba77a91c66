import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Forms in which people leave their contact details. */
export class LeadForms1797089200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "lead_forms" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "purpose" character varying NOT NULL, "introduction" json, "fields" json NOT NULL, "privacyPolicy" json NOT NULL, "finalPage" json, CONSTRAINT "PK_f04557ee3de3d7c50e59a9ec84e" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_0e27f2ac518ea222ce59e00c79" ON "lead_forms" ("accountId", "updatedAt", "id")`,
    );
    await runner.query(`CREATE INDEX "lead_forms_live" ON "lead_forms" ("accountId", "id") WHERE "deletedAt" IS NULL`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
