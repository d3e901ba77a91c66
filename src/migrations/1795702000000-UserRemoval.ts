import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who removes what is kept of deleted users. */
export class UserRemoval1795702000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pgboss.create_queue('user-deleted', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
