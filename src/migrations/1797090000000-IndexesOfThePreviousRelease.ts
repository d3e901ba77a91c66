import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLock } from '../common/db/short-lock.js';

/** Read by id alone: cards and audiences that other accounts see, scheduled posts of a user in any account. */
const READ_BY_ID = ['cards', 'custom_audiences', 'do_not_reach_lists', 'scheduled_posts'];

/** Requests about these name the account. */
const READ_BY_KEY = [
  'account_apps',
  'account_media',
  'campaigns',
  'draft_posts',
  'funding_instruments',
  'library_media',
  'line_item_curated_categories',
  'line_items',
  'media_creatives',
  'preroll_call_to_actions',
  'promotable_users',
  'promoted_accounts',
  'promoted_posts',
  'scheduled_promoted_posts',
  'targeting_criteria',
  'targeting_sets',
];

/** Release 0.2 read rows by id alone. Each write pays for its indexes, and no release reads by them any more. */
export class IndexesOfThePreviousRelease1797090000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of READ_BY_ID)
      await withShortLock(runner, () =>
        runner.query(`ALTER INDEX IF EXISTS "${table}_previous_release" RENAME TO "${table}_id"`),
      );
    await withShortLock(runner, () =>
      runner.query('DROP TRIGGER IF EXISTS targeting_sets_previous_release ON "targeting_sets"'),
    );
    await runner.query('DROP FUNCTION IF EXISTS targeting_sets_previous_release()');
    for (const table of READ_BY_KEY)
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${table}_previous_release"`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
