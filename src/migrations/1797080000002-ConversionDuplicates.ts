import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which conversion a key belongs to, and how many duplicates of it arrived. */
export class ConversionDuplicates1797080000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "conversion_keys" ADD "firstId" character varying COLLATE "C"`);
    await runner.query(`ALTER TABLE "conversion_keys" ADD "duplicates" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "conversion_keys" ADD "duplicateAt" TIMESTAMP(3) WITH TIME ZONE`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
