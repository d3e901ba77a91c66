import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is sent again has a queue of its own, the log of deliveries is read by their states; old ones are cleared away. */
export class WebhookDeliveries1795700200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pgboss.create_queue('webhook-retention', '{"policy": "short"}')`);
    await runner.query(`DROP INDEX "public"."webhook_deliveries_due"`);
    await runner.query(
      `CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"  ("webhookId", "dueAt", "id") WHERE state = 'PENDING' AND "replayId" = ''`,
    );
    await runner.query(
      `CREATE INDEX "webhook_deliveries_due_again" ON "webhook_deliveries"  ("webhookId", "dueAt", "id") WHERE state = 'PENDING' AND "replayId" <> ''`,
    );
    await runner.query(
      `CREATE INDEX "webhook_deliveries_by_state" ON "webhook_deliveries"  ("webhookId", "state", "id") WHERE state <> 'DELIVERED'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
