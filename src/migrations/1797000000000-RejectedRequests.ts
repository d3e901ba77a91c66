import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLock } from '../common/db/short-lock.js';

/** Rejected requests have their own share of a journal. Those that the previous release stored do not count in it. */
export class RejectedRequests1797000000000 implements MigrationInterface {
  // builds an index while the previous release writes
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withShortLock(runner, () =>
      runner.query(
        `ALTER TABLE "journaled_requests" ADD COLUMN IF NOT EXISTS "rejected" boolean NOT NULL DEFAULT false`,
      ),
    );
    // an interrupted build leaves an invalid index
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "journaled_requests_kept"`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY "journaled_requests_kept" ON "journaled_requests" ("applicationId", "rejected", "id")`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
