import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications have an overview: their requests by minute, class of status and latency. */
export class RequestMinutes1797087006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "request_minutes" ("applicationId" character varying COLLATE "C" NOT NULL, "minute" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "counts" integer array NOT NULL, CONSTRAINT "PK_request_minutes" PRIMARY KEY ("applicationId", "minute"))`,
    );
    await runner.query(`CREATE INDEX "request_minutes_by_time" ON "request_minutes" ("minute")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
