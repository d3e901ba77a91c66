import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AudienceSizings1795500500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "audience_sizings" ("audienceId" character varying COLLATE "C" NOT NULL, "kind" character varying NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "dueAt" TIMESTAMP(3) WITH TIME ZONE, "waitingSince" TIMESTAMP(3) WITH TIME ZONE, "generation" integer NOT NULL, "countedUntil" TIMESTAMP(3) WITH TIME ZONE, "madeOf" character varying array, CONSTRAINT "PK_bd11d9577ed0553e5fa1b36adfc" PRIMARY KEY ("audienceId"))`,
    );
    await runner.query(
      `CREATE INDEX "audience_sizings_due" ON "audience_sizings"  ("dueAt") WHERE "dueAt" IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX "audience_sizings_made_of" ON "audience_sizings" USING gin ("madeOf") WHERE "madeOf" IS NOT NULL`,
    );
    await runner.query(`SELECT pgboss.create_queue('size-audiences', '{"policy": "short"}')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."audience_sizings_due"`);
    await runner.query(`DROP TABLE "audience_sizings"`);
  }
}
