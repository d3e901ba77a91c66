import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files with products that are fetched regularly into catalogs. */
export class ScheduledFeeds1797090002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "scheduled_feeds" ("id" character varying COLLATE "C" NOT NULL, "catalogId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "feedUrl" character varying NOT NULL, "feedFormat" character varying NOT NULL, "frequency" character varying NOT NULL, "repeat" character varying, "startTime" character varying NOT NULL, "timeZone" character varying NOT NULL, "dueAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "claim" character varying, "claimedUntil" TIMESTAMP(3) WITH TIME ZONE, "failures" integer NOT NULL, "lastFetch" json, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_67cb2d12824dae966dbb9753eae" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "scheduled_feeds_due" ON "scheduled_feeds" ("dueAt")`);
    await runner.query(`CREATE UNIQUE INDEX "scheduled_feeds_catalog" ON "scheduled_feeds" ("catalogId")`);
    await runner.query(`SELECT pgboss.create_queue('fetch-feeds', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
