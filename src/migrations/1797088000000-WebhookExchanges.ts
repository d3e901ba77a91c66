import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts to deliver to webhooks have what was sent and received. */
export class WebhookExchanges1797088000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "webhook_attempts" ADD COLUMN "exchange" text`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
