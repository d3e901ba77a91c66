import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What users say of the files that they upload. */
export class MediaMetadata1797086000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "media" ADD "altText" character varying`);
    await runner.query(`ALTER TABLE "media" ADD "allowsDownload" boolean`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "media" DROP COLUMN "allowsDownload"`);
    await runner.query(`ALTER TABLE "media" DROP COLUMN "altText"`);
  }
}
