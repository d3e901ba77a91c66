import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audiences of web event tags, and the queue of their job. */
export class WebAudiences1797080000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "web_audiences" ("accountId" character varying COLLATE "C" NOT NULL, "tagId" character varying COLLATE "C" NOT NULL, "audienceId" character varying COLLATE "C" NOT NULL, "fedUntil" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_web_audiences" PRIMARY KEY ("accountId", "tagId"))`,
    );
    await runner.query(`SELECT pgboss.create_queue('web-audiences', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
