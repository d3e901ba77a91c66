import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The product sets that line items advertise. */
export class ProductsOfLineItems1797090001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "line_items" ADD "catalogId" character varying COLLATE "C", ADD "productSetId" character varying COLLATE "C"`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
