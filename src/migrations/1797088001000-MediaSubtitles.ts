import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The subtitles of videos by language. */
export class MediaSubtitles1797088001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "media_subtitles" ("mediaId" character varying COLLATE "C" NOT NULL, "languageCode" character varying COLLATE "C" NOT NULL, "fileId" character varying COLLATE "C" NOT NULL, "displayName" character varying NOT NULL, CONSTRAINT "PK_9dadb8e85feae8cdb23a6ee54ea" PRIMARY KEY ("mediaId", "languageCode"))`,
    );
    await runner.query(`CREATE INDEX "media_subtitles_file" ON "media_subtitles" ("fileId")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "media_subtitles"`);
  }
}
