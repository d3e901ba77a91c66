import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leaves room in the pages of line items. Every hour of simulated delivery updates the spend of all line items that serve:
 * a new version of a row that fits into the page of the old one needs no new entries in the indexes.
 */
export class RoomForSpend1796910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "line_items" SET (fillfactor = 70)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
