import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The namespaces of the workbench, and the queue of the job that deletes those that have expired. */
export class Namespaces1796550000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "namespaces" ("id" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "name" character varying NOT NULL, "innerApplicationId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "username" character varying NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "sandboxAccountId" character varying COLLATE "C" NOT NULL, "fundingInstrumentId" character varying COLLATE "C" NOT NULL, "sandboxFundingInstrumentId" character varying COLLATE "C" NOT NULL, CONSTRAINT "PK_namespaces" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "namespaces_of_application" ON "namespaces" ("applicationId", "id")`);
    await runner.query(`CREATE INDEX "namespaces_expire" ON "namespaces" ("expiresAt")`);
    await runner.query(`CREATE UNIQUE INDEX "namespaces_inside" ON "namespaces" ("innerApplicationId")`);
    await runner.query(`SELECT pgboss.create_queue('namespace-expiry', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
