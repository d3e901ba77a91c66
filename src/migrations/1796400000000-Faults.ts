import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The faults of the workbench, and the queue of the job that reports and removes them. */
export class Faults1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "faults" ("id" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "operation" character varying, "accountId" character varying COLLATE "C", "probability" double precision NOT NULL, "times" integer, "appliedCount" integer NOT NULL, "lastAppliedAt" TIMESTAMP(3) WITH TIME ZONE, "applied" character varying NOT NULL, "minLatencyMs" integer, "maxLatencyMs" integer, "errorStatus" integer, "errorCode" character varying, "fault" character varying, "rateLimitRemaining" integer, "rateLimitResetAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_faults" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "faults_of_application" ON "faults" ("applicationId", "id")`);
    await runner.query(`CREATE INDEX "faults_expire" ON "faults" ("expiresAt")`);
    await runner.query(`SELECT pgboss.create_queue('fault-retention', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
