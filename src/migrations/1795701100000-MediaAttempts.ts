import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often it was begun to read a file, and the uploads of a user that are underway. */
export class MediaAttempts1795701100000 implements MigrationInterface {
  name = 'MediaAttempts1795701100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "media" ADD "attempts" smallint NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "media" ADD "attemptedAt" TIMESTAMP(3) WITH TIME ZONE`);
    await runner.query(
      `CREATE INDEX "media_underway" ON "media"  ("ownerId") WHERE "state" IN ('PENDING', 'IN_PROGRESS')`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
