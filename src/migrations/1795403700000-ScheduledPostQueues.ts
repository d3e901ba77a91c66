import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queues of the job that publishes scheduled posts, and of what it tells. */
export class ScheduledPostQueues1795403700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pgboss.create_queue('publish-scheduled-posts', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('scheduled-post-published', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
