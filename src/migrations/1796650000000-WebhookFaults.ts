import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Faults of the workbench that concern the deliveries to webhooks, and the faults that deliveries and attempts met. */
export class WebhookFaults1796650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "faults" ADD COLUMN "webhookFault" character varying, ADD COLUMN "webhookId" character varying COLLATE "C", ADD COLUMN "event" character varying`,
    );
    await runner.query(`ALTER TABLE "webhook_deliveries" ADD COLUMN "fault" character varying COLLATE "C"`);
    await runner.query(`ALTER TABLE "webhook_attempts" ADD COLUMN "fault" character varying COLLATE "C"`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
