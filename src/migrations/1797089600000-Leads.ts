import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people submitted with lead forms, and the queues of its upkeep. */
export class Leads1797089600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "leads" ("accountId" character varying COLLATE "C" NOT NULL, "id" character varying COLLATE "C" NOT NULL, "leadFormId" character varying COLLATE "C" NOT NULL, "fieldValues" json NOT NULL, "submittedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "postId" character varying COLLATE "C", "campaignId" character varying COLLATE "C", "lineItemId" character varying COLLATE "C", CONSTRAINT "PK_leads" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "leads_of_form" ON "leads" ("accountId", "leadFormId", "submittedAt", "id")`);
    await runner.query(`CREATE INDEX "leads_by_id" ON "leads" ("id")`);
    await runner.query(`SELECT pgboss.create_queue('old-leads', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('remove-leads', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
