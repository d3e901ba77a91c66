import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The journal of the workbench, and the queue of the job that empties it. */
export class JournaledRequests1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "journaled_requests" ("id" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "requestId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "method" character varying COLLATE "C" NOT NULL, "path" character varying COLLATE "C" NOT NULL, "status" integer NOT NULL, "durationMs" double precision NOT NULL, "accountId" character varying COLLATE "C", "userId" character varying COLLATE "C", "detail" text NOT NULL, CONSTRAINT "PK_journaled_requests" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "journaled_requests_of_application" ON "journaled_requests" ("applicationId", "id")`,
    );
    await runner.query(`SELECT pgboss.create_queue('journal-retention', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
