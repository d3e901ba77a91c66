import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhook events of changes come from the history. Outside a transaction, so that writes go on while the index is built;
 * every step can be repeated.
 */
export class EventsFromHistory1795800000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "account_changes" ADD COLUMN IF NOT EXISTS "transactionId" bigint`);
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "account_changes_by_transaction"`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY "account_changes_by_transaction" ON "account_changes" ("transactionId", "id") WHERE "transactionId" IS NOT NULL`,
    );
    await runner.query(
      `CREATE TABLE IF NOT EXISTS "change_positions" (
        "name" character varying COLLATE "C" NOT NULL,
        "readSnapshot" character varying NOT NULL,
        "batchSnapshot" character varying,
        "batchTransactionId" bigint NOT NULL,
        "batchChangeId" character varying COLLATE "C" NOT NULL,
        "round" bigint NOT NULL,
        "readAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "PK_change_positions" PRIMARY KEY ("name"))`,
    );
    await runner.query(
      `INSERT INTO "change_positions" VALUES ('webhooks', pg_current_snapshot()::text, NULL, 0, '', 0, now()) ON CONFLICT DO NOTHING`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
