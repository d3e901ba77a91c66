import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Posts with dynamic product cards. */
export class DynamicProductAds1797090001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "posts" ADD "dynamicProductAd" boolean NOT NULL DEFAULT false`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
