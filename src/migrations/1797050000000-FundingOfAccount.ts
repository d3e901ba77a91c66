import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLock } from '../common/db/short-lock.js';

/** Table, its new index, and the index without the account that it replaces. */
const REPLACED = [
  ['campaigns', 'campaigns_of_funding', 'IDX_396a093c7d68535041907e23bb'],
  ['line_items', 'line_items_of_funding', 'IDX_4097bbb4fa365a3eb4ad9c3e23'],
];

/**
 * Lists by funding instrument have an index that begins with the account: PostgreSQL expected fewer rows of an account
 * than of a funding instrument, and read the account. The statements of the previous release name the account, too.
 */
export class FundingOfAccount1797050000000 implements MigrationInterface {
  // builds indexes while the previous release writes
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, name, replaced] of REPLACED) {
      // an interrupted build leaves an invalid index
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
      await runner.query(
        `CREATE INDEX CONCURRENTLY "${name}" ON "${table}" ("accountId", "fundingInstrumentId", "id")`,
      );
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${replaced}"`);
      // with one funding instrument in the table, PostgreSQL would expect it of every row
      await withShortLock(runner, () =>
        runner.query(`ALTER TABLE "${table}" ALTER COLUMN "fundingInstrumentId" SET (n_distinct = 10000)`),
      );
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
