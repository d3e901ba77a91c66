import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Old notifications of previews are found by their time, and removed by a job. */
export class OldPreviewNotifications1795403600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "preview_notifications_made" ON "preview_notifications"  ("createdAt") `);
    await runner.query(`SELECT pgboss.create_queue('old-preview-notifications', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
