import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partitionTable } from './partition-table.js';

/**
 * Attempts at webhook deliveries are partitioned by day, so that old ones are dropped with their partition. Outside a
 * transaction, so that writes go on; every step can be repeated.
 */
export class PartitionWebhookAttempts1796100100000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await partitionTable(runner, { table: 'webhook_attempts', width: 'day', ahead: 4 });
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
