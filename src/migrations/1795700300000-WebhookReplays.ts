import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How the deliveries of a replay are found, and the queue of the job that goes on with replays. */
export class WebhookReplays1795700300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "webhook_deliveries_of_replay" ON "webhook_deliveries"  ("replayId", "state") WHERE "replayId" <> ''`,
    );
    await runner.query(`SELECT pgboss.create_queue('replay-webhook-events', '{"policy": "short"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
