import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the delivery of accounts is simulated, and the queue of the job. */
export class SimulatedDelivery1796800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "delivery_positions" ("accountId" character varying COLLATE "C" NOT NULL, "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_delivery_positions" PRIMARY KEY ("accountId"))`,
    );
    await runner.query(`SELECT pgboss.create_queue('simulate-delivery', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
