import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queue of the job that sums delivery by day. */
export class RollUpDelivery1796920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pgboss.create_queue('roll-up-delivery', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
