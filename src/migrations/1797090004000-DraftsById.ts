import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../common/db/build-index.js';

/** The removal of a user reads the drafts of all accounts in the order of their ids. */
export class DraftsById1797090004000 implements MigrationInterface {
  // CONCURRENTLY cannot run in a transaction; the release before continues to write.
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'draft_posts_id', '"draft_posts" ("id")');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
