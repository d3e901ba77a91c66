import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WebEventTags1797060000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "web_event_tags" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "type" character varying NOT NULL, "clickWindow" integer NOT NULL, "viewThroughWindow" integer NOT NULL, "retargetingEnabled" boolean NOT NULL, "lastTrackedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_5edc4be6aa3c2483cde99fbd8db" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_f26bd7dd6f2bd8324a5543a9e0" ON "web_event_tags"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "web_event_tags_live" ON "web_event_tags"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "web_event_tags_name" ON "web_event_tags" ("accountId", (lower("name") COLLATE "C"), "id")`,
    );
    // without rows, PostgreSQL would expect all of them of one account
    await runner.query(`ALTER TABLE "web_event_tags" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
