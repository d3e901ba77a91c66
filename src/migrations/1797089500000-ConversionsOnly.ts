import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which applications may use only what measures conversions. */
export class ConversionsOnly1797089500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "applications" ADD "conversionsOnly" boolean NOT NULL DEFAULT false`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
