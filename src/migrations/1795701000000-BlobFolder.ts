import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BlobFolder1795701000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "blob_folder" ("id" smallint NOT NULL, "marker" character varying COLLATE "C" NOT NULL, CONSTRAINT "blob_folder_one_row" CHECK ("id" = 1), CONSTRAINT "PK_blob_folder" PRIMARY KEY ("id"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "blob_folder"`);
  }
}
