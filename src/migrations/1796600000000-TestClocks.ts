import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The test clocks of the workbench, the accounts that they freeze, and the queues of their jobs. */
export class TestClocks1796600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "test_clocks" ("id" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "name" character varying NOT NULL, "status" character varying NOT NULL, "frozenTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "targetTime" TIMESTAMP(3) WITH TIME ZONE, "done" integer NOT NULL, "total" integer NOT NULL, "failure" character varying, "attempt" character varying, CONSTRAINT "PK_test_clocks" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "test_clocks_of_application" ON "test_clocks" ("applicationId", "id")`);
    await runner.query(
      `ALTER TABLE "accounts" ADD "clockId" character varying COLLATE "C", ADD "frozenTime" TIMESTAMP(3) WITH TIME ZONE, ADD "clockAdvancing" boolean NOT NULL DEFAULT false`,
    );
    await runner.query(`CREATE INDEX "accounts_of_clock" ON "accounts" ("clockId", "id") WHERE "clockId" IS NOT NULL`);
    await runner.query(`SELECT pgboss.create_queue('advance-test-clock', '{"policy": "standard"}')`);
    await runner.query(`SELECT pgboss.create_queue('test-clock-check', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
