import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs that write statistics into files, and their queues. */
export class StatisticsJobs1796930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "statistics_jobs" ("accountId" character varying COLLATE "C" NOT NULL, "id" character varying COLLATE "C" NOT NULL, "status" character varying NOT NULL, "entity" character varying NOT NULL, "entityIds" character varying array COLLATE "C" NOT NULL, "startTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "granularity" character varying NOT NULL, "placement" character varying NOT NULL, "metricGroups" character varying array NOT NULL, "segmentationType" character varying, "country" character varying, "platform" character varying, "timezone" character varying NOT NULL, "askedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "names" character varying NOT NULL, "attempt" integer NOT NULL, "folder" character varying COLLATE "C", "size" bigint, "sha256" character varying, "expiresAt" TIMESTAMP(3) WITH TIME ZONE, "dueAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_statistics_jobs" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "statistics_jobs_due" ON "statistics_jobs" ("dueAt")`);
    await runner.query(
      `CREATE INDEX "statistics_jobs_of_organic_posts" ON "statistics_jobs" ("accountId", "id") WHERE entity = 'ORGANIC_POST'`,
    );
    await runner.query(`SELECT pgboss.create_queue('write-statistics-result', '{"policy": "standard"}')`);
    await runner.query(`SELECT pgboss.create_queue('statistics-jobs-upkeep', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
