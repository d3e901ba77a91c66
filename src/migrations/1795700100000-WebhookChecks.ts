import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queue of the job that challenges webhooks; and how the subscriptions of one are listed. */
export class WebhookChecks1795700100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pgboss.create_queue('check-webhooks', '{"policy": "short"}')`);
    await runner.query(
      `CREATE INDEX "webhook_subscriptions_of_webhook" ON "webhook_subscriptions"  ("webhookId", "id") `,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
