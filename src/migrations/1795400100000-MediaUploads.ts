import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is asked of uploads that have expired, and the jobs that look at uploads. */
export class MediaUploads1795400100000 implements MigrationInterface {
  name = 'MediaUploads1795400100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "media_gone" ON "media"  ("id") WHERE "deletedAt" IS NOT NULL`);
    await runner.query(`SELECT pgboss.create_queue('process-media', '{"policy": "standard"}')`);
    await runner.query(`SELECT pgboss.create_queue('expired-media', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('blob-leftovers', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
