import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs that write leads into files, and their queues. */
export class LeadExports1797089800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "lead_exports" ("accountId" character varying COLLATE "C" NOT NULL, "id" character varying COLLATE "C" NOT NULL, "status" character varying NOT NULL, "leadFormId" character varying COLLATE "C" NOT NULL, "startTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "format" character varying NOT NULL, "names" character varying NOT NULL, "attempt" integer NOT NULL, "folder" character varying COLLATE "C", "size" bigint, "sha256" character varying, "expiresAt" TIMESTAMP(3) WITH TIME ZONE, "dueAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_lead_exports" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "lead_exports_due" ON "lead_exports" ("dueAt")`);
    await runner.query(`SELECT pgboss.create_queue('write-lead-export', '{"policy": "standard"}')`);
    await runner.query(`SELECT pgboss.create_queue('lead-exports-upkeep', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('remove-lead-exports', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
