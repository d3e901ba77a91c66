import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FlexibleAudiences1795500400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "custom_audiences" ADD "segments" json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "custom_audiences" DROP COLUMN "segments"`);
  }
}
